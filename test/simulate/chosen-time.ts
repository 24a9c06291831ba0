// What makes two runs of one schedule differ although every port is in hand: the engine's own stopwatch, which ends a
// turn's work early, WebCrypto, which signs on other threads, and the millisecond that a timer of none takes. All three are
// taken over for the whole process.
import { createHmac } from 'node:crypto';
import { chanceOf } from '../kit/chance.ts';

/** Of a turn, whose work ends after 25: every so often one ends early. */
const TICK_MS_MAX = 6;

let chance = chanceOf(0);
let stopwatch = 0;

/** From here on the stopwatch shows what this seed says. */
export const startStopwatch = (seed: number): void => {
  chance = chanceOf(seed);
  stopwatch = 0;
};

type Hash = { readonly hash: 'SHA-1' | 'SHA-256' };

export const takeOver = (): void => {
  performance.now = () => {
    stopwatch += chance.next() < 0.1 ? chance.below(TICK_MS_MAX) * 5 : 0;
    return stopwatch;
  };
  const { setTimeout } = globalThis;
  const timer = (work: () => void, ms?: number): unknown =>
    ms === 0 ? setImmediate(work) : setTimeout(work, ms);
  globalThis.setTimeout = timer as typeof setTimeout;
  const keys = new WeakMap<object, { readonly raw: Uint8Array; readonly hash: string }>();
  const subtle = {
    importKey: async (_format: 'raw', raw: Uint8Array, { hash }: Hash) => {
      const key = {};
      keys.set(key, { raw, hash: hash.replace('-', '').toLowerCase() });
      return key;
    },
    sign: async (_name: 'HMAC', key: object, data: Uint8Array) => {
      const { raw, hash } = keys.get(key)!;
      return new Uint8Array(createHmac(hash, raw).update(data).digest()).buffer;
    },
  };
  Object.defineProperty(crypto, 'subtle', { value: subtle });
};
