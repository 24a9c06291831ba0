// A call that takes long goes behind everything that wants a processor, however little of it; one that gets nothing there comes back.
import { SANDBOX_LONG_MS, SANDBOX_NICE_SHARE, SANDBOX_STARVED_MS } from './limits.ts';
import type { ThreadPriority } from './thread-priority.ts';

type Instant = { readonly spent: number; readonly wall: number };

/** Instants are what the thread has spent of a processor and what the wall shows, in milliseconds. */
export class LongCall {
  readonly #priority: Pick<ThreadPriority, 'toLast' | 'fromLast'>;
  /** What the thread will have spent when it takes long. */
  #long = Number.POSITIVE_INFINITY;
  /** Since when it is the last. */
  #last: Instant | null = null;

  constructor(priority: Pick<ThreadPriority, 'toLast' | 'fromLast'>) {
    this.#priority = priority;
  }

  begin(spent: number): void {
    this.#long = spent + SANDBOX_LONG_MS;
  }

  /** Again and again while it runs. */
  look(spent: number, wall: () => number): void {
    if (this.#last !== null) {
      const waited = wall() - this.#last.wall;
      if (waited >= SANDBOX_STARVED_MS && spent - this.#last.spent < waited * SANDBOX_NICE_SHARE) this.end();
    } else if (spent > this.#long) {
      // Once in a call, whatever comes of it.
      this.#long = Number.POSITIVE_INFINITY;
      if (this.#priority.toLast()) this.#last = { spent, wall: wall() };
    }
  }

  /** Over, however long it took. */
  end(): void {
    this.#long = Number.POSITIVE_INFINITY;
    if (this.#last !== null && this.#priority.fromLast()) this.#last = null;
  }
}
