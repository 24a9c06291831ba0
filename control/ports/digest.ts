/**
 * SHA-256 as a synchronous function: a token is checked on every request, and the asynchronous digest that
 * all hosts share costs a turn of the event loop each time.
 */
export type Digest = {
  /** Of a text its UTF-8. */
  sha256(data: string | Uint8Array): Uint8Array;
  /** Of a long text, in parts. */
  hasher(): Hasher;
  /** Equal length and bytes, in time that does not depend on where they differ. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
};

/** SHA-256 of what is added, each text by its UTF-8. */
export type Hasher = { add(text: string): void; digest(): Uint8Array };
