// A world's large bytes in memory, for worlds whose store is in memory too.
import type { Blobs } from '../../control/ports/blobs.ts';

export const memoryBlobs = (): Blobs => {
  const kept = new Map<string, Uint8Array>();
  return {
    put: (sha256, bytes) => void kept.set(sha256, bytes.slice()),
    get: sha256 => kept.get(sha256),
    has: sha256 => kept.has(sha256),
    remove: sha256 => void kept.delete(sha256),
    list: () => [...kept.keys()],
  };
};
