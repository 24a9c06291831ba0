// SHA-256 and a comparison in constant time, synchronous, as workerd has them for Node's programs.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Digest } from '../control/ports/digest.ts';

const bare = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);

export const digest: Digest = {
  sha256: data => bare(createHash('sha256').update(data).digest()),
  hasher: () => {
    const made = createHash('sha256');
    return { add: text => void made.update(text), digest: () => bare(made.digest()) };
  },
  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
};
