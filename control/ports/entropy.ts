/** Cryptographically strong random bytes. */
export type Entropy = { bytes(length: number): Uint8Array };
