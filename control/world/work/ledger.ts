// One transaction of one twin, from its first read to the entry it becomes: state, versions, counts, due
// events, webhooks to send and the entry are written together or not at all. Without changes there is no
// entry.
import type { Trace } from '../../../twins/kit/call.ts';
import type { RequestReader } from '../../../twins/kit/journal.ts';
import type { Instant } from '../../../twins/kit/tx.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Entropy } from '../../ports/entropy.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { type Asked, askedText } from '../log/asked.ts';
import type { DueQueue, DueRow, Waiting } from '../log/due.ts';
import { type Actor, type DeliveryNote, entryId } from '../log/entry.ts';
import type { EntryLog, Replayed } from '../log/entry-log.ts';
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
  readonly request?: Asked | null;
  readonly trace?: Trace | null;
  readonly cause?: string | null;
  /** The due event that this is: it waits no more. */
  readonly event?: DueRow;
  /** Anything that would change something is refused (5.4). */
  readonly readOnly?: boolean;
  /** Another world made the entry, be it without a change. */
  readonly replayed?: Replayed;
  /** The request of such an entry, as it was kept there. */
  readonly asked?: { readonly request: Pick<Asked, 'method' | 'path'>; readonly asked: string | null };
  readonly delivery?: DeliveryNote;
};

/** What one call or event came to. */
type Written<T> = {
  readonly twin: string;
  readonly position: number;
  readonly at: Instant;
  readonly result: T;
  readonly entered: boolean;
  readonly queued: readonly ReturnType<Deliveries['insert']>[];
  readonly rescheduled: boolean;
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
  /** By twin, every one that is seated. */
  readonly asked: ReadonlyMap<string, RequestReader>;
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
    const { sql, blobs, due } = this.#parts;
    let written: Written<T>;
    try {
      written = sql.transaction(() => this.#inside(seat, circumstances, work));
    } catch (error) {
      // What was read meanwhile may be what is not there any more.
      due.forget();
      seat.records.forget();
      blobs.takeAway();
      throw error;
    }
    if (written.entered) this.#parts.log.note(written);
    this.#announce(written);
    return written.result;
  }

  /** Several entries, and whatever else `work` writes, as one transaction: all of it, or nothing. */
  together<T>(work: (write: Ledger['write']) => T): T {
    const { sql, blobs, due, log } = this.#parts;
    const all: Written<unknown>[] = [];
    const seats = new Set<Seat>();
    let result: T;
    try {
      result = sql.transaction(() =>
        work((seat, circumstances, each) => {
          seats.add(seat);
          const written = this.#inside(seat, circumstances, each);
          // The next of them follows it.
          if (written.entered) log.note(written);
          all.push(written);
          return written.result;
        }),
      );
    } catch (error) {
      log.forget();
      due.forget();
      for (const { records } of seats) records.forget();
      blobs.takeAway();
      throw error;
    }
    for (const written of all) this.#announce(written);
    return result;
  }

  #inside<T>(seat: Seat, circumstances: Circumstances, work: (tx: Transaction) => T): Written<T> {
    const { blobs, log, entropy, due, deliveries, asked } = this.#parts;
    const position = log.tip(seat.id) + 1;
    const { now, replayed } = circumstances;
    const { records, memos, log: own } = seat;
    const requests = asked.get(seat.id)!;
    const tx = new Transaction({ records, memos, blobs, entropy, log: own, requests, now, position });
    const result = work(tx);
    const away = blobs.takeAway();
    if (away !== null) throw away;
    const outcome = tx.finish();
    if (circumstances.readOnly === true && changesSomething(outcome)) throw new ReadOnlyViolation();
    const entered = outcome.changes.length > 0 || replayed !== undefined;
    if (entered) this.#enter(seat, position, circumstances, outcome);
    const cause = entered ? entryId(seat.id, position) : (circumstances.cause ?? null);
    if (outcome.due.size > 0 || circumstances.event !== undefined) {
      const moment = { since: now, position: entered ? position : position - 1 };
      due.change(seat.id, waits(outcome, cause, circumstances.event), moment);
    }
    const trace = circumstances.trace ?? null;
    const queued = outcome.deliveries.map(request => deliveries.insert(seat.id, request, { cause, trace }));
    return { twin: seat.id, position, at: now, result, entered, queued, rescheduled: outcome.due.size > 0 };
  }

  /** It stands: everybody inside sees it from here on. */
  #announce({ twin, position, entered, queued, rescheduled }: Written<unknown>): void {
    const { due, deliveries, news } = this.#parts;
    if (rescheduled) due.announce();
    if (queued.length > 0) deliveries.queue(queued);
    if (entered) news.tell({ kind: 'entry', twin, position });
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
    const { now, request, asked: kept, ...rest } = circumstances;
    const asked = kept ?? (request && { request, asked: askedText(request, blobs, seat.twin.keeps) });
    const { kind, changes } = outcome;
    log.append({ ...rest, ...asked, twin, position, at: now, wall: wall.now(), kind, changes });
  }
}

/** By key, what the twin waits for from here on; null for what it waits for no more, as the event that this was. */
function waits(
  outcome: Outcome,
  cause: string | null,
  event: DueRow | undefined,
): ReadonlyMap<string, Waiting | null> {
  const wanted = new Map<string, Waiting | null>(event === undefined ? [] : [[event.key, null]]);
  for (const [key, each] of outcome.due) wanted.set(key, each === null ? null : { ...each, cause });
  return wanted;
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
