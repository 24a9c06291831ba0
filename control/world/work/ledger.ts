// One transaction of one twin, from its first read to the entry it becomes: state, versions, counts, due
// events, webhooks to send and the entry are written together or not at all. Without changes there is no
// entry.
import type { Trace } from '../../../twins/kit/call.ts';
import type { Instant } from '../../../twins/kit/tx.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { type Asked, askedText } from '../log/asked.ts';
import type { DueQueue, DueRow, Moment } from '../log/due.ts';
import { type Actor, entryId } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import type { Newsroom } from '../log/news.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { ManyRows } from '../store/many-rows.ts';
import type { Outcome } from '../store/outcome.ts';
import { Transaction } from '../store/transaction.ts';
import type { Deliveries } from './deliveries.ts';
import type { Seat } from './seat.ts';

export type Circumstances = {
  readonly now: Instant;
  readonly actor: Actor;
  readonly caller?: string | null;
  readonly request?: Asked;
  readonly trace?: Trace | null;
  readonly cause?: string | null;
  /** The due event that this is: it waits no more. */
  readonly event?: DueRow;
  /** Anything that would change something is refused (5.4). */
  readonly readOnly?: boolean;
};

/** A call of the read scope would have changed something; nothing was. */
export class ReadOnlyViolation extends Error {
  override readonly name = 'ReadOnlyViolation';
}

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly wall: WallClock;
  readonly entropy: Entropy;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly deliveries: Deliveries;
  readonly news: Newsroom;
};

export class Ledger {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws what `work` throws, after everything was rolled back; `BlobAway` also where the twin has caught it. */
  write<T>(seat: Seat, circumstances: Circumstances, work: (tx: Transaction) => T): T {
    const { sql, blobs, log, entropy, due, deliveries, news } = this.#parts;
    const position = log.tip(seat.id) + 1;
    const { now } = circumstances;
    const write = () => {
      const { records, memos, log: own } = seat;
      const tx = new Transaction({ records, memos, blobs, entropy, log: own, now, position });
      const result = work(tx);
      const away = blobs.takeAway();
      if (away !== null) throw away;
      const outcome = tx.finish();
      if (circumstances.readOnly === true && changesSomething(outcome)) throw new ReadOnlyViolation();
      const entered = outcome.changes.length > 0;
      if (entered) this.#enter(seat, position, circumstances, outcome);
      const cause = entered ? entryId(seat.id, position) : (circumstances.cause ?? null);
      const moment = { since: now, position: entered ? position : position - 1 };
      if (circumstances.event !== undefined) due.cancel(circumstances.event, moment);
      this.#schedule(seat.id, outcome, cause, moment);
      const trace = circumstances.trace ?? null;
      const queued = outcome.deliveries.map(request => deliveries.insert(seat.id, request, { cause, trace }));
      return { result, entered, queued, rescheduled: outcome.due.size > 0 };
    };
    let written: ReturnType<typeof write>;
    try {
      written = sql.transaction(write);
    } catch (error) {
      // What was read meanwhile may be what is not there any more.
      due.forget();
      seat.records.forget();
      blobs.takeAway();
      throw error;
    }
    const { result, entered, queued, rescheduled } = written;
    if (entered) log.note({ twin: seat.id, position, at: now });
    if (rescheduled) due.announce();
    if (queued.length > 0) deliveries.queue(queued);
    if (entered) news.tell({ kind: 'entry', twin: seat.id, position });
    return result;
  }

  #enter(seat: Seat, position: number, circumstances: Circumstances, outcome: Outcome): void {
    const { sql, blobs, log, wall } = this.#parts;
    const twin = seat.id;
    const versions: SqlValue[] = [];
    const gone: SqlValue[] = [];
    for (const { type, id, pos, body } of outcome.versions) versions.push(twin, type, id, pos, body);
    for (const { type, id, ord, at } of outcome.ended) {
      versions.push(twin, type, id, position, null);
      gone.push(twin, type, ord, at, id, position);
    }
    const tallies: SqlValue[] = [];
    for (const [type, by] of outcome.tallies) if (by !== 0) tallies.push(twin, type, by);
    VERSION_ROWS.write(sql, versions);
    GONE_ROWS.write(sql, gone);
    TALLY_ROWS.write(sql, tallies);
    const { now, request, ...rest } = circumstances;
    const asked = request && { request, asked: askedText(request, blobs, seat.twin.keeps) };
    const { kind, changes } = outcome;
    log.append({ ...rest, ...asked, twin, position, at: now, wall: wall.now(), kind, changes });
  }

  #schedule(twin: string, outcome: Outcome, cause: string | null, moment: Moment): void {
    const { due } = this.#parts;
    for (const [key, event] of outcome.due) {
      if (event === null) due.cancel({ twin, key }, moment);
      else due.schedule({ twin, key, ...event, cause }, moment);
    }
  }
}

const VERSION_ROWS = new ManyRows('INSERT INTO ver(twin, type, id, pos, body) VALUES', 5);
const GONE_ROWS = new ManyRows('INSERT INTO gone(twin, type, ord, at, id, pos) VALUES', 6);
const TALLY_ROWS = new ManyRows(
  'INSERT INTO tally VALUES',
  3,
  'ON CONFLICT(twin, type) DO UPDATE SET records = records + excluded.records',
);

const changesSomething = (outcome: Outcome): boolean =>
  outcome.changes.length > 0 || outcome.due.size > 0 || outcome.deliveries.length > 0 || outcome.remembered;
