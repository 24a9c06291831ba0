// Lets what has fallen due happen, before anybody sees the world at a later instant: the events of all twins
// in one order, each in a transaction of its own, stamped with its own instant. Progress is in the store, so
// it may stop and go on at any event.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Sql } from '../../ports/sql.ts';
import {
  DUE_EVENTS_PER_REQUEST_MAX,
  DUE_EVENTS_PER_TURN_MAX,
  DUE_MS_PER_TURN_MAX,
  WAKE_AGAIN_MS,
  WAKE_MS_MAX,
  WAKE_MS_MIN,
} from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { BlobAway } from '../store/blob-away.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { describeFault, isStoreFailure } from '../store/fault.ts';
import { turn } from '../store/turn.ts';
import { type Deliveries, isRetry } from './deliveries.ts';
import type { Hydration } from './hydration.ts';
import type { Ledger } from './ledger.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

type Parts = {
  readonly sql: Sql;
  readonly wall: WallClock;
  readonly alarms: Alarms;
  readonly clock: WorldClock;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly base: BranchBase;
  readonly ledger: Ledger;
  readonly deliveries: Deliveries;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly processLog: Log;
  /** Null in a world that is no branch. */
  readonly hydration: Hydration | null;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

export class CatchUp {
  readonly #parts: Parts;
  /** Events so far. */
  #happened = 0;
  /** Bytes that the first event in the queue needs are on their way. */
  #fetching: Promise<void> | null = null;
  /** Those that came, until it has happened. */
  #held: Disposable[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.due.follow(() => this.arm());
    parts.alarms.onWake(() => this.#wake());
    parts.lifetime.addEventListener('abort', () => parts.alarms.set(null));
  }

  /** At most `max` events, and fewer when they take long. True when nothing is due any more. */
  some(max: number): boolean {
    const { due, clock } = this.#parts;
    let until = 0;
    for (let done = 0; ; done++) {
      const event = due.first();
      if (event === undefined || event.at > clock.now()) return true;
      if (done === 0) until = performance.now() + DUE_MS_PER_TURN_MAX;
      if (done === max || (done > 0 && performance.now() > until)) return false;
      // In a branch the twin's state may still be the parent's.
      if (this.#fetching !== null || this.#isAway(event.twin)) return false;
      if (!this.#happen(event)) return false;
    }
  }

  /** As far as one request goes, giving way to others in between. True when nothing is due any more. */
  async arrive(): Promise<boolean> {
    const { lifetime } = this.#parts;
    const end = this.#happened + DUE_EVENTS_PER_REQUEST_MAX;
    for (let before = this.#happened; !lifetime.aborted; before = this.#happened) {
      if (this.some(DUE_EVENTS_PER_TURN_MAX)) return true;
      if (this.#happened >= end) return false;
      if (this.#happened > before) await turn();
      else if (!(await this.#obstacle())) return false;
    }
    return false;
  }

  /** Everything that is due, giving way to other requests in between. */
  async all(): Promise<void> {
    const { hydration, lifetime } = this.#parts;
    await hydration?.due();
    while (!lifetime.aborted && !this.some(DUE_EVENTS_PER_TURN_MAX)) {
      if (!(await this.#obstacle())) await turn();
    }
  }

  /**
   * A world on the wall clock has webhooks to retry and renewals to make while nobody asks it anything: wakes
   * it when the next event falls due. A frozen clock never arrives there by itself.
   */
  arm(): void {
    const { wall, alarms, processLog } = this.#parts;
    try {
      this.#armForNext();
    } catch (error) {
      // Nobody asked for it who could be told, and what was done before it stands.
      processLog.error(
        { fault: describeFault(error) },
        'the world could not see what falls due; it looks again',
      );
      alarms.set(wall.now() + WAKE_AGAIN_MS);
    }
  }

  #armForNext(): void {
    const { clock, due, wall, alarms, lifetime } = this.#parts;
    const next = lifetime.aborted || clock.frozen ? undefined : due.first();
    if (next === undefined) return alarms.set(null);
    alarms.set(wall.now() + Math.min(Math.max(next.at - clock.now(), WAKE_MS_MIN), WAKE_MS_MAX));
  }

  /** After `some` gave up: true when what it waited for is here now, false when there was just too much to do. */
  async #obstacle(): Promise<boolean> {
    const { hydration, due } = this.#parts;
    if (this.#fetching !== null) {
      await this.#fetching;
      return true;
    }
    const twin = due.first()?.twin;
    if (twin === undefined || !this.#isAway(twin)) return false;
    await hydration?.twin(twin);
    return true;
  }

  #isAway(twin: string): boolean {
    const { hydration, base, seats } = this.#parts;
    return hydration !== null && !base.isCopied(twin) && seats.has(twin);
  }

  #wake(): void {
    // The store failed, which a request would be told; here there is nobody to tell.
    const logFailure = (error: unknown): void =>
      this.#parts.processLog.error({ fault: describeFault(error) }, 'the world could not catch up');
    try {
      if (!this.some(DUE_EVENTS_PER_TURN_MAX)) void this.#obstacle().catch(logFailure);
    } catch (error) {
      logFailure(error);
    }
    this.arm();
  }

  /** False when it could not yet: bytes that it needs are away. */
  #happen(event: DueRow): boolean {
    const { sql, due, ledger, log, deliveries, seats, processLog } = this.#parts;
    const seat = seats.get(event.twin);
    if (seat === undefined || isRetry(event)) {
      this.#happened += 1;
      deliveries.retry(event);
      return true;
    }
    // An event that was scheduled for the past happens now, behind what the log already tells.
    const now = Math.max(event.at, log.lastAt);
    try {
      ledger.write(seat, { now, actor: SYSTEM, cause: event.cause, event }, tx => {
        const payload = JSON.parse(event.payload) as RecordBody;
        seat.twin.due?.({ key: event.key, at: event.at, payload }, tx);
      });
    } catch (error) {
      if (error instanceof BlobAway) {
        this.#fetch(error);
        return false;
      }
      // It waits until there is a store again, and everything behind it.
      if (isStoreFailure(error)) throw error;
      // It would fail again and hold up every twin behind it.
      processLog.error(
        { twin: event.twin, fault: describeFault(error) },
        'a due event failed and was dropped',
      );
      sql.transaction(() => due.cancel(event, { since: now, position: log.tip(event.twin) }));
    }
    this.#happened += 1;
    if (this.#held.length > 0) this.#letGo();
    return true;
  }

  #letGo(): void {
    for (const bytes of this.#held) bytes[Symbol.dispose]();
    this.#held = [];
  }

  #fetch(away: BlobAway): void {
    const fetching = away.come().then(bytes => void this.#held.push(bytes));
    this.#fetching = fetching.finally(() => {
      this.#fetching = null;
    });
    // Whoever waits is told; the next who asks tries anew.
    this.#fetching.catch(() => {});
  }
}

const SYSTEM = { type: 'system' } as const;
