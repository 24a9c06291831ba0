// Bytes that a host has on another machine, asked for by what cannot wait: a twin answers synchronously. What it did is
// rolled back, the world waits for the bytes, holds them at hand, and has it done again. So it is with records that a
// branch has not copied yet (work/arrival.ts).

/** Thrown through the twin. Not a fault: whoever began the work catches it, waits for `come` and begins anew. */
export class BlobAway extends Error {
  override readonly name = 'BlobAway';
  /** Resolves when the bytes are at hand, where they stay until what it gives is disposed of. */
  readonly come: () => Promise<Disposable>;

  /** `name`: of what is asked for. */
  constructor(name: string, come: () => Promise<Disposable>) {
    super(`${name} is on its way.`);
    this.come = come;
  }
}

/** Bytes that came from far, each as long as somebody holds it. */
export class BlobsAtHand {
  readonly #held = new Map<string, { readonly bytes: Uint8Array | null; holders: number }>();

  /** Null: the host has none of that name. Undefined: nobody holds it. */
  get(sha256: string): Uint8Array | null | undefined {
    return this.#held.get(sha256)?.bytes;
  }

  hold(sha256: string, bytes: Uint8Array | null): Disposable {
    const held = this.#held.get(sha256) ?? { bytes, holders: 0 };
    held.holders += 1;
    this.#held.set(sha256, held);
    return {
      [Symbol.dispose]: () => {
        held.holders -= 1;
        if (held.holders === 0) this.#held.delete(sha256);
      },
    };
  }
}
