// The bytes of mails while they come in: each in one buffer that grows, because a mail may come in a million pieces;
// and all of them together bounded, because many may come at once.

const FIRST_BYTES = 16 * 1024;

/** What the mails on their way may hold together. */
export class MailStore {
  readonly #bytesMax: number;
  #held = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes held now, by mails that are not released. */
  get held(): number {
    return this.#held;
  }

  /** False: no room for so many more. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#bytesMax) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

export class MailBytes {
  readonly #store: MailStore;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(store: MailStore) {
    this.#store = store;
  }

  /** Good until `release`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** False: the store has no room for it, and what came before is released. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length && !this.#grow(length)) {
      this.release();
      return false;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
    return true;
  }

  release(): void {
    this.#store.give(this.#buffer.length);
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }

  #grow(length: number): boolean {
    const size = Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(length)));
    if (!this.#store.take(size - this.#buffer.length)) return false;
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.bytes);
    this.#buffer = grown;
    return true;
  }
}
