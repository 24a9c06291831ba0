// A world at work: takes calls to its twins, moves its clock, answers from its log. Everything it stands on
// comes in as a port, so the same code runs on Node and on the edge.
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { MountedTwin } from '../../twins/kit/twin.ts';
import type { Instant } from '../../twins/kit/tx.ts';
import type { WallClock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Log } from '../ports/log.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { Sql } from '../ports/sql.ts';
import { CatchUp } from './catch-up.ts';
import { Deliveries } from './deliveries.ts';
import { DueQueue } from './due.ts';
import { EntryLog } from './entry-log.ts';
import { describeFault } from './fault.ts';
import { Ledger, ReadOnlyViolation, type Seat } from './ledger.ts';
import { CATCH_UP_RETRY_AFTER_SECONDS, DUE_EVENTS_PER_REQUEST_MAX } from './limits.ts';
import { Memos } from './memos.ts';
import { compileRecordTypes } from './record-types.ts';
import { Records } from './records.ts';
import { migrate } from './schema.ts';
import { readTimeline } from './timeline.ts';
import { RecordTooLarge } from './transaction.ts';
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
import { WorldClock } from './world-clock.ts';

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
  readonly #sql: Sql;
  readonly #journal: Log;
  readonly #seats: ReadonlyMap<string, SeatInWorld>;
  readonly #log: EntryLog;
  readonly #clock: WorldClock;
  readonly #deliveries: Deliveries;
  readonly #ledger: Ledger;
  readonly #catchUp: CatchUp;
  #closed = false;

  constructor({ name, sql, wall, entropy, outbound, log: journal, twins }: WorldOptions) {
    this.name = name;
    this.vendors = twins.map(({ id }) => id).sort();
    this.#sql = sql;
    this.#journal = journal;
    this.#seats = new Map(twins.map(each => [each.id, seat(sql, each)]));
    const log = new EntryLog(sql);
    const clock = new WorldClock({ sql, wall, log });
    const due = new DueQueue(sql, this.vendors);
    this.#log = log;
    this.#clock = clock;
    const stamp = (): Instant => {
      // While events are still due, the world has not arrived at its clock's instant yet.
      const now = clock.now();
      return Math.max(log.lastAt, Math.min(now, due.first()?.at ?? now));
    };
    const scheduled = (): void => this.#catchUp.arm();
    const seats = this.#seats;
    this.#deliveries = new Deliveries({
      sql,
      wall,
      entropy,
      outbound,
      journal,
      log,
      due,
      seats,
      stamp,
      scheduled,
    });
    const deliveries = this.#deliveries;
    this.#ledger = new Ledger({ sql, wall, entropy, log, due, deliveries, scheduled });
    const ledger = this.#ledger;
    this.#catchUp = new CatchUp({ sql, clock, log, due, ledger, deliveries, seats, journal });
  }

  start(): void {
    for (const { records } of this.#seats.values()) records.reindexWhenDeclaredAnew();
    this.#deliveries.resume();
    this.#catchUp.arm();
  }

  manifest(vendor: string): Manifest | undefined {
    return this.#seats.get(vendor)?.twin.manifest;
  }

  async call(vendor: string, call: Call): Promise<Reply> {
    const seat = this.#seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    const { twin, mounted } = seat;
    if (this.#closed) return twin.error(503, 'world_closed', 'The world is shutting down.');
    const reads = call.method === 'GET' || call.method === 'HEAD';
    const readOnly = call.scope === 'read';
    const enforcesRead = twin.manifest.requestScopes?.includes('read') === true;
    if (readOnly && !reads && !enforcesRead) return twin.error(403, 'read_only', READ_ONLY);
    if (!this.#catchUp.some(DUE_EVENTS_PER_REQUEST_MAX)) return stillCatchingUp(seat);
    // 5.4: the twin is told, and whatever it writes all the same is rolled back.
    const told =
      readOnly && !reads ? { ...call, headers: { ...call.headers, 'x-wrld-read-only': '1' } } : call;
    const { caller, trace, method, path } = call;
    const circumstances = {
      now: this.#clock.now(),
      actor: CLIENT,
      caller,
      trace,
      request: { method, path },
      readOnly,
    };
    try {
      return this.#ledger.write(seat, circumstances, tx => mounted.respond(told, tx));
    } catch (error) {
      if (error instanceof ReadOnlyViolation) return twin.error(403, 'read_only', READ_ONLY);
      if (error instanceof RecordTooLarge) return twin.error(413, 'too_large', error.message);
      this.#journal.error(
        { twin: vendor, method, fault: describeFault(error) },
        'a twin failed; nothing was changed',
      );
      return twin.error(500, 'twin_failed', 'The twin failed while it answered. Nothing was changed.');
    }
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
    if (result.ok) await this.#catchUp.all();
    return result;
  }

  async log(twin: string, after: number): Promise<EntryPage | null> {
    return this.#seats.has(twin) ? this.#log.page(twin, after) : null;
  }

  async timeline(query: TimelineQuery): Promise<TimelineResult> {
    return readTimeline(this.#sql, this.#log, query);
  }

  async map(): Promise<readonly MapEntry[]> {
    return this.vendors.map(twin => ({
      twin,
      position: this.#log.tip(twin),
      screens: this.#seats.get(twin)!.twin.manifest.screens,
      root: null,
      resources: this.#sql
        .all<{ type: string; records: number }>(
          'SELECT type, records FROM tally WHERE twin = ? AND records > 0 ORDER BY type',
          twin,
        )
        .map(({ type, records }) => ({ type, count: records })),
    }));
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

  settled(): Promise<void> {
    return this.#deliveries.settled();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#catchUp.close();
    this.#deliveries.close();
  }
}

const NO_SUCH_TWIN: Reply = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ error: { code: 'no-such-twin', message: 'The world has no such twin.' } }),
};
const CLIENT = { type: 'client' } as const;
const READ_ONLY = 'This token reads only; the request would change something.';

const seat = (sql: Sql, { id, twin: mounted, package: origin }: TwinInWorld): SeatInWorld => ({
  id,
  mounted,
  package: origin,
  twin: mounted.twin,
  records: new Records(sql, id, compileRecordTypes(mounted.twin.records)),
  memos: new Memos(sql, id),
});

const stillCatchingUp = ({ twin }: Seat): Reply => {
  const reply = twin.error(503, 'catching_up', 'The world is catching up with its clock; ask again.');
  return { ...reply, headers: [...reply.headers, ['Retry-After', String(CATCH_UP_RETRY_AFTER_SECONDS)]] };
};
