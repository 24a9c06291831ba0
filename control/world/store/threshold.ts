// What leaves the world crosses here: answers, webhooks and news. Everybody inside sees at once what a transaction did;
// nobody outside hears of it while a crash could still undo it. This is the one place that knows when it lasts.
import type { Durability } from '../../ports/durability.ts';
import type { BlobStore } from './blob-store.ts';
import { StoreError } from './schema.ts';

type Leave = {
  readonly leave: () => void;
  /** What it tells of lasts already: it waits for those before it alone, and goes also when they are lost. */
  readonly lasts: boolean;
};

type Departure = { readonly waiting: Promise<void> | null; readonly leaves: Leave[] };

export class Threshold {
  readonly #durability: Durability;
  readonly #blobs: Pick<BlobStore, 'putting'>;
  /** The last ones that wait, for one and the same thing; null when none do. */
  #last: (Departure & { readonly over: Promise<void> }) | null = null;

  /** How often something was lost. */
  #losses = 0;

  constructor(durability: Durability, blobs: Pick<BlobStore, 'putting'>) {
    this.#durability = durability;
    this.#blobs = blobs;
    durability.onLost(() => {
      this.#losses += 1;
    });
  }

  /** Null when everything that was done lasts. Otherwise resolves when it does, and rejects when it was lost. */
  waiting(): Promise<void> | null {
    const lasting = this.#durability.lasting();
    const { putting } = this.#blobs;
    if (putting === null) return lasting;
    return lasting === null ? putting : Promise.all([lasting, putting]).then(() => undefined);
  }

  /** The answer, when all that it may tell of lasts. Rejects when something was lost since it was begun. */
  async pass<T>(answer: T | Promise<T>): Promise<T> {
    const losses = this.#losses;
    const told = answer instanceof Promise ? await answer : answer;
    await this.waiting();
    if (losses !== this.#losses)
      throw new StoreError('failed', 'The store lost what this may tell of; ask again.');
    return told;
  }

  /**
   * In the order of the calls, and at once when nothing waits. What is lost never leaves: who asked is told so. `leave`
   * does not throw: nobody is there to be told.
   */
  once(leave: () => void): void {
    const waiting = this.waiting();
    if (this.#last === null) {
      if (waiting === null) return leave();
    } else if (waiting === null || waiting === this.#last.waiting) {
      this.#last.leaves.push({ leave, lasts: waiting === null });
      return;
    }
    const leaves: Leave[] = [{ leave, lasts: false }];
    const after = this.#last === null ? waiting! : this.#last.over.then(() => waiting!);
    const over = after.then(
      () => {
        if (this.#last?.leaves === leaves) this.#last = null;
        for (const each of leaves) each.leave();
      },
      () => {
        if (this.#last?.leaves === leaves) this.#last = null;
        for (const each of leaves) if (each.lasts) each.leave();
      },
    );
    this.#last = { waiting, leaves, over };
  }

  /** `forget` drops what was remembered of transactions that are lost, before anything else is asked of the store. */
  onLost(forget: () => void): void {
    this.#durability.onLost(forget);
  }
}
