/**
 * Large bytes outside the store, each under the lower-case hex of its SHA-256. What is under a name never changes, so
 * nothing is ever half replaced. A host that has them near answers at once; one that asks another machine answers with
 * promises, and the core then waits before it goes on (store/blob-store.ts).
 */
export type Blobs = {
  /** Whole and lasting before it returns or resolves; a second time is the same as once. */
  put(sha256: string, bytes: Uint8Array): void | Promise<void>;
  /** As they lie there: the caller holds them against their name. */
  get(sha256: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  has(sha256: string): boolean | Promise<boolean>;
  /** Of what is not there: nothing. */
  remove(sha256: string): void | Promise<void>;
  /** Every name, in no order. */
  list(): readonly string[] | Promise<readonly string[]>;
};
