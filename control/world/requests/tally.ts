// What is counted of requests that belong together: how many, how they ended, and how long they took. Times are counted
// in steps that grow with them, sixteen to each doubling, so percentiles are within 3 % of the time that was measured.
// Below 32 µs they are exact.

/** Milliseconds, with three decimals; by nearest rank. */
export type Percentiles = { readonly p50: number; readonly p95: number };

/** 2xx, 3xx, 4xx, 5xx. */
type Classes = [number, number, number, number];

const EXACT_US = 32;
/** Over half an hour. */
const LONGEST_US = 2 ** 31 - 1;
/** Steps of one doubling are this many powers of two fewer than the time itself. */
const STEP_BITS = 4;
const STEPS = 2 ** STEP_BITS;

export class Tally {
  requests = 0;
  /** Of status 400 and above, or cut. */
  errors = 0;
  unmatched = 0;
  readonly classes: Classes = [0, 0, 0, 0];
  readonly #steps = new Map<number, number>();

  /** `status` 0: the connection was cut instead, which counts with 5xx. */
  count(status: number, us: number, unmatched: boolean): void {
    this.requests += 1;
    if (status >= 400 || status === 0) this.errors += 1;
    if (unmatched) this.unmatched += 1;
    this.classes[classOf(status)] += 1;
    this.#add(stepOf(us), 1);
  }

  merge(other: Tally): void {
    this.requests += other.requests;
    this.errors += other.errors;
    this.unmatched += other.unmatched;
    for (const [nth, n] of other.classes.entries()) this.classes[nth]! += n;
    for (const [step, n] of other.#steps) this.#add(step, n);
  }

  /** Adds what `numbers` were of another one. */
  add(numbers: readonly number[]): void {
    const [errors = 0, unmatched = 0] = numbers;
    this.errors += errors;
    this.unmatched += unmatched;
    for (let nth = 0; nth < 4; nth++) this.classes[nth]! += numbers[nth + 2]!;
    for (let nth = 6; nth < numbers.length; nth += 2) {
      const n = numbers[nth + 1]!;
      this.requests += n;
      this.#add(numbers[nth]!, n);
    }
  }

  /** All of it, as it is kept: errors, unmatched, the four classes, then each step and how many it has. */
  get numbers(): readonly number[] {
    return [this.errors, this.unmatched, ...this.classes, ...[...this.#steps].flat()];
  }

  percentiles(): Percentiles {
    const steps = [...this.#steps].sort(([a], [b]) => a - b);
    return { p50: this.#at(0.5, steps), p95: this.#at(0.95, steps) };
  }

  #at(share: number, steps: readonly (readonly [step: number, n: number])[]): number {
    let rank = Math.ceil(this.requests * share);
    for (const [step, n] of steps) {
      rank -= n;
      if (rank <= 0) return timeOf(step) / 1000;
    }
    return 0;
  }

  #add(step: number, n: number): void {
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + n);
  }
}

const classOf = (status: number): 0 | 1 | 2 | 3 => {
  if (status >= 200 && status < 300) return 0;
  if (status >= 300 && status < 400) return 1;
  return status >= 400 && status < 500 ? 2 : 3;
};

const stepOf = (us: number): number => {
  if (us < EXACT_US) return us;
  const whole = Math.min(us, LONGEST_US);
  const shift = 31 - Math.clz32(whole) - STEP_BITS;
  return shift * STEPS + (whole >>> shift);
};

/** The middle of a step, whole microseconds. */
const timeOf = (step: number): number => {
  if (step < EXACT_US) return step;
  const shift = Math.floor(step / STEPS) - 1;
  return Math.round((STEPS + (step % STEPS) + 0.5) * 2 ** shift);
};
