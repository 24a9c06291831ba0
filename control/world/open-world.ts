// A world at work: takes calls to its twins, moves its clock, answers from its log. Everything it stands on
// comes in as a port, so the same code runs on Node and on the edge.
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Alarms } from '../ports/alarms.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { WallClock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { Durability, DurableSql } from '../ports/durability.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Log } from '../ports/log.ts';
import type { Outbound } from '../ports/outbound.ts';
import { DueQueue } from './log/due.ts';
import type { EntryPage } from './log/entry.ts';
import { EntryLog } from './log/entry-log.ts';
import type { HistorySource } from './log/history-source.ts';
import { Newsroom } from './log/news.ts';
import { readTimeline, type TimelineQuery, type TimelineResult } from './log/timeline.ts';
import { History } from './past/history.ts';
import { Past } from './past/past.ts';
import { Journal } from './requests/journal.ts';
import { type RequestReport, reportRequests } from './requests/report.ts';
import { BlobStore } from './store/blob-store.ts';
import { BranchBase } from './store/branch-base.ts';
import { describeFault } from './store/fault.ts';
import { migrate } from './store/schema.ts';
import { Threshold } from './store/threshold.ts';
import { type MapEntry, type TwinInWorld, type TwinStatus, twinStatus } from './twins/status.ts';
import { Acts } from './work/acts.ts';
import { CatchUp } from './work/catch-up.ts';
import { Deliveries } from './work/deliveries.ts';
import { Hydration } from './work/hydration.ts';
import { Ledger } from './work/ledger.ts';
import { type OpenSocket, openSocket } from './work/open-socket.ts';
import { type Seat, seatTwin } from './work/seat.ts';
import { SharedAlarm } from './work/shared-alarm.ts';
import { type ClockReading, type ClockResult, WorldClock } from './work/world-clock.ts';
import type { World } from './world.ts';

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
  readonly wall: WallClock;
  /** The world's own. */
  readonly alarms: Alarms;
  readonly entropy: Entropy;
  readonly outbound: Outbound;
  readonly log: Log;
  readonly twins: readonly TwinInWorld[];
};

/** Throws `StoreError` for a store of a newer schema. */
export const openWorld = async (options: WorldOptions): Promise<World> => {
  migrate(options.sql);
  const parts = await partsOf(options);
  parts.deliveries.resume();
  parts.catchUp.arm();
  // A branch that keeps the wall's time has events to wake for before anybody asks it anything.
  if (parts.hydration !== null && !parts.clock.frozen) void arriveByItself(parts);
  return new RunningWorld(options.name, parts);
};

type Parts = Awaited<ReturnType<typeof partsOf>>;

/** Each is made of those above it, and knows none below. */
const partsOf = async (options: WorldOptions) => {
  const { name, sql, durability, wall, entropy, outbound, parent, log: processLog } = options;
  const vendors = options.twins.map(({ id }) => id).sort();
  const ending = new AbortController();
  const lifetime = ending.signal;
  const alarm = new SharedAlarm(options.alarms);
  const { digest } = options;
  // Store
  const blobs = new BlobStore({
    sql,
    blobs: options.blobs,
    digest,
    inherited: sha256 => parent?.blob(sha256),
  });
  await sweep(blobs, processLog);
  const base = new BranchBase(sql);
  const threshold = new Threshold(durability, blobs);
  const seats = new Map<string, Seat>();
  for (const twin of options.twins) seats.set(twin.id, await seatTwin({ sql, blobs, base }, twin));
  // Log
  const news = new Newsroom(threshold);
  const log = new EntryLog(sql, blobs, base);
  const due = new DueQueue(sql, vendors);
  const requests = new Journal({ sql, wall, alarms: alarm.share(), processLog, news });
  // Work
  const clock = new WorldClock({ sql, wall, log, due, news });
  const hydration =
    parent === undefined || base.origin === null
      ? null
      : new Hydration({ sql, blobs, base, parent, seats, due, threshold, lifetime });
  const attempts = { blobs, wall, clock, log, outbound, seats, processLog };
  const deliveries = new Deliveries({ ...attempts, sql, entropy, due, news, threshold });
  const ledger = new Ledger({ sql, blobs, wall, entropy, log, due, deliveries, news });
  const alarms = alarm.share();
  const progress = { ledger, deliveries, hydration, lifetime, processLog };
  const catchUp = new CatchUp({ ...progress, sql, wall, alarms, clock, log, due, base, seats });
  const acts = new Acts({ clock, catchUp, ledger, processLog, lifetime });
  // Past
  const history = new History({ sql, blobs, log, base, parent: parent ?? null });
  const past = new Past({ world: name, vendors, sql, blobs, log, base, clock, history, catchUp, threshold });
  threshold.onLost(() => {
    log.forget();
    due.forget();
    clock.forget();
    for (const { records } of seats.values()) records.forget();
  });
  return {
    ...{ vendors, ending, wall, sql, processLog, blobs, threshold, seats, news, log, requests, clock },
    ...{ hydration, deliveries, catchUp, acts, history, past },
  };
};

/** Bytes without a name are only in the way: a world whose host cannot list them opens all the same. */
const sweep = async (blobs: BlobStore, processLog: Log): Promise<void> => {
  const sweeping = blobs.sweep();
  if (sweeping === undefined) return;
  await sweeping.catch(error =>
    processLog.error({ fault: describeFault(error) }, 'what no entry names could not be removed'),
  );
};

const arriveByItself = async ({ hydration, catchUp, processLog }: Parts): Promise<void> => {
  try {
    await hydration?.due();
    catchUp.arm();
  } catch (error) {
    processLog.error({ fault: describeFault(error) }, 'the branch could not read its parent');
  }
};

class RunningWorld implements World {
  readonly name: string;
  readonly #parts: Parts;

  constructor(name: string, parts: Parts) {
    this.name = name;
    this.#parts = parts;
  }

  get vendors(): readonly string[] {
    return this.#parts.vendors;
  }

  get news(): Newsroom {
    return this.#parts.news;
  }

  get past(): Past {
    return this.#parts.past;
  }

  manifest(vendor: string): Manifest | undefined {
    return this.#parts.seats.get(vendor)?.twin.manifest;
  }

  async call(vendor: string, call: Call): Promise<Reply> {
    const { seats, wall, hydration, acts, threshold, requests } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    const { mounted } = seat;
    const at = wall.now();
    const from = performance.now();
    if (hydration?.complete === false) await this.#hydrate(vendor);
    let unmatched = false;
    const running = acts.run(seat, call, (seen, tx) => {
      const missed = mounted.misses?.();
      const reply = mounted.respond(seen, tx);
      unmatched = mounted.misses?.() !== missed;
      return reply;
    });
    const answer = running instanceof Promise ? await running : running;
    const waiting = threshold.waiting();
    const reply =
      waiting === null
        ? answer
        : await waiting.then(
            () => answer,
            error => acts.lossReply(seat, error),
          );
    requests.add({
      at,
      name: vendor,
      method: call.method,
      path: call.path,
      route: reply.route,
      status: reply.fault === undefined ? reply.status : 0,
      ms: performance.now() - from,
      unmatched,
      caller: call.caller,
      trace: call.trace.traceId,
      span: call.trace.spanId,
    });
    return reply;
  }

  async openSocket(vendor: string, call: Call): Promise<OpenSocket | Reply> {
    const { seats, hydration, acts, threshold } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    if (hydration?.complete === false) await this.#hydrate(vendor);
    return openSocket({ seat, call, acts, threshold });
  }

  /** What the call will touch is here when it resolves; those whose events come before it follow with them. */
  async #hydrate(vendor: string): Promise<void> {
    const { ending, hydration } = this.#parts;
    if (ending.signal.aborted) return;
    await hydration!.due();
    await hydration!.twin(vendor);
  }

  clock(): Promise<ClockReading> {
    const { clock, threshold } = this.#parts;
    return threshold.pass(clock.reading());
  }

  setClock(at: string): Promise<ClockResult> {
    return this.#arrive(this.#parts.clock.set(at));
  }

  advanceClock(by: string): Promise<ClockResult> {
    return this.#arrive(this.#parts.clock.advance(by));
  }

  async #arrive(result: ClockResult): Promise<ClockResult> {
    const { catchUp, threshold } = this.#parts;
    if (result.ok) await catchUp.all();
    return threshold.pass(result);
  }

  async log(twin: string, after: number): Promise<EntryPage | null> {
    const { seats, history, threshold } = this.#parts;
    return seats.has(twin) ? threshold.pass(history.page(twin, after)) : null;
  }

  async timeline(query: TimelineQuery): Promise<TimelineResult> {
    const { history, threshold } = this.#parts;
    return threshold.pass(readTimeline(asked => history.newest(asked), query));
  }

  map(): Promise<readonly MapEntry[]> {
    const { vendors, log, seats, history, threshold } = this.#parts;
    const entries = vendors.map(
      async (twin): Promise<MapEntry> => ({
        twin,
        position: log.tip(twin),
        screens: seats.get(twin)!.twin.manifest.screens,
        root: null,
        resources: await history.resources(twin),
      }),
    );
    return threshold.pass(Promise.all(entries));
  }

  async twinStatus(vendor: string): Promise<TwinStatus | null> {
    const { seats, log, threshold } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return null;
    const { id, package: origin, twin } = seat;
    return threshold.pass(twinStatus({ id, manifest: twin.manifest, package: origin }, log.tip(id)));
  }

  requests(hours: number): Promise<RequestReport> {
    const { sql, wall, requests, threshold } = this.#parts;
    requests.flush();
    const { failures } = requests;
    return threshold.pass(reportRequests(sql, { to: wall.now(), hours, failures }));
  }

  async settled(): Promise<void> {
    const { threshold, deliveries } = this.#parts;
    await threshold.waiting();
    await deliveries.settled();
    // What came of them is told when it lasts.
    await threshold.waiting();
  }

  async close(): Promise<void> {
    const { ending, news, hydration, threshold, deliveries, requests, blobs } = this.#parts;
    ending.abort();
    news.close();
    await hydration?.close();
    // Those who wait for it have been told if it is lost.
    await threshold.waiting()?.catch(() => {});
    deliveries.close();
    requests.close();
    blobs.close();
  }
}

const NO_SUCH_TWIN: Reply = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ error: { code: 'no-such-twin', message: 'The world has no such twin.' } }),
};
