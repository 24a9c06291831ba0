// GET …/checkpoint/<twin> (4.4): the whole state of a twin at a position. It is measured before the first byte is
// sent, because an answer over the limit is to be a refusal and not half an answer; the past does not change in
// between.

import { CHECKPOINT_BYTES_MAX, CHECKPOINT_RECORDS_PER_TURN_MAX } from '../limits.ts';
import type { HistorySource, PastRecord, RecordKey } from '../log/history-source.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { WholeText } from '../store/records.ts';
import { turn } from '../store/turn.ts';

/** Opaque outside: names a twin's state at a position, as `history` tells it and `checkpoint?at=` takes it. */
export const viewOf = (twin: string, position: number): string => `${twin}@${position}`;

export type Checkpoint =
  | {
      readonly ok: true;
      readonly position: number;
      readonly bytes: number;
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly ok: false; readonly why: 'too-large' | 'not-yet'; readonly message: string };

type Asked = {
  readonly source: HistorySource;
  readonly blobs: BlobStore;
  readonly twin: string;
  readonly position: number;
  readonly whole: WholeText;
};

/** Streams `{ twin, position, view, records: [{ type, id, body }], blobs: [{ sha256, size }] }`. */
export const takeCheckpoint = async (asked: Asked): Promise<Checkpoint> => {
  const { twin, position, blobs } = asked;
  const files = new Map<string, number>();
  const head = `{"twin":${JSON.stringify(twin)},"position":${position},"view":${JSON.stringify(viewOf(twin, position))},"records":[`;
  let bytes = head.length;
  for await (const line of lines(asked)) {
    bytes += encoder.encode(line).length;
    if (bytes > CHECKPOINT_BYTES_MAX) return tooLarge(twin);
    await blobs.reading(() => noteFiles(line, blobs, files));
  }
  const named = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([sha256, size]) => ({ sha256, size }));
  const tail = `],"blobs":${JSON.stringify(named)}}\n`;
  bytes += tail.length;
  if (bytes > CHECKPOINT_BYTES_MAX) return tooLarge(twin);
  return { ok: true, position, bytes, body: stream(asked, head, tail) };
};

async function* stream(asked: Asked, head: string, tail: string): AsyncGenerator<Uint8Array> {
  let text = head;
  for await (const line of lines(asked)) {
    text += line;
    if (text.length < CHUNK_CHARS) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text + tail);
}

const CHUNK_CHARS = 64 * 1024;

/** One record each, with the comma that parts it from the one before. */
async function* lines({ source, blobs, twin, position, whole }: Asked): AsyncGenerator<string> {
  let comma = '';
  for (let after: RecordKey | null = null; ; ) {
    const records: readonly PastRecord[] = await source.records(
      twin,
      position,
      after,
      CHECKPOINT_RECORDS_PER_TURN_MAX,
    );
    for (const { type, id, body } of records) {
      const text = await blobs.reading(() => whole(twin, type, blobs.text(body)));
      yield `${comma}{"type":${JSON.stringify(type)},"id":${JSON.stringify(id)},"body":${text}}`;
      comma = ',';
    }
    if (records.length < CHECKPOINT_RECORDS_PER_TURN_MAX) return;
    after = records.at(-1)!;
    await turn();
  }
}

/** A record names a file that its twin keeps by its SHA-256. */
const noteFiles = (line: string, blobs: BlobStore, files: Map<string, number>): void => {
  for (const [, sha256] of line.matchAll(/"([0-9a-f]{64})"/g)) {
    if (files.has(sha256!)) continue;
    const size = blobs.get(sha256!)?.length;
    if (size !== undefined) files.set(sha256!, size);
  }
};

const tooLarge = (twin: string): Checkpoint => ({
  ok: false,
  why: 'too-large',
  message: `The state of ${twin} at this position is over ${CHECKPOINT_BYTES_MAX / 1024 / 1024} MB, the most a checkpoint holds. Its log (GET …/log/${twin}) tells all of it in pages.`,
});

const encoder = new TextEncoder();
