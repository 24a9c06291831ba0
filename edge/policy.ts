// The policy of a world on the edge: it grants nothing, and lets the world ask where its roots, links and origin are.

import { type NamedTwin, routesOf, streamsOf } from '../control/http/twin-routes.ts';
import type { Log } from '../control/ports/log.ts';
import type { Reach } from '../control/ports/reach.ts';
import { compileSnapshot, type Snapshot, type SnapshotDocument } from '../policy/snapshot.ts';

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly docsUrl: string;
  readonly twins: readonly NamedTwin[];
  readonly log: Log;
};

export class WorldPolicy {
  readonly #parts: Parts;
  #snapshot: Snapshot;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#snapshot = snapshotOf(this.#document([]));
  }

  /** For what the world asks of its origin: who names one by the world's token lets it out there, and nowhere else. */
  granting(origin: string): Snapshot {
    const network = { egress: [origin], writes: [origin], passthrough: [], ownLoopback: false };
    return snapshotOf({ ...this.#document([]), network });
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  get reach(): Reach {
    const { world, log } = this.#parts;
    return {
      // Whoever has a world here may not look around in what the worker reaches by a root of its.
      ownMachine: false,
      set: async vendors => {
        const places = vendors.map(vendor => ({ ...vendor, world }));
        const compiled = compileSnapshot(this.#document(places));
        // What was in force before stays.
        if (compiled.ok) this.#snapshot = compiled.snapshot;
        else log.error({ world }, `where the real vendors are could not be put in force: ${compiled.why}`);
      },
    };
  }

  #document(vendors: NonNullable<SnapshotDocument['vendors']>): SnapshotDocument {
    const { world, docsUrl, twins } = this.#parts;
    return {
      epoch: '',
      version: 0,
      world,
      docsUrl,
      sandbox: false,
      phase: null,
      network: { egress: [], writes: [], passthrough: [], ownLoopback: false },
      parents: [],
      routes: twins.flatMap(routesOf),
      streams: streamsOf(twins),
      endpoints: [],
      services: [],
      app: null,
      extraHosts: {},
      runs: [],
      anonymousRuns: false,
      ...(vendors.length > 0 && { vendors }),
    };
  }
}

function snapshotOf(document: SnapshotDocument): Snapshot {
  const compiled = compileSnapshot(document);
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.snapshot;
}
