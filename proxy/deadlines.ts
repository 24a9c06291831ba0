// Deadlines for thousands of connections with one timer: each holds a number, a sweep looks at them all. Absolute times, so that a byte now and then cannot hold a connection open (slowloris).

export type Held = {
  /** Monotonic milliseconds; Infinity: none. */
  readonly deadline: number;
  /** The limit has passed: cut it. */
  expire(): void;
  /** The proxy is shutting down: end when what is in flight is done. */
  drain(): void;
};

export class Deadlines {
  /** The monotonic clock, as of the last sweep at worst: fresh enough for limits of seconds. */
  now = performance.now();
  readonly #held = new Set<Held>();
  readonly #timer: NodeJS.Timeout;

  constructor(sweepMs: number, also: (now: number) => void) {
    this.#timer = setInterval(() => {
      this.now = performance.now();
      for (const held of this.#held) if (held.deadline <= this.now) held.expire();
      also(this.now);
    }, sweepMs);
    this.#timer.unref();
  }

  get size(): number {
    return this.#held.size;
  }

  add(held: Held): void {
    this.#held.add(held);
  }

  delete(held: Held): void {
    this.#held.delete(held);
  }

  [Symbol.iterator](): IterableIterator<Held> {
    return this.#held.values();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
