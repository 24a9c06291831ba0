// One transaction of one twin, from its first read to the entry it becomes: state, versions, counts, due
// events, webhooks to send and the entry are written together or not at all. Without changes there is no
// entry.
import type { Trace } from '../../twins/kit/call.ts';
import type { Twin } from '../../twins/kit/twin.ts';
import type { Instant } from '../../twins/kit/tx.ts';
import type { WallClock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Sql } from '../ports/sql.ts';
import type { Deliveries } from './deliveries.ts';
import type { DueQueue } from './due.ts';
import type { Actor } from './entry.ts';
import { type EntryLog, entryId } from './entry-log.ts';
import type { Memos } from './memos.ts';
import type { Records } from './records.ts';
import { type Outcome, Transaction } from './transaction.ts';

/** A twin in its place in the world. */
export type Seat = {
  readonly id: string;
  readonly twin: Twin;
  readonly records: Records;
  readonly memos: Memos;
};

export type Circumstances = {
  readonly now: Instant;
  readonly actor: Actor;
  readonly caller?: string | null;
  readonly request?: { readonly method: string; readonly path: string };
  readonly trace?: Trace | null;
  readonly cause?: string | null;
  /** Anything that would change something is refused (5.4). */
  readonly readOnly?: boolean;
};

/** A call of the read scope would have changed something; nothing was. */
export class ReadOnlyViolation extends Error {
  override readonly name = 'ReadOnlyViolation';
}

type Parts = {
  readonly sql: Sql;
  readonly wall: WallClock;
  readonly entropy: Entropy;
  readonly log: EntryLog;
  readonly due: DueQueue;
  readonly deliveries: Deliveries;
  /** The queue of due events changed. */
  readonly scheduled: () => void;
};

export class Ledger {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws what `work` throws, after everything was rolled back. */
  write<T>(seat: Seat, circumstances: Circumstances, work: (tx: Transaction) => T): T {
    const { sql, log, entropy, deliveries, scheduled } = this.#parts;
    const position = log.tip(seat.id) + 1;
    const { now } = circumstances;
    const { result, entered, queued, rescheduled } = sql.transaction(() => {
      const tx = new Transaction({ records: seat.records, memos: seat.memos, entropy, now, position });
      const result = work(tx);
      const outcome = tx.finish();
      if (circumstances.readOnly === true && changesSomething(outcome)) throw new ReadOnlyViolation();
      const entered = outcome.changes.length > 0;
      if (entered) this.#enter(seat.id, position, circumstances, outcome);
      const cause = entered ? entryId(seat.id, position) : (circumstances.cause ?? null);
      this.#schedule(seat.id, outcome, cause);
      const trace = circumstances.trace ?? null;
      const queued = outcome.deliveries.map(request => deliveries.insert(seat.id, request, { cause, trace }));
      return { result, entered, queued, rescheduled: outcome.due.size > 0 };
    });
    if (entered) log.landed({ twin: seat.id, position, at: now });
    if (queued.length > 0) deliveries.queue(queued);
    if (rescheduled) scheduled();
    return result;
  }

  #enter(twin: string, position: number, circumstances: Circumstances, outcome: Outcome): void {
    const { sql, log, wall } = this.#parts;
    for (const { type, id, body } of outcome.versions) {
      sql.run('INSERT INTO ver VALUES (?, ?, ?, ?, ?)', twin, type, id, position, body);
    }
    for (const [type, by] of outcome.tallies) {
      if (by === 0) continue;
      sql.run(
        `INSERT INTO tally VALUES (?, ?, ?)
         ON CONFLICT(twin, type) DO UPDATE SET records = records + excluded.records`,
        twin,
        type,
        by,
      );
    }
    const { now, ...rest } = circumstances;
    const { kind, changes } = outcome;
    log.append({ ...rest, twin, position, at: now, wall: wall.now(), kind, changes });
  }

  #schedule(twin: string, outcome: Outcome, cause: string | null): void {
    const { due } = this.#parts;
    for (const [key, event] of outcome.due) {
      if (event === null) due.remove(twin, key);
      else due.set({ twin, key, ...event, cause });
    }
  }
}

const changesSomething = (outcome: Outcome): boolean =>
  outcome.changes.length > 0 || outcome.due.size > 0 || outcome.deliveries.length > 0 || outcome.remembered;
