// The text of an archive, read as it comes: part after part, the header first, each held against the one before it, so that
// a damaged one is known before it is sent on.
import { digest } from '../control/node/digest.ts';
import {
  ARCHIVE_END,
  ARCHIVE_START,
  type ArchiveHeader,
  readPart,
} from '../control/world/archive/archive.ts';
import { readHeader } from '../control/world/archive/header.ts';
import { ARCHIVE_PART_READ_CHARS_MAX } from './limits.ts';

/** What is wrong with it, for people. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive';
}

export type ReadArchive = {
  readonly header: ArchiveHeader;
  /** The header first. Throws `BadArchive` where it is damaged, or ends before its end. */
  readonly parts: AsyncIterable<string>;
};

/** Throws `BadArchive` for what begins with no header. */
export async function readArchive(chunks: AsyncIterable<string>): Promise<ReadArchive> {
  const parts = partsIn(chunks);
  const first = await parts.next();
  if (first.done) throw new BadArchive('This is no archive of a world: nothing came.');
  const cut = first.value.indexOf('\n') + 1;
  const read = readHeader(first.value.slice(0, cut));
  if (!read.ok) throw new BadArchive(read.message);
  return { header: read.header, parts: whole(first.value, parts) };
}

async function* whole(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  let place = ARCHIVE_START;
  let ended = false;
  const check = (text: string): void => {
    const part = readPart(text, place, digest);
    if (!part.ok) throw new BadArchive(part.message);
    place = part.after;
    ended = part.body === `${ARCHIVE_END}\n`;
  };
  check(first);
  yield first;
  for await (const text of rest) {
    if (ended) throw new BadArchive('The archive is damaged: something follows its end.');
    check(text);
    yield text;
  }
  if (!ended) throw new BadArchive('The archive broke off before its end.');
}

const TRAILER = '\n{"part":';

async function* partsIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  let from = 0;
  for await (const chunk of chunks) {
    held += chunk;
    for (;;) {
      const trailer = held.indexOf(TRAILER, from);
      const end = trailer === -1 ? -1 : held.indexOf('\n', trailer + 1);
      if (end === -1) {
        from = trailer === -1 ? Math.max(held.length - TRAILER.length, 0) : trailer;
        break;
      }
      yield held.slice(0, end + 1);
      held = held.slice(end + 1);
      from = 0;
    }
    if (held.length > ARCHIVE_PART_READ_CHARS_MAX)
      throw new BadArchive('This is no archive of a world: a part of it has no end.');
  }
  if (held.trim() !== '') yield held;
}

/** How much of it has come. */
export class ArchiveProgress {
  readonly #rows: number;
  readonly #bytes: number;
  #rowsDone = 0;
  #bytesDone = 0;

  constructor({ worlds }: ArchiveHeader) {
    this.#rows = worlds.reduce((sum, { rows }) => sum + rows, 0);
    this.#bytes = worlds.reduce((sum, { blobs }) => sum + blobs.bytes, 0);
  }

  /** After each part: `83 %, 12,345 of 14,000 rows`. */
  add(part: string): string {
    for (let at = part.indexOf('\n['); at !== -1; at = part.indexOf('\n[', at + 1)) this.#rowsDone += 1;
    // Base64 has four characters for three bytes.
    if (part.includes('\n{"blob":')) this.#bytesDone += Math.floor((part.length * 3) / 4);
    const all = this.#rows + this.#bytes / BYTES_LIKE_A_ROW;
    const done = this.#rowsDone + this.#bytesDone / BYTES_LIKE_A_ROW;
    const percent = all === 0 ? 100 : Math.min(100, Math.floor((done / all) * 100));
    return `${percent} %, ${this.#rowsDone.toLocaleString('en')} of ${this.#rows.toLocaleString('en')} rows`;
  }
}

/** What a row takes on its way, about. */
const BYTES_LIKE_A_ROW = 1_000;
