// The request budget of a world (8): so many requests a second, and a reserve for bursts that fills up while the
// world is asked less. It bounds what one client that runs wild takes from the worlds beside this one; a world on
// the developer's own machine has none. What counts is what a credential let in, at the vendors' paths and at the
// world's own: the open pages ask nothing of the store, and who is not let in spends nothing of those who are.

export type BudgetLimits = {
  /** Sustained, above 0. */
  readonly requestsPerSecond: number;
  /** At least 1. */
  readonly burst: number;
};

export class RequestBudget {
  readonly #limits: BudgetLimits;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** `now`: milliseconds that never go back. */
  constructor(limits: BudgetLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#left = limits.burst;
    this.#at = now();
  }

  /** 0: granted, and spent. Otherwise whole seconds, 1 or more, after which one request will be. */
  take(): number {
    const { requestsPerSecond, burst } = this.#limits;
    const now = this.#now();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * requestsPerSecond);
    this.#at = now;
    if (this.#left < 1) return Math.max(1, Math.ceil((1 - this.#left) / requestsPerSecond));
    this.#left -= 1;
    return 0;
  }
}
