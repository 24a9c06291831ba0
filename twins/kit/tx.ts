// What a twin may do while it answers one call or one due event. All of it is one transaction and becomes at
// most one entry of the log: either everything is there, or nothing.
import type { RequestReader } from './journal.ts';

/** Milliseconds since 1970 on the world's clock. */
export type Instant = number;

/** A record body is JSON. The kit keeps no opinion on its fields but those a type indexes. */
export type RecordBody = { readonly [field: string]: unknown };

/** Of one field alone, any of several values. */
export type Where = { readonly [field: string]: string | readonly string[] };

export type ListQuery = {
  /** Equality on fields; together they must be one declared index of the type (`RecordType.indexes`). */
  readonly where?: Where;
  /** By creation. Default `newest`. */
  readonly order?: 'newest' | 'oldest';
  /** Keyset cursors: only what comes after (or before) this record in the asked order. */
  readonly after?: string;
  readonly before?: string;
  /** The `cursor` of an earlier page in the same order: what comes after that page, whatever became of its records. */
  readonly cursor?: string;
  /** So many of the first are left out; costs a look at each of their places, for vendors who number their pages. */
  readonly skip?: number;
  /** Created at or after / strictly before this instant. */
  readonly createdFrom?: Instant;
  readonly createdBefore?: Instant;
  /** Kept while the scan goes on; for conditions no index has. */
  readonly keep?: (body: RecordBody) => boolean;
  readonly limit: number;
};

export type Page<T> = {
  readonly items: readonly T[];
  readonly more: boolean;
  /** Where the next page begins; there when `more`, of a page that was not read back from `before`. */
  readonly cursor?: string;
};

/** Reads of a twin's records. Every list is by keyset on an index; none scans a table. */
export type Reader = {
  readonly now: Instant;
  get<T extends RecordBody = RecordBody>(type: string, id: string): T | undefined;
  list<T extends RecordBody = RecordBody>(type: string, query: ListQuery): Page<T>;
  /** Bytes that `putBlob` kept, by the SHA-256 it returned. */
  blob(sha256: string): Uint8Array | undefined;
};

/** A webhook to send after the transaction commits. Signed when it is sent, with wall time. */
export type DeliveryRequest = {
  readonly endpoint: { readonly id: string; readonly url: string };
  readonly event: { readonly id: string; readonly type: string };
  /** The exact bytes to send, as text. */
  readonly body: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
};

/** A stored answer for an idempotency key. Not part of the twin's state and never in the log. */
export type Memo = {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
};

/** An entry of the twin's own log (2.6), as a screen shows it. */
export type Logged = {
  readonly position: number;
  readonly at: Instant;
  readonly kind: string;
  /** Who asked, as the log names it (4.9). */
  readonly caller: string | null;
  /** What it was asked by; null for what happened by itself. */
  readonly request: LoggedRequest | null;
  readonly changes: readonly { readonly op: string; readonly type: string; readonly id: string }[];
};

export type LoggedRequest = {
  readonly method: string;
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Where it is text and not long; secrets are hidden in it. */
  readonly body?: string;
};

/** The twin's log, newest first, as it was before this call. A branch has its own entries alone. */
export type LogReader = {
  /** A page of it: those before a position, or the ones nearest after it. */
  entries(asked: { readonly before?: number; readonly after?: number; readonly limit: number }): Page<Logged>;
  /** Those that wrote a record. */
  about(type: string, id: string, limit: number): readonly Logged[];
  /** Those of a time, oldest first. */
  between(from: Instant, until: Instant, limit: number): readonly Logged[];
};

export type Tx = Reader & {
  readonly log: LogReader;
  /** What was asked of the twin before this call, reads and refused requests too. */
  readonly requests: RequestReader;
  /** How much was written so far: whoever refuses knows by it whether there is anything to undo. */
  readonly writes: number;
  /**
   * Inserts or replaces. The body's creation order is that of the first put of its id. What was put is the store's from
   * then on: whoever has more to say puts another body.
   */
  put(type: string, id: string, body: RecordBody): void;
  delete(type: string, id: string): void;
  /**
   * Keeps bytes (at most `BLOB_BYTES_MAX`) and returns their SHA-256 in hex, for a record to name. Equal bytes are
   * kept once. An entry of the log says so with `op: 'blob'`.
   */
  putBlob(bytes: Uint8Array): string;
  /** `<prefix><length base62 characters>`, unpredictable. */
  id(prefix: string, length: number): string;
  /**
   * As `id`, of a record: those of later entries come after those of earlier ones in the order of their texts, so that the
   * store writes side by side what was made together. The first five characters say so, and the rest is unpredictable; `id` is
   * for secrets. Throws for a `length` of less than 14.
   */
  recordId(prefix: string, length: number): string;
  /** Random bytes as lower-case hex. */
  hex(bytes: number): string;
  /** Names the entry. The first call wins; without one the entry is `<type>.<created|updated|deleted>`. */
  kind(kind: string): void;
  /** Calls the twin's `due` at that instant of the world's clock; a key replaces its earlier event. */
  schedule(key: string, at: Instant, payload: RecordBody): void;
  cancel(key: string): void;
  deliver(request: DeliveryRequest): void;
  recall(key: string): Memo | undefined;
  remember(key: string, memo: Memo, expires: Instant): void;
};

/** The index of a field's words, and how a word stands in it. `key`: of an object's own texts, the one so named. */
export const wordIndex = (field: string): string => `~${field}`;
export const wordValue = (text: string, key: string | null = null): string =>
  key === null ? text.toLowerCase() : `${key}\0${text.toLowerCase()}`;

/** A `where` for records whose field is that text, whatever its case; the type declares it among its `words`. */
export const byWord = (
  field: string,
  text: string,
  key: string | null = null,
): { readonly [field: string]: string } => ({
  [wordIndex(field)]: wordValue(text, key),
});
