// The same choices for the same seed (mulberry32): a failure prints its seed, and the seed brings it back as far as the
// machine allows.

export type Chance = {
  /** From 0 up to and without 1. */
  next(): number;
  /** A whole number from 0 up to and without `below`. */
  below(below: number): number;
  one<T>(of: readonly T[]): T;
};

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, one: of => of[below(of.length)]! };
}
