// Bytes that are too large for a row: the small ones in a table, the others with the host, all under their
// SHA-256. A record's body, a webhook and an idempotent answer go there by themselves when they are long; a
// twin keeps files of its own by `putBlob`.
import type { Blobs } from '../../ports/blobs.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Sql } from '../../ports/sql.ts';
import { BLOB_BYTES_MAX, BLOB_INLINE_BYTES_MAX, ROW_BODY_BYTES_MAX } from '../limits.ts';
import { BlobAway, BlobsAtHand } from './blob-away.ts';
import { BlobPuts } from './blob-puts.ts';
import { fromHex, hex } from './identifier.ts';

/** What was kept under a name is not there any more, is not what was kept, or cannot be fetched now. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: 'missing' | 'damaged' | 'unreachable';

  constructor(code: BlobError['code'], sha256: string) {
    super(
      code === 'unreachable'
        ? `The blob ${sha256} cannot be fetched now; ask again.`
        : `The blob ${sha256} is ${code}. Restore the world's blobs from a copy.`,
    );
    this.code = code;
  }
}

type Row = { readonly size: number; readonly inline: Uint8Array | null };

type Parts = {
  readonly sql: Sql;
  readonly blobs: Blobs;
  readonly digest: Digest;
  /** What this world has from the one it branched off. */
  readonly inherited?: ((sha256: string) => Found) | undefined;
};

type Found = ReturnType<Blobs['get']>;

export class BlobStore {
  readonly #parts: Parts;
  readonly #puts: BlobPuts;
  readonly #atHand = new BlobsAtHand();
  /** The last that was thrown, until somebody takes it. */
  #away: BlobAway | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#puts = new BlobPuts(parts.sql, parts.blobs);
  }

  /** Resolves when the host has all that it was given; null when it has. Never rejects. */
  get putting(): Promise<void> | null {
    return this.#puts.putting;
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
    const put = inline ? undefined : blobs.put(sha256, bytes);
    sql.run(
      'INSERT INTO blob(sha, size, inline) VALUES (?, ?, ?)',
      hash,
      bytes.length,
      inline ? bytes : null,
    );
    if (put instanceof Promise) this.#puts.add(sha256, bytes, put);
    return sha256;
  }

  /**
   * Undefined for what was never kept; throws `BlobError` for what was and is not whole any more, and `BlobAway` for
   * what has to be waited for.
   */
  get(sha256: string): Uint8Array | undefined {
    const { sql, blobs, digest, inherited } = this.#parts;
    const hash = fromHex(sha256);
    if (hash === null) return undefined;
    const row = sql.get<Row>('SELECT size, inline FROM blob WHERE sha = ?', hash);
    if (row === undefined) return this.fetched(sha256, inherited);
    const bytes = row.inline ?? this.#puts.bytes(sha256) ?? this.fetched(sha256, blobs.get);
    if (bytes === undefined) throw new BlobError('missing', sha256);
    if (bytes.length !== row.size || !digest.equal(digest.sha256(bytes), hash)) {
      throw new BlobError('damaged', sha256);
    }
    return bytes;
  }

  /** What was thrown as away since it was last asked: a twin may have caught what it should have let through. */
  takeAway(): BlobAway | null {
    const away = this.#away;
    this.#away = null;
    return away;
  }

  /** Does `work` again whenever bytes that it lacked have come; a promise only where it lacks any. */
  reading<T>(work: () => T): T | Promise<T> {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof BlobAway)) throw error;
      this.#away = null;
      return this.#readAgain(error, work);
    }
  }

  async #readAgain<T>(away: BlobAway, work: () => T): Promise<T> {
    using _held = await away.come();
    return await this.reading(work);
  }

  /** What somebody has under a name, from near or far; throws `BlobAway` for what has to be waited for. */
  fetched(sha256: string, get: ((sha256: string) => Found) | undefined): Uint8Array | undefined {
    const held = this.#atHand.get(sha256);
    if (held !== undefined) return held ?? undefined;
    const found = get?.(sha256);
    if (!(found instanceof Promise)) return found;
    // Whoever drops the signal waits for nothing.
    found.catch(() => {});
    this.#away = new BlobAway(sha256, async () => {
      const bytes = await found.catch(() => {
        throw new BlobError('unreachable', sha256);
      });
      return this.#atHand.hold(sha256, bytes ?? null);
    });
    throw this.#away;
  }

  /** How a text stands in a row: as it is, or by name when it is long. */
  rowText(text: string): string {
    // What somebody wrote to look like a name is kept under one too, so that no text is ever mistaken for it.
    if (!text.startsWith(NAMED) && !exceeds(text, ROW_BODY_BYTES_MAX)) return text;
    return `${NAMED}${this.put(encoder.encode(text))}"}`;
  }

  /** The text that `rowText` was given. */
  text(row: string): string {
    if (!row.startsWith(NAMED)) return row;
    const sha256 = row.slice(NAMED.length, -2);
    const bytes = this.get(sha256);
    if (bytes === undefined) throw new BlobError('missing', sha256);
    return decoder.decode(bytes);
  }

  /**
   * Removes what a transaction that never was committed left with the host. Before the world takes calls: what is being
   * put must not be removed. A promise where the host answers with one.
   */
  sweep(): void | Promise<void> {
    this.#puts.resume();
    const names = this.#parts.blobs.list();
    if (names instanceof Promise)
      return names.then(found => this.#removeUnnamed(found)).then(() => undefined);
    void this.#removeUnnamed(names);
  }

  close(): void {
    this.#puts.close();
  }

  #removeUnnamed(names: readonly string[]): Promise<unknown> {
    const { sql, blobs } = this.#parts;
    const unnamed = names.filter(sha256 => {
      const hash = fromHex(sha256);
      if (hash === null) return false;
      return sql.get('SELECT 1 AS kept FROM blob WHERE sha = ? AND inline IS NULL', hash) === undefined;
    });
    return Promise.all(unnamed.map(sha256 => blobs.remove(sha256)));
  }
}

const NAMED = '{"$blob":"';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-16 has at most three bytes of UTF-8 a unit, so most texts are known to fit without being encoded. */
export const exceeds = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && (text.length > bytes || encoder.encode(text).length > bytes);
