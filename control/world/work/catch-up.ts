// Lets what has fallen due happen, before anybody sees the world at a later instant: the events of all twins
// in one order, each in a transaction of its own, stamped with its own instant. Progress is in the store, so
// it may stop and go on at any event.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Log } from '../../ports/log.ts';
import type { Sql } from '../../ports/sql.ts';
import {
  DUE_EVENTS_PER_REQUEST_MAX,
  DUE_EVENTS_PER_TURN_MAX,
  DUE_MS_PER_TURN_MAX,
  WAKE_MS_MAX,
  WAKE_MS_MIN,
} from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { type Deliveries, isRetry } from './deliveries.ts';
import { describeFault } from './fault.ts';
import type { Hydration } from './hydration.ts';
import type { Ledger, Seat } from './ledger.ts';
import type { WorldClock } from './world-clock.ts';

type Parts = {
  readonly sql: Sql;
  readonly clock: WorldClock;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly ledger: Ledger;
  readonly deliveries: Deliveries;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly journal: Log;
  /** Null in a world that is no branch. */
  readonly hydration: Hydration | null;
};

export class CatchUp {
  readonly #parts: Parts;
  #timer: unknown = null;
  #closed = false;
  /** Events so far. */
  #happened = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
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
      if (this.#isAway(event.twin)) return false;
      this.#happen(event);
    }
  }

  /** As far as one request goes, giving way to others in between. True when nothing is due any more. */
  async arrived(): Promise<boolean> {
    const end = this.#happened + DUE_EVENTS_PER_REQUEST_MAX;
    for (let before = this.#happened; !this.#closed; before = this.#happened) {
      if (this.some(DUE_EVENTS_PER_TURN_MAX)) return true;
      if (this.#happened >= end) return false;
      if (this.#happened > before) await turn();
      else if (!(await this.hydrated())) return false;
    }
    return false;
  }

  /** After `some` gave up: true when what it waited for is here now, false when there was just too much to do. */
  async hydrated(): Promise<boolean> {
    const { hydration, due } = this.#parts;
    const twin = due.first()?.twin;
    if (twin === undefined || !this.#isAway(twin)) return false;
    await hydration?.twin(twin);
    return true;
  }

  #isAway(twin: string): boolean {
    const { hydration, seats } = this.#parts;
    return hydration !== null && !hydration.hydrated(twin) && seats.has(twin);
  }

  /** Everything that is due, giving way to other requests in between. */
  async all(): Promise<void> {
    while (!this.#closed && !this.some(DUE_EVENTS_PER_TURN_MAX)) {
      if (!(await this.hydrated())) await turn();
    }
  }

  /**
   * A world on the wall clock has webhooks to retry and renewals to make while nobody asks it anything: wakes
   * it when the next event falls due. A frozen clock never arrives there by itself.
   */
  arm(): void {
    const { clock, due } = this.#parts;
    this.#disarm();
    if (this.#closed || clock.frozen) return;
    const next = due.first();
    if (next === undefined) return;
    const wait = Math.min(Math.max(next.at - clock.now(), WAKE_MS_MIN), WAKE_MS_MAX);
    const timer = setTimeout(() => {
      this.#wake();
    }, wait);
    this.#timer = timer;
    // On Node a waiting timer keeps the process alive; a world does not.
    (timer as unknown as { unref?: () => void }).unref?.();
  }

  close(): void {
    this.#closed = true;
    this.#disarm();
  }

  #wake(): void {
    // The store failed, which a request would be told; here there is nobody to tell.
    const failed = (error: unknown): void =>
      this.#parts.journal.error({ fault: describeFault(error) }, 'the world could not catch up');
    try {
      if (!this.some(DUE_EVENTS_PER_TURN_MAX)) void this.hydrated().catch(failed);
    } catch (error) {
      failed(error);
    }
    this.arm();
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer as number);
    this.#timer = null;
  }

  #happen(event: DueRow): void {
    this.#happened += 1;
    const { sql, due, ledger, log, deliveries, seats, journal } = this.#parts;
    const seat = seats.get(event.twin);
    if (seat === undefined || isRetry(event)) {
      deliveries.retry(event);
      return;
    }
    // An event that was scheduled for the past happens now, behind what the log already tells.
    const now = Math.max(event.at, log.lastAt);
    try {
      ledger.write(seat, { now, actor: SYSTEM, cause: event.cause, event }, tx => {
        const payload = JSON.parse(event.payload) as RecordBody;
        seat.twin.due?.({ key: event.key, at: event.at, payload }, tx);
      });
    } catch (error) {
      // It would fail again and hold up every twin behind it.
      journal.error({ twin: event.twin, fault: describeFault(error) }, 'a due event failed and was dropped');
      sql.transaction(() => due.cancel(event, { since: now, position: log.tip(event.twin) }));
    }
  }
}

const SYSTEM = { type: 'system' } as const;

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
