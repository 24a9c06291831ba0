import type { Entropy } from '../control/ports/entropy.ts';

export const entropy: Entropy = { bytes: length => crypto.getRandomValues(new Uint8Array(length)) };
