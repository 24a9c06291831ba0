// The only place where proxy and control meet: the messages on the IPC socket, one JSON document a line.

import { PUSH_LINE_BYTES_MAX } from './limits.ts';
import type { RefusalRecord } from './refusal.ts';
import { RULE_NAMES } from './rules.ts';
import { type Fields, ShapeReader } from './shape.ts';
import type { SnapshotDocument } from './snapshot.ts';

/** What the proxy asks control to switch to for a TCP twin's stream (2.4 `streams`), on the socket for twins. */
export const STREAM_PROTOCOL = 'wrld-stream';

export const PUSH_PROTOCOL = 1;

/** Proxy → control. */
export type FromProxy =
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly pid: number;
      /** Where it listens; control adopts a proxy that outlived the control before it. */
      readonly listen: { readonly host: string; readonly port: number };
      readonly snapshot: { readonly epoch: string; readonly version: number } | null;
    }
  | { readonly type: 'ack'; readonly epoch: string; readonly version: number }
  | { readonly type: 'reject'; readonly epoch: string; readonly version: number; readonly reason: string }
  /** A refusal that a client got, for the world's own pages. Best effort: never waited for. */
  | ({ readonly type: 'refused' } & Refused);

/** Who was refused what, and when (wall time). */
export type Refused = {
  readonly at: number;
  readonly run: string;
  /** What the client calls itself (`curl/8.5.0`); null where it says nothing, and of a tunnel. */
  readonly agent: string | null;
  readonly record: RefusalRecord;
};

/** Control → proxy. */
export type FromControl =
  /** Only its epoch and version are known to be good; `compileSnapshot` judges the rest. */
  | { readonly type: 'snapshot'; readonly snapshot: SnapshotDocument }
  /** Stop accepting, finish what is in flight, exit. */
  | { readonly type: 'drain' };

export type Parsed<T> =
  | { readonly ok: true; readonly message: T }
  | { readonly ok: false; readonly why: string };

/** One line, newline included: JSON holds no raw newline, so the first one ends the message. */
export function encodeMessage(message: FromProxy | FromControl): string {
  return `${JSON.stringify(message)}\n`;
}

export type Lines =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly why: string };

const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines. `read` answers the lines that a chunk completes, without their newline. After
 * a failure (a line over the limit, bytes that are not UTF-8) every further read fails: the peer is not one of
 * ours, and the connection ends.
 */
export class LineReader {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #held = 0;
  #failed: { readonly ok: false; readonly why: string } | null = null;

  constructor(limitBytes: number = PUSH_LINE_BYTES_MAX) {
    this.#limit = limitBytes;
  }

  read(chunk: Uint8Array): Lines {
    if (this.#failed !== null) return this.#failed;
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#held + end - start > this.#limit) return this.#tooLong();
      const line = this.#take(chunk.subarray(start, end));
      if (line === null) return this.#fail('a line is not UTF-8');
      lines.push(line);
      start = end + 1;
    }
    const rest = chunk.length - start;
    if (this.#held + rest > this.#limit) return this.#tooLong();
    if (rest > 0) {
      // A copy: the giver may write over its buffer once this returns.
      this.#parts.push(chunk.slice(start));
      this.#held += rest;
    }
    return { ok: true, lines };
  }

  #take(last: Uint8Array): string | null {
    let bytes = last;
    if (this.#held > 0) {
      bytes = new Uint8Array(this.#held + last.length);
      let at = 0;
      for (const part of this.#parts) {
        bytes.set(part, at);
        at += part.length;
      }
      bytes.set(last, at);
      this.#parts = [];
      this.#held = 0;
    }
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return null;
    }
  }

  #tooLong(): Lines {
    return this.#fail(`a line is over ${this.#limit} bytes`);
  }

  #fail(why: string): Lines {
    this.#parts = [];
    this.#held = 0;
    this.#failed = { ok: false, why };
    return this.#failed;
  }
}

export function parseFromProxy(line: string): Parsed<FromProxy> {
  return parse(line, (type, fields, reader): FromProxy | null => {
    switch (type) {
      case 'hello': {
        const listen = reader.object(fields['listen'], 'listen', ['host', 'port']);
        return {
          type,
          protocol: reader.integer(fields['protocol'], 'protocol', COUNT),
          pid: reader.integer(fields['pid'], 'pid', COUNT),
          listen: {
            host: reader.string(listen['host'], 'listen.host'),
            port: reader.integer(listen['port'], 'listen.port', { min: 1, max: 65535 }),
          },
          snapshot:
            fields['snapshot'] === null
              ? null
              : readVersion(reader.object(fields['snapshot'], 'snapshot', ['epoch', 'version']), reader),
        };
      }
      case 'ack':
        return { type, ...readVersion(fields, reader) };
      case 'reject':
        return { type, ...readVersion(fields, reader), reason: reader.string(fields['reason'], 'reason') };
      case 'refused':
        return {
          type,
          at: reader.integer(fields['at'], 'at', COUNT),
          run: reader.string(fields['run'], 'run'),
          agent: fields['agent'] === null ? null : reader.string(fields['agent'], 'agent'),
          record: readRecord(fields['record'], reader),
        };
      default:
        return null;
    }
  });
}

export function parseFromControl(line: string): Parsed<FromControl> {
  return parse(line, (type, fields, reader): FromControl | null => {
    switch (type) {
      case 'snapshot': {
        const snapshot = reader.map(fields['snapshot'], 'snapshot');
        readVersion(snapshot, reader);
        return { type, snapshot: snapshot as unknown as SnapshotDocument };
      }
      case 'drain':
        return { type };
      default:
        return null;
    }
  });
}

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

function parse<T>(
  line: string,
  read: (type: unknown, fields: Fields, reader: ShapeReader) => T | null,
): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, why: 'a line is not JSON' };
  }
  const reader = new ShapeReader();
  const fields = reader.map(value, '');
  const message = reader.problem === null ? read(fields['type'], fields, reader) : null;
  if (reader.problem !== null) return { ok: false, why: reader.problem };
  return message === null ? { ok: false, why: 'a message of an unknown type' } : { ok: true, message };
}

function readVersion(
  fields: Fields,
  reader: ShapeReader,
): { readonly epoch: string; readonly version: number } {
  return {
    epoch: reader.string(fields['epoch'], 'epoch'),
    version: reader.integer(fields['version'], 'version', COUNT),
  };
}

function readRecord(value: unknown, reader: ShapeReader): RefusalRecord {
  const fields = reader.map(value, 'record');
  if (fields['kind'] !== 'wrld-world-refusal' || fields['version'] !== 1) {
    reader.complain('record', 'not a refusal record of version 1');
  }
  if (!RULE_NAMES.some(name => name === fields['rule'])) reader.complain('record.rule', 'not a rule');
  for (const key of ['capability', 'target', 'missing', 'reason', 'see'])
    reader.string(fields[key], `record.${key}`);
  return fields as unknown as RefusalRecord;
}
