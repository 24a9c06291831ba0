// A world at work: takes calls to its twins, moves its clock, answers from its log. Everything it stands on
// comes in as a port, so the same code runs on Node and on the edge.
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { MountedTwin } from '../../twins/kit/twin.ts';
import type { Instant } from '../../twins/kit/tx.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { WallClock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Log } from '../ports/log.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { Sql } from '../ports/sql.ts';
import { DueQueue } from './log/due.ts';
import { EntryLog } from './log/entry-log.ts';
import type { HistorySource } from './log/history-source.ts';
import { Newsroom } from './log/news.ts';
import { readTimeline } from './log/timeline.ts';
import { History } from './past/history.ts';
import { Past } from './past/past.ts';
import { Journal } from './requests/journal.ts';
import { type RequestReport, reportRequests } from './requests/report.ts';
import { BlobStore } from './store/blob-store.ts';
import { BranchBase } from './store/branch-base.ts';
import { Memos } from './store/memos.ts';
import { compileRecordTypes } from './store/record-types.ts';
import { Records } from './store/records.ts';
import { migrate } from './store/schema.ts';
import { Acts } from './work/acts.ts';
import { CatchUp } from './work/catch-up.ts';
import { Deliveries } from './work/deliveries.ts';
import { describeFault } from './work/fault.ts';
import { Hydration } from './work/hydration.ts';
import { Ledger, type Seat } from './work/ledger.ts';
import { type OpenSocket, openSocket } from './work/open-socket.ts';
import { WorldClock } from './work/world-clock.ts';
import type {
  ClockReading,
  ClockResult,
  EntryPage,
  MapEntry,
  TimelineQuery,
  TimelineResult,
  TwinStatus,
  World,
} from './world.ts';

export type TwinInWorld = {
  /** The vendor id. */
  readonly id: string;
  readonly twin: MountedTwin;
  /** Where the twin came from at boot (2.7 `identity`); null when the host has no package for it. */
  readonly package: { readonly name: string; readonly version: string | null } | null;
};

export type WorldOptions = {
  /** `<org>/<world>`. */
  readonly name: string;
  /** The world's own store; one world at a time writes to it. The caller closes it after the world. */
  readonly sql: Sql;
  /** The world's own, like its store. */
  readonly blobs: Blobs;
  readonly digest: Digest;
  /** The world that this one branched off, where its store says that it is a branch. */
  readonly parent?: HistorySource;
  readonly wall: WallClock;
  readonly entropy: Entropy;
  readonly outbound: Outbound;
  readonly log: Log;
  readonly twins: readonly TwinInWorld[];
};

/** Throws `StoreError` for a store of a newer schema. */
export const openWorld = async (options: WorldOptions): Promise<World> => {
  migrate(options.sql);
  const world = new RunningWorld(options);
  world.start();
  return world;
};

type SeatInWorld = Seat & Omit<TwinInWorld, 'twin'> & { readonly mounted: MountedTwin };

class RunningWorld implements World {
  readonly name: string;
  readonly vendors: readonly string[];
  readonly news: Newsroom = new Newsroom();
  readonly #sql: Sql;
  readonly #blobs: BlobStore;
  readonly #journal: Log;
  readonly #requests: Journal;
  readonly #wall: WallClock;
  readonly #seats: ReadonlyMap<string, SeatInWorld>;
  readonly #log: EntryLog;
  readonly #clock: WorldClock;
  readonly #deliveries: Deliveries;
  readonly #ledger: Ledger;
  readonly #catchUp: CatchUp;
  readonly #acts: Acts;
  readonly #history: History;
  readonly past: Past;
  /** Null for a world that is no branch. */
  readonly #hydration: Hydration | null;
  #closed = false;

  constructor({ name, sql, wall, entropy, outbound, log: journal, twins, ...options }: WorldOptions) {
    this.name = name;
    this.vendors = twins.map(({ id }) => id).sort();
    this.#sql = sql;
    this.#journal = journal;
    this.#wall = wall;
    const { parent } = options;
    const blobs = new BlobStore({ sql, ...options, inherited: sha256 => parent?.blob(sha256) });
    this.#blobs = blobs;
    const base = new BranchBase(sql);
    this.#seats = new Map(twins.map(each => [each.id, seat({ sql, blobs, base }, each)]));
    const { news } = this;
    this.#requests = new Journal({ sql, wall, log: journal, news });
    const log = new EntryLog(sql, blobs, base);
    const clock = new WorldClock({ sql, wall, log, news });
    const due = new DueQueue(sql, this.vendors);
    const seats = this.#seats;
    const hydration =
      parent === undefined || base.origin === null
        ? null
        : new Hydration({ sql, blobs, base, parent, seats, due });
    this.#hydration = hydration;
    this.#history = new History({
      sql,
      blobs,
      log,
      base,
      parent: parent ?? null,
      hydrated: twin => hydration?.hydrated(twin) ?? true,
      dueHydrated: () => hydration?.dueCopied ?? true,
    });
    this.#log = log;
    this.#clock = clock;
    const stamp = (): Instant => {
      // While events are still due, the world has not arrived at its clock's instant yet.
      const now = clock.now();
      return Math.max(log.lastAt, Math.min(now, due.first()?.at ?? now));
    };
    const scheduled = (): void => this.#catchUp.arm();
    this.#deliveries = new Deliveries({
      sql,
      blobs,
      wall,
      entropy,
      outbound,
      journal,
      log,
      due,
      seats,
      news,
      stamp,
      scheduled,
    });
    const deliveries = this.#deliveries;
    this.#ledger = new Ledger({ sql, blobs, wall, entropy, log, due, deliveries, news, scheduled });
    const ledger = this.#ledger;
    this.past = new Past({
      world: name,
      vendors: this.vendors,
      sql,
      blobs,
      log,
      base,
      clock,
      history: this.#history,
      caughtUp: () => this.#caughtUp(),
    });
    this.#catchUp = new CatchUp({ sql, clock, log, due, ledger, deliveries, seats, journal, hydration });
    this.#acts = new Acts({ clock, catchUp: this.#catchUp, ledger, journal, closed: () => this.#closed });
  }

  start(): void {
    this.#blobs.sweep();
    for (const { records } of this.#seats.values()) records.reindexWhenDeclaredAnew();
    this.#deliveries.resume();
    this.#catchUp.arm();
    // A branch that keeps the wall's time has events to wake for before anybody asks it anything.
    if (this.#hydration !== null && !this.#clock.frozen) void this.#arriveByItself();
  }

  async #arriveByItself(): Promise<void> {
    try {
      await this.#hydration?.due();
      this.#catchUp.arm();
    } catch (error) {
      this.#journal.error({ fault: describeFault(error) }, 'the branch could not read its parent');
    }
  }

  manifest(vendor: string): Manifest | undefined {
    return this.#seats.get(vendor)?.twin.manifest;
  }

  async call(vendor: string, call: Call): Promise<Reply> {
    const seat = this.#seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    const { mounted } = seat;
    const at = this.#wall.now();
    const from = performance.now();
    if (this.#hydration?.complete === false) await this.#hydrate(vendor);
    const running = this.#acts.run(seat, call, (told, tx) => mounted.respond(told, tx));
    const answer = running instanceof Promise ? await running : running;
    const lasting = this.#sql.lasting();
    const reply =
      lasting === null
        ? answer
        : await lasting.then(
            () => answer,
            error => this.#acts.lost(seat, error),
          );
    this.#requests.add({
      at,
      name: vendor,
      method: call.method,
      path: call.path,
      route: reply.route,
      status: reply.fault === undefined ? reply.status : 0,
      ms: performance.now() - from,
      unmatched: answer.unmatched === true,
      caller: call.caller,
      trace: call.trace.traceId,
      span: call.trace.spanId,
    });
    return reply;
  }

  /** What the call will touch is here when it resolves; those whose events come before it follow with them. */
  async #hydrate(vendor: string): Promise<void> {
    if (this.#closed) return;
    await this.#hydration!.due();
    await this.#hydration!.twin(vendor);
  }

  async openSocket(vendor: string, call: Call): Promise<OpenSocket | Reply> {
    const seat = this.#seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    if (this.#hydration?.complete === false) await this.#hydrate(vendor);
    return openSocket({ seat, call, acts: this.#acts, lasting: () => this.#sql.lasting() });
  }

  lasting(): Promise<void> | null {
    return this.#sql.lasting();
  }

  clock(): ClockReading {
    return this.#clock.reading();
  }

  setClock(at: string): Promise<ClockResult> {
    return this.#moved(this.#clock.set(at));
  }

  advanceClock(by: string): Promise<ClockResult> {
    return this.#moved(this.#clock.advance(by));
  }

  async #moved(result: ClockResult): Promise<ClockResult> {
    if (result.ok) await this.#caughtUp();
    await this.#sql.lasting();
    return result;
  }

  async log(twin: string, after: number): Promise<EntryPage | null> {
    return this.#seats.has(twin) ? this.#history.page(twin, after) : null;
  }

  async timeline(query: TimelineQuery): Promise<TimelineResult> {
    return readTimeline(asked => this.#history.newest(asked), query);
  }

  async #caughtUp(): Promise<void> {
    await this.#hydration?.due();
    await this.#catchUp.all();
  }

  async map(): Promise<readonly MapEntry[]> {
    return Promise.all(
      this.vendors.map(async twin => ({
        twin,
        position: this.#log.tip(twin),
        screens: this.#seats.get(twin)!.twin.manifest.screens,
        root: null,
        resources: await this.#history.resources(twin),
      })),
    );
  }

  async twinStatus(vendor: string): Promise<TwinStatus | null> {
    const seat = this.#seats.get(vendor);
    if (seat === undefined) return null;
    const { package: origin, twin } = seat;
    return {
      twin: vendor,
      identity: {
        mounted: origin === null ? null : { package: origin.name, version: origin.version },
        pinned: origin === null ? null : `${origin.name}@${origin.version ?? twin.manifest.version}`,
      },
      execution: { rootConnected: false, deploy: null },
      dataOrigin: 'unrecorded',
      protocol: twin.manifest.protocol,
      screens: twin.manifest.screens,
      root: null,
      credential: { sealed: false },
      refresh: { lastAt: null },
      position: this.#log.tip(vendor),
      receipt: null,
    };
  }

  requests(hours: number): Promise<RequestReport> {
    this.#requests.flush();
    const { failures } = this.#requests;
    return reportRequests(this.#sql, { to: this.#wall.now(), hours, failures });
  }

  async settled(): Promise<void> {
    await this.#sql.lasting();
    return this.#deliveries.settled();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.news.close();
    this.#catchUp.close();
    await this.#hydration?.close();
    // Those who wait for it have been told if it is lost.
    await this.#sql.lasting()?.catch(() => {});
    this.#deliveries.close();
    this.#requests.close();
  }
}

const NO_SUCH_TWIN: Reply = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ error: { code: 'no-such-twin', message: 'The world has no such twin.' } }),
};

const seat = (
  { sql, blobs, base }: { sql: Sql; blobs: BlobStore; base: BranchBase },
  { id, twin: mounted, package: origin }: TwinInWorld,
): SeatInWorld => ({
  id,
  mounted,
  package: origin,
  twin: mounted.twin,
  records: new Records({ sql, blobs, base, twin: id, types: compileRecordTypes(mounted.twin.records) }),
  memos: new Memos({ sql, blobs, twin: id }),
});
