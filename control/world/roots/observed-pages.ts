// A page of what a root has, stored: in transactions of bounded size, each an entry `twin.refreshed` of the root's where it
// changes anything, the last of them with the cursor after the page. Between two of them every request has its turn.
import type { Observed, ObservedPage } from '../../../twins/kit/real-vendor.ts';
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { REFRESH_RECORDS_PER_TURN_MAX } from '../limits.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { BlobAway } from '../store/blob-away.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Threshold } from '../store/threshold.ts';
import type { Transaction } from '../store/transaction.ts';
import { turn } from '../store/turn.ts';
import type { CatchUp } from '../work/catch-up.ts';
import type { Hydration } from '../work/hydration.ts';
import type { Ledger } from '../work/ledger.ts';
import type { Seat } from '../work/seat.ts';
import type { WorldClock } from '../work/world-clock.ts';
import { Fold } from './fold.ts';
import { type RefreshRow, readRefresh, writeRefresh } from './refresh-row.ts';
import { dropStandIn, replacedStandIns } from './stand-ins.ts';

export type PagesParts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly log: EntryLog;
  readonly clock: WorldClock;
  readonly catchUp: CatchUp;
  readonly ledger: Ledger;
  readonly threshold: Threshold;
  /** Null in a world that is no branch. */
  readonly hydration: Hydration | null;
};

const ROOT = { type: 'root' } as const;

/** Null: the root has no such record. */
type Taken = { readonly type: string; readonly id: string; readonly body: RecordBody | null };

/** In the transaction of the entry at `position`. */
type Work = (at: { readonly tx: Transaction; readonly position: number }) => void;

export class ObservedPages {
  readonly #parts: PagesParts;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  /** False when nobody wants it any more: what was stored of it stands, and is taken again with the page. */
  async keep(seat: Seat, page: ObservedPage, unwanted: AbortSignal): Promise<boolean> {
    const { sql } = this.#parts;
    await this.#parts.hydration?.twin(seat.id);
    // The twin has just read it, which takes its time too.
    await turn();
    const row = readRefresh(sql, seat.id);
    const pass = page.anew === true ? row.pass + 1 : row.pass;
    const taken = onceEach(page);
    const done = (page.anew === true ? 0 : row.done) + page.put.length;
    const last: RefreshRow = { ...row, cursor: page.cursor, pass, done };
    const whole = page.whole ?? [];
    // One transaction takes nothing and keeps the cursor alone, where there is nothing else.
    for (let from = 0; from === 0 || from < taken.length; from += REFRESH_RECORDS_PER_TURN_MAX) {
      const some = taken.slice(from, from + REFRESH_RECORDS_PER_TURN_MAX);
      const ends = whole.length === 0 && from + some.length === taken.length;
      if (!(await this.#take(seat, some, pass, unwanted, ends ? last : null))) return false;
    }
    for (const type of whole) if (!(await this.#sweep(seat, type, pass, unwanted))) return false;
    return whole.length === 0 || this.#take(seat, [], pass, unwanted, last);
  }

  /** What only stood in for what a pass that began then has brought is here no more. */
  async replaceStandIns(seat: Seat, began: number, unwanted: AbortSignal): Promise<boolean> {
    const { sql } = this.#parts;
    const { records, id: twin } = seat;
    for (;;) {
      const replaced = replacedStandIns(sql, twin, began, REFRESH_RECORDS_PER_TURN_MAX);
      if (replaced.length === 0) return true;
      const kept = await this.write(seat, unwanted, ({ tx }) => {
        for (const each of replaced) {
          if (records.head(each.type, each.id) !== undefined) tx.delete(each.type, each.id);
          dropStandIn(sql, twin, each);
        }
      });
      if (!kept) return false;
    }
  }

  /** An entry of the root's, when its turn has come. False when nobody wants it any more. */
  async write(seat: Seat, unwanted: AbortSignal, work: Work): Promise<boolean> {
    const { catchUp, threshold, clock, ledger, log } = this.#parts;
    // What is due comes before it, as before any request.
    while (!unwanted.aborted && !catchUp.atOnce()) await catchUp.all();
    if (unwanted.aborted) return false;
    try {
      ledger.write(seat, { now: clock.now(), actor: ROOT }, tx => {
        tx.kind('twin.refreshed');
        work({ tx, position: log.tip(seat.id) + 1 });
      });
    } catch (error) {
      if (!(error instanceof BlobAway)) throw error;
      using _bytes = await error.come();
      return await this.write(seat, unwanted, work);
    }
    // A page that was lost must not be missing from a pass that ends well.
    await threshold.waiting();
    await turn();
    return true;
  }

  /** `last`: what is known once all of the page is stored. */
  #take(
    seat: Seat,
    taken: readonly Taken[],
    pass: number,
    unwanted: AbortSignal,
    last: RefreshRow | null = null,
  ): Promise<boolean> {
    const { sql, blobs } = this.#parts;
    const { records, id: twin } = seat;
    return this.write(seat, unwanted, ({ tx, position }) => {
      const fold = new Fold({ sql, blobs, records, twin }, { tx, position, pass });
      for (const { type, id, body } of taken) fold.take({ type, id }, body);
      fold.end();
      if (last !== null) writeRefresh(sql, twin, last);
    });
  }

  /** What a pass over everything did not tell of is gone. */
  async #sweep(seat: Seat, type: string, pass: number, unwanted: AbortSignal): Promise<boolean> {
    for (let after = ''; ; ) {
      const rows = this.#parts.sql.all<{ id: string; pass: number }>(
        'SELECT id, pass FROM observed WHERE twin = ? AND type = ? AND id > ? ORDER BY id LIMIT +?',
        seat.id,
        type,
        after,
        REFRESH_RECORDS_PER_TURN_MAX,
      );
      const gone = rows.filter(row => row.pass < pass).map(({ id }): Taken => ({ type, id, body: null }));
      if (gone.length > 0 && !(await this.#take(seat, gone, pass, unwanted))) return false;
      if (rows.length < REFRESH_RECORDS_PER_TURN_MAX) return true;
      after = rows.at(-1)!.id;
      await turn();
    }
  }
}

/** What is told of a record last is how it is; in the order in which each was told of first. */
const onceEach = ({ put, gone }: ObservedPage): readonly Taken[] => {
  const taken = new Map<string, Taken>();
  const take = (each: Taken): void => void taken.set(`${each.type}\0${each.id}`, each);
  for (const { type, id, body } of put as readonly Observed[]) take({ type, id, body });
  for (const { type, id } of gone) take({ type, id, body: null });
  return [...taken.values()];
};
