// SHA-256 and a comparison in constant time, from node:crypto.
import { createHash, hash, timingSafeEqual } from 'node:crypto';
import type { Digest } from '../ports/digest.ts';

export const digest: Digest = {
  sha256: data => hash('sha256', data, 'buffer'),
  hasher: () => {
    const made = createHash('sha256');
    return { add: text => void made.update(text), digest: () => made.digest() };
  },
  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
};
