// The machine's random source. Ids are short and frequent, so bytes are drawn from the kernel a pool at a
// time; each byte is handed out once.
import { randomFillSync } from 'node:crypto';
import type { Entropy } from '../ports/entropy.ts';

const POOL_BYTES = 4096;

export const openEntropy = (): Entropy => {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes: length => {
      if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
      if (used + length > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = pool.slice(used, used + length);
      pool.fill(0, used, used + length);
      used += length;
      return bytes;
    },
  };
};
