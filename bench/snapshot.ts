// The policy documents that benches push and compile.
import type { SnapshotDocument } from '../policy/snapshot.ts';

/** Grants reads of these origins, paths or subtrees, and pins these names to loopback. */
export function benchSnapshot(options: {
  readonly version: number;
  readonly egress: readonly string[];
  readonly writes?: readonly string[];
  readonly pinned: readonly string[];
}): SnapshotDocument {
  const { version, egress, writes = [], pinned } = options;
  return {
    epoch: 'bench',
    version,
    world: 'bench/bench',
    docsUrl: 'http://127.0.0.1/docs',
    sandbox: false,
    phase: null,
    network: { egress, writes, passthrough: [], ownLoopback: true },
    parents: [],
    routes: [],
    endpoints: [],
    services: [],
    app: null,
    extraHosts: Object.fromEntries(pinned.map(host => [host, '127.0.0.1'])),
    runs: [],
    anonymousRuns: true,
  };
}

/** `count` grants on a tenth as many origins: whole origins, exact paths and subtrees mixed. */
export function manyGrants(count: number): string[] {
  return Array.from({ length: count }, (_, nth) => {
    const origin = `https://api${Math.floor(nth / 10)}.vendor.test`;
    if (nth % 10 === 0 && nth % 20 === 0) return origin;
    return nth % 2 === 0 ? `${origin}/v1/things/${nth}` : `${origin}/v1/trees/${nth}/`;
  });
}
