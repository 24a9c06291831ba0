// What has fallen due, happening: the events of all twins in one order, each in a transaction of its own, stamped with
// its own instant. Progress is in the store, so it may stop and go on at any event; when it does is the catch-up's
// (catch-up.ts).
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Log } from '../../ports/log.ts';
import type { Sql } from '../../ports/sql.ts';
import { DUE_EVENTS_PER_TURN_MAX, DUE_MS_PER_TURN_MAX } from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { BlobAway } from '../store/blob-away.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { describeFault, isStoreFailure } from '../store/fault.ts';
import { type Deliveries, isRetry } from './deliveries.ts';
import type { Hydration } from './hydration.ts';
import type { Ledger } from './ledger.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

export type DueEventsParts = {
  readonly sql: Sql;
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
};

export class DueEvents {
  readonly #parts: DueEventsParts;
  #happened = 0;
  /** Bytes that the first event in the queue needs are on their way. */
  #fetching: Promise<void> | null = null;
  /** Those that came, until it has happened. */
  #held: Disposable[] = [];

  constructor(parts: DueEventsParts) {
    this.#parts = parts;
  }

  /** Events since the world was opened. */
  get happened(): number {
    return this.#happened;
  }

  /** As many as one turn of the event loop has room for, milliseconds. True when nothing is due any more. */
  turn(room: number = DUE_MS_PER_TURN_MAX): boolean {
    const { due, clock } = this.#parts;
    let until = 0;
    for (let done = 0; ; done++) {
      const event = due.first();
      if (event === undefined || event.at > clock.now()) return true;
      if (done === 0) until = performance.now() + room;
      if (done === DUE_EVENTS_PER_TURN_MAX || (done > 0 && performance.now() > until)) return false;
      // In a branch the twin's state may still be the parent's.
      if (this.#fetching !== null || this.#isAway(event.twin)) return false;
      if (!this.#happen(event)) return false;
    }
  }

  /** After `turn` gave up: true when what it waited for is here now, false when there was just too much to do. */
  async obstacle(): Promise<boolean> {
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
      // It happens when the store works again.
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
