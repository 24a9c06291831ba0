// The real vendors behind a world, put together: where they are, what is shown to them, and how they are asked.
import type { Alarms } from '../../ports/alarms.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Log } from '../../ports/log.ts';
import type { Outbound } from '../../ports/outbound.ts';
import type { Reach, ReachedVendor } from '../../ports/reach.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Journal } from '../requests/journal.ts';
import type { Seals } from '../seals/seals.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Acts } from '../work/acts.ts';
import type { Seat } from '../work/seat.ts';
import { Credentials } from './credentials.ts';
import { Forwarder } from './forward.ts';
import { Ingest } from './ingest.ts';
import { Links } from './links.ts';
import type { Roots } from './roots.ts';
import { VendorAsking } from './vendor-asking.ts';
import type { VendorAsks } from './vendor-asks.ts';
import { openPlaces, type VendorPlaces } from './vendor-places.ts';

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly sql: DurableSql;
  readonly blobs: BlobStore;
  readonly roots: Roots;
  readonly seals: Seals;
  readonly vendors: readonly string[];
  readonly seats: ReadonlyMap<string, Seat>;
  readonly log: EntryLog;
  readonly acts: Acts;
  readonly requests: Journal;
  readonly outbound: Outbound;
  readonly wall: WallClock;
  readonly reach?: Reach;
  readonly recorded: () => readonly ReachedVendor[];
  readonly alarms: Alarms;
  readonly processLog: Log;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

export type Vendors = {
  readonly places: VendorPlaces;
  readonly links: Links;
  readonly credentials: Credentials;
  readonly asks: VendorAsks;
  readonly ingest: Ingest;
  readonly forwarder: Forwarder;
  /** What was known by heart, of the roots too, may not be so any more: the host is told of what is. */
  readonly forget: () => void;
};

/** The host is not told yet of where its vendors are (`places.tell`). */
export const openVendors = (parts: Parts): Vendors => {
  const { world, sql, roots, seals, vendors, seats, outbound, wall, reach = NO_REACH } = parts;
  const links = new Links({ sql, vendors });
  const places = openPlaces({ ...parts, links, reach });
  const credentials = new Credentials(seals, places);
  const real = (twin: string) => seats.get(twin)?.twin.real;
  const asks = new VendorAsking({ world, roots, credentials, outbound, real });
  const ingest = new Ingest({ ...parts, credentials });
  const forwarder = new Forwarder({ world, links, credentials, outbound, wall, requests: parts.requests });
  const forget = (): void => {
    links.forget();
    places.tellAnew();
  };
  return { places, links, credentials, asks, ingest, forwarder, forget };
};

const NO_REACH: Reach = { ownMachine: false, set: async () => {} };
