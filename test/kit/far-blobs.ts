// A world's large bytes on another machine, which a test holds in its hand: what it is asked waits for `let`.
import type { Blobs } from '../../control/ports/blobs.ts';

export type FarBlobs = {
  readonly blobs: Blobs;
  readonly kept: Map<string, Uint8Array>;
  /** What was asked so far: `put` and `get`. */
  readonly asked: readonly string[];
  /** While true, whatever is asked waits; when it ends, it happens. */
  hold(held: boolean): void;
  /** While true, whatever is asked fails. */
  fail(failing: boolean): void;
};

export function farBlobs(kept = new Map<string, Uint8Array>()): FarBlobs {
  const asked: string[] = [];
  let failing = false;
  let gate = Promise.resolve();
  let release = (): void => {};
  const later = async <T>(work: () => T): Promise<T> => {
    await gate;
    if (failing) throw new Error('the other machine is gone');
    return work();
  };
  return {
    kept,
    asked,
    blobs: {
      put: (sha256, bytes) => {
        asked.push('put');
        return later(() => void kept.set(sha256, bytes.slice()));
      },
      get: sha256 => {
        asked.push('get');
        return later(() => kept.get(sha256));
      },
      has: sha256 => later(() => kept.has(sha256)),
      remove: sha256 => later(() => void kept.delete(sha256)),
      list: () => later(() => [...kept.keys()]),
    },
    hold: held => {
      release();
      if (!held) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      release = resolve;
    },
    fail: now => {
      failing = now;
    },
  };
}
