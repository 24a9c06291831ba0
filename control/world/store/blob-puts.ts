// Bytes on their way to a host that takes its time. Until it has them they lie in rows of the world's own store: the
// transaction that names them makes them lasting, they can be read, and a world that ends in between puts them again.
import type { Blobs } from '../../ports/blobs.ts';
import type { Sql } from '../../ports/sql.ts';
import { ROW_BODY_BYTES_MAX } from '../limits.ts';
import { fromHex, hex } from './identifier.ts';

/** What lies in rows under a name, whole or not; undefined for nothing. */
export const bytesInRows = (sql: Pick<Sql, 'all'>, sha256: string): Uint8Array | undefined => {
  const parts = sql.all<{ bytes: Uint8Array }>(
    'SELECT bytes FROM blob_part WHERE sha = ? ORDER BY n',
    fromHex(sha256)!,
  );
  if (parts.length === 0) return undefined;
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.bytes.length, 0));
  let at = 0;
  for (const { bytes } of parts) {
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
};

export class BlobPuts {
  readonly #sql: Sql;
  readonly #blobs: Blobs;
  /** Names of what lies in rows. */
  readonly #inRows: Set<string>;
  #putting: Promise<void> | null = null;
  #closed = false;

  constructor(sql: Sql, blobs: Blobs) {
    this.#sql = sql;
    this.#blobs = blobs;
    const left = sql.all<{ sha: Uint8Array }>('SELECT DISTINCT sha FROM blob_part');
    this.#inRows = new Set(left.map(({ sha }) => hex(sha)));
  }

  /** Resolves when the host has all that it was given since the world opened; null when it has. Never rejects. */
  get putting(): Promise<void> | null {
    return this.#putting;
  }

  /** Inside the transaction that names the bytes. */
  add(sha256: string, bytes: Uint8Array, put: Promise<void>): void {
    const sha = fromHex(sha256)!;
    this.#sql.run('DELETE FROM blob_part WHERE sha = ?', sha);
    for (let n = 0; n * ROW_BODY_BYTES_MAX < bytes.length; n++) {
      const part = bytes.slice(n * ROW_BODY_BYTES_MAX, (n + 1) * ROW_BODY_BYTES_MAX);
      this.#sql.run('INSERT INTO blob_part(sha, n, bytes) VALUES (?, ?, ?)', sha, n, part);
    }
    this.#inRows.add(sha256);
    const done = this.#finish(sha256, put);
    const all: Promise<void> = Promise.all([this.#putting, done]).then(() => {
      if (this.#putting === all) this.#putting = null;
    });
    this.#putting = all;
  }

  /** Undefined for what does not lie here. */
  bytes(sha256: string): Uint8Array | undefined {
    if (!this.#inRows.has(sha256)) return undefined;
    return bytesInRows(this.#sql, sha256);
  }

  /** Gives the host again what an earlier run of the world could not; no answer waits for that. */
  resume(): void {
    for (const sha256 of this.#inRows) {
      const bytes = this.bytes(sha256);
      if (bytes !== undefined) void this.#finish(sha256, Promise.resolve(this.#blobs.put(sha256, bytes)));
    }
  }

  close(): void {
    this.#closed = true;
  }

  async #finish(sha256: string, put: Promise<void>): Promise<void> {
    try {
      await put;
    } catch {
      // They are safe in their rows, and the next run of the world offers them again.
      return;
    }
    if (this.#closed) return;
    this.#inRows.delete(sha256);
    this.#sql.transaction(() => this.#sql.run('DELETE FROM blob_part WHERE sha = ?', fromHex(sha256)!));
  }
}
