// The kernel of a world: its store, its log and what makes things happen, made in order: each part of those above it, and of
// the host's ports.
import type { Alarms } from '../ports/alarms.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { WallClock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { Durability, DurableSql } from '../ports/durability.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Log } from '../ports/log.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { Processor } from '../ports/processor.ts';
import type { Reach } from '../ports/reach.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Sealer } from '../ports/sealer.ts';
import { DueQueue } from './log/due.ts';
import { EntryLog } from './log/entry-log.ts';
import type { HistorySource } from './log/history-source.ts';
import { Newsroom } from './log/news.ts';
import type { AskOrigin } from './origin/asking.ts';
import { History } from './past/history.ts';
import { RequestCounts } from './requests/counts.ts';
import { Exchanges } from './requests/exchanges.ts';
import { Journal } from './requests/journal.ts';
import { TwinRequests } from './requests/twin-requests.ts';
import type { Root } from './roots/root.ts';
import type { VendorAsks } from './roots/vendor-asks.ts';
import { BlobStore } from './store/blob-store.ts';
import { BranchBase } from './store/branch-base.ts';
import { describeFault } from './store/fault.ts';
import type { WholeText } from './store/records.ts';
import { Threshold } from './store/threshold.ts';
import type { TwinInWorld } from './twins/twin-in-world.ts';
import { Acts } from './work/acts.ts';
import { Arrival } from './work/arrival.ts';
import { CatchUp } from './work/catch-up.ts';
import { Deliveries } from './work/deliveries.ts';
import { Hydration, type HydrationPace } from './work/hydration.ts';
import { Ledger } from './work/ledger.ts';
import { type Seat, seatTwin } from './work/seat.ts';
import { SharedAlarm } from './work/shared-alarm.ts';
import { WorldClock } from './work/world-clock.ts';

export type WorldOptions = {
  /** `<org>/<world>`. */
  readonly name: string;
  /** The world's own store; one world at a time writes to it. The caller closes it after the world. */
  readonly sql: DurableSql;
  /** Of that store. */
  readonly durability: Durability;
  /** The world's own, like its store. */
  readonly blobs: Blobs;
  readonly digest: Digest;
  /** The world that this one branched off, where its store says that it is a branch. */
  readonly parent?: HistorySource;
  /** How fast its state is copied. */
  readonly hydration?: HydrationPace;
  /** Absent: nobody else is answered where the world is. */
  readonly processor?: Processor;
  readonly wall: WallClock;
  /** The world's own. */
  readonly alarms: Alarms;
  readonly entropy: Entropy;
  readonly outbound: Outbound;
  /** Absent: nothing can be sealed, and nothing that was opens. */
  readonly sealer?: Sealer;
  /** Absent: the host lets the world ask no real vendor. */
  readonly reach?: Reach;
  readonly processLog: Log;
  readonly twins: readonly TwinInWorld[];
  /** In the place of the world's own: how real vendors are asked, what the root of a twin is, how a deploy waits. */
  readonly vendors?: {
    readonly asks?: VendorAsks;
    readonly root?: (twin: string) => Root | null;
    readonly pause?: (ms: number) => Promise<void>;
  };
  /** By vendor, as a request has them: the roots of twins whose store has none. */
  readonly roots?: ReadonlyMap<string, unknown>;
  /** How the origin is asked: over `outbound`, unless it is said otherwise. */
  readonly askOrigin?: AskOrigin;
  /** Runs the checks; none where it is missing. */
  readonly sandbox?: Sandbox;
};

export type WorldKernel = Awaited<ReturnType<typeof kernelOf>>;

const hostOf = ({ durability, processor }: WorldOptions) =>
  processor === undefined ? { durability } : { durability, processor };

/** The store is at the newest schema. */
export const kernelOf = async (options: WorldOptions) => {
  const { sql, durability, wall, entropy, outbound, parent, processLog } = options;
  const ending = new AbortController();
  const lifetime = ending.signal;
  const alarm = new SharedAlarm(options.alarms);
  const { vendors, blobs, base, threshold, seats, arrivals } = await storeOf(options);
  // Log
  const news = new Newsroom(threshold);
  const whole = wholeTexts(seats);
  const log = new EntryLog(sql, blobs, base, whole);
  const due = new DueQueue(sql, vendors);
  const counts = new RequestCounts(sql);
  const exchanges = new Exchanges();
  const requests = new Journal({ sql, durability, wall, alarms: alarm.share(), processLog, news, counts });
  // Work
  const clock = new WorldClock({ sql, wall, log, due, news });
  const arriving = { sql, blobs, base, seats, arrivals, due, threshold, lifetime };
  const hydration = hydrationOf(options, arriving);
  const attempts = { blobs, wall, clock, log, outbound, seats, processLog };
  const deliveries = new Deliveries({
    ...attempts,
    sql,
    entropy,
    due,
    news,
    threshold,
    alarms: alarm.share(),
  });
  const asked = askedOf(seats, { sql, journal: requests, exchanges });
  const ledger = new Ledger({ sql, blobs, wall, entropy, log, due, deliveries, news, asked });
  const alarms = alarm.share();
  const progress = { ...hostOf(options), ledger, deliveries, hydration, lifetime, processLog };
  const catchUp = new CatchUp({ ...progress, sql, wall, alarms, clock, log, due, base, seats, news });
  const acts = new Acts({ clock, catchUp, ledger, durability, threshold, processLog, lifetime });
  // Past
  const hydrated = async (twin: string): Promise<void> => hydration?.twin(twin);
  const history = new History({ sql, blobs, log, base, parent: parent ?? null, whole: hydrated, seats });
  const forget = (): void => {
    log.forget();
    due.forget();
    clock.forget();
    deliveries.forget();
    counts.forget();
    hydration?.forget();
    for (const { records } of seats.values()) records.forget();
  };
  return {
    ...{
      vendors,
      ending,
      alarm,
      wall,
      sql,
      processLog,
      blobs,
      base,
      threshold,
      seats,
      news,
      whole,
    },
    ...{
      log,
      requests,
      exchanges,
      counts,
      clock,
      hydration,
      deliveries,
      ledger,
      catchUp,
      acts,
      history,
      forget,
    },
  };
};

/** What lies in the store, and each twin at its place in it. */
const storeOf = async (options: WorldOptions) => {
  const { sql, durability, parent, processLog } = options;
  const vendors = options.twins.map(({ id }) => id).sort();
  const blobs = new BlobStore({
    sql,
    blobs: options.blobs,
    digest: options.digest,
    inherited: sha256 => parent?.blob(sha256),
  });
  await sweep(blobs, processLog);
  const base = new BranchBase(sql);
  const threshold = new Threshold(durability, blobs);
  const seats = new Map<string, Seat>();
  const arrivals = parent === undefined ? new Map<string, Arrival>() : arrivalsOf(base, blobs);
  const inherited = parent?.version.bind(parent);
  for (const twin of options.twins)
    seats.set(twin.id, await seatTwin({ sql, blobs, base, inherited, arrival: arrivals.get(twin.id) }, twin));
  return { vendors, blobs, base, threshold, seats, arrivals };
};

/** By twin, what its screens read of the journal. */
const askedOf = (
  seats: ReadonlyMap<string, Seat>,
  parts: Omit<ConstructorParameters<typeof TwinRequests>[0], 'twin' | 'keeps'>,
): ReadonlyMap<string, TwinRequests> =>
  new Map(
    [...seats].map(([id, { twin }]) => [id, new TwinRequests({ ...parts, twin: id, keeps: twin.keeps })]),
  );

/** Null for a world that is no branch. */
const hydrationOf = (
  { parent, hydration: pace }: WorldOptions,
  parts: Omit<ConstructorParameters<typeof Hydration>[0], 'parent' | 'pace'>,
): Hydration | null =>
  parent === undefined || parts.base.origin === null ? null : new Hydration({ ...parts, parent, pace });

/** Of the twins whose state is not all here. */
const arrivalsOf = (base: BranchBase, blobs: BlobStore): ReadonlyMap<string, Arrival> => {
  const left = base.twins.filter(twin => !base.isCopied(twin));
  return new Map(left.map(twin => [twin, new Arrival({ blobs, isCopied: () => base.isCopied(twin) })]));
};
/** A twin that is not in the world any more is told of as its rows have it. */
const wholeTexts =
  (seats: ReadonlyMap<string, Seat>): WholeText =>
  (twin, type, text) =>
    seats.get(twin)?.records.whole(type, text) ?? text;

/** Bytes without a name are only in the way: a world whose host cannot list them opens all the same. */
const sweep = async (blobs: BlobStore, processLog: Log): Promise<void> => {
  const sweeping = blobs.sweep();
  if (sweeping === undefined) return;
  await sweeping.catch(error =>
    processLog.error({ fault: describeFault(error) }, 'what no entry names could not be removed'),
  );
};
