// So many a second, and a reserve for bursts. Filled by the time that has passed when it is asked.

export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /** `now`: monotonic milliseconds, as in `take`. */
  constructor(options: { readonly perSecond: number; readonly burst: number; readonly now: number }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#at = options.now;
  }

  /** False when there is none left. */
  take(now: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1_000);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
