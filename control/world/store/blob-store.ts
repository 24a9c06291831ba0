// Bytes that are too large for a row: the small ones in a table, the others with the host, all under their
// SHA-256. A record's body, a webhook and an idempotent answer go there by themselves when they are long; a
// twin keeps files of its own by `putBlob`.
import type { Blobs } from '../../ports/blobs.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Sql } from '../../ports/sql.ts';
import { BLOB_BYTES_MAX, BLOB_INLINE_BYTES_MAX, ROW_BODY_BYTES_MAX } from '../limits.ts';
import { hex } from './identifier.ts';

/** What was kept under a name is not there any more, or is not what was kept. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: 'missing' | 'damaged';

  constructor(code: 'missing' | 'damaged', sha256: string) {
    super(`The blob ${sha256} is ${code}. Restore the world's blobs from a copy.`);
    this.code = code;
  }
}

type Row = { readonly size: number; readonly inline: Uint8Array | null };

type Parts = {
  readonly sql: Sql;
  readonly blobs: Blobs;
  readonly digest: Digest;
  /** What this world has from the one it branched off. */
  readonly inherited?: ((sha256: string) => Uint8Array | undefined) | undefined;
};

export class BlobStore {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Inside the transaction that names it. Returns the SHA-256 in hex. Throws `RangeError` over `BLOB_BYTES_MAX`. */
  put(bytes: Uint8Array): string {
    const { sql, blobs, digest } = this.#parts;
    if (bytes.length > BLOB_BYTES_MAX) throw new RangeError(`A blob holds at most ${BLOB_BYTES_MAX} bytes.`);
    const hash = digest.sha256(bytes);
    const sha256 = hex(hash);
    if (sql.get('SELECT 1 AS kept FROM blob WHERE sha = ?', hash) !== undefined) return sha256;
    const inline = bytes.length <= BLOB_INLINE_BYTES_MAX;
    // Before the commit that names it: a crash in between leaves bytes without a name, which `sweep` removes.
    if (!inline) blobs.put(sha256, bytes);
    sql.run(
      'INSERT INTO blob(sha, size, inline) VALUES (?, ?, ?)',
      hash,
      bytes.length,
      inline ? bytes : null,
    );
    return sha256;
  }

  /** Undefined for what was never kept; throws `BlobError` for what was and is not whole any more. */
  get(sha256: string): Uint8Array | undefined {
    const { sql, blobs, digest, inherited } = this.#parts;
    const hash = fromHex(sha256);
    if (hash === null) return undefined;
    const row = sql.get<Row>('SELECT size, inline FROM blob WHERE sha = ?', hash);
    if (row === undefined) return inherited?.(sha256);
    const bytes = row.inline ?? blobs.get(sha256);
    if (bytes === undefined) throw new BlobError('missing', sha256);
    if (bytes.length !== row.size || !digest.equal(digest.sha256(bytes), hash)) {
      throw new BlobError('damaged', sha256);
    }
    return bytes;
  }

  /** How a text stands in a row: as it is, or by name when it is long. */
  stored(text: string): string {
    // What somebody wrote to look like a name is kept under one too, so that no text is ever mistaken for it.
    if (!text.startsWith(NAMED) && !exceeds(text, ROW_BODY_BYTES_MAX)) return text;
    return `${NAMED}${this.put(encoder.encode(text))}"}`;
  }

  /** The text that `stored` was given. */
  text(stored: string): string {
    if (!stored.startsWith(NAMED)) return stored;
    const sha256 = stored.slice(NAMED.length, -2);
    const bytes = this.get(sha256);
    if (bytes === undefined) throw new BlobError('missing', sha256);
    return decoder.decode(bytes);
  }

  /** Removes what a transaction that never was committed left with the host. */
  sweep(): void {
    const { sql, blobs } = this.#parts;
    for (const sha256 of blobs.list()) {
      const hash = fromHex(sha256);
      if (hash === null) continue;
      if (sql.get('SELECT 1 AS kept FROM blob WHERE sha = ? AND inline IS NULL', hash) === undefined) {
        blobs.remove(sha256);
      }
    }
  }
}

const NAMED = '{"$blob":"';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-16 has at most three bytes of UTF-8 a unit, so most texts are known to fit without being encoded. */
export const exceeds = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && (text.length > bytes || encoder.encode(text).length > bytes);

const fromHex = (sha256: string): Uint8Array | null => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
  return Uint8Array.from({ length: 32 }, (_, n) => Number.parseInt(sha256.slice(2 * n, 2 * n + 2), 16));
};
