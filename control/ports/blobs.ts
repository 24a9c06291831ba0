/**
 * Large bytes outside the store, each under the lower-case hex of its SHA-256. Synchronous, because a twin answers
 * synchronously. What is under a name never changes, so nothing is ever half replaced.
 */
export type Blobs = {
  /** Whole and lasting before it returns; a second time is the same as once. */
  put(sha256: string, bytes: Uint8Array): void;
  /** As they lie there: the caller holds them against their name. */
  get(sha256: string): Uint8Array | undefined;
  has(sha256: string): boolean;
  /** Of what is not there: nothing. */
  remove(sha256: string): void;
  /** Every name, in no order. */
  list(): readonly string[];
};
