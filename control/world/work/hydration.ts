// A branch has nothing of its parent's state until somebody asks for it: the first touch of a twin copies what it
// was at the base into the branch's own tables, before the twin, which answers synchronously, runs. What the
// twins waited for is copied at the first touch of any, since one clock drains it in one order.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { HYDRATED_RECORDS_PER_TURN_MAX } from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import type { HistorySource, PastRecord, RecordKey } from '../log/history-source.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import type { Seat } from './seat.ts';

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  readonly parent: HistorySource;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly due: DueQueue;
  readonly threshold: Threshold;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

export class Hydration {
  readonly #parts: Parts;
  readonly #copying = new Map<string, Promise<void>>();
  #copyingDue: Promise<void> | null = null;
  #complete = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Nothing is left to copy. */
  get complete(): boolean {
    const { base, seats } = this.#parts;
    if (this.#complete || !base.isDueCopied) return this.#complete;
    this.#complete = [...seats.keys()].every(twin => base.isCopied(twin));
    return this.#complete;
  }

  /** Copies what every twin waited for at the base, once. */
  due(): Promise<void> {
    if (this.#parts.base.isDueCopied) return Promise.resolve();
    this.#copyingDue ??= this.#copyDue().finally(() => {
      this.#copyingDue = null;
    });
    return this.#copyingDue;
  }

  /** The twin's state is here when it resolves; two who ask at once wait for one copy. */
  twin(twin: string): Promise<void> {
    if (this.#parts.base.isCopied(twin)) return Promise.resolve();
    let copying = this.#copying.get(twin);
    if (copying === undefined) {
      copying = this.#copy(twin).finally(() => {
        this.#copying.delete(twin);
      });
      this.#copying.set(twin, copying);
    }
    return copying;
  }

  /** After the world's lifetime: what was begun is begun anew by the next run. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#copyingDue, ...this.#copying.values()]);
  }

  async #copyDue(): Promise<void> {
    const { sql, base, parent, seats, due, threshold, lifetime } = this.#parts;
    const { at } = base;
    const rows: DueRow[] = [];
    for (const twin of seats.keys())
      rows.push(...(await parent.due(twin, at, base.position(twin), base.origin!.cuts)));
    if (lifetime.aborted) return;
    sql.transaction(() => {
      for (const row of rows) due.schedule(row, { since: at, position: base.position(row.twin) });
      base.markDueCopied();
    });
    await threshold.waiting();
    base.noteDueCopied();
  }

  async #copy(twin: string): Promise<void> {
    const { sql, blobs, base, parent, threshold, lifetime } = this.#parts;
    const position = base.position(twin);
    // What a copy that was cut short left; nobody has written here yet.
    sql.transaction(() => {
      for (const table of ['head', 'idx', 'tally']) sql.run(`DELETE FROM ${table} WHERE twin = ?`, twin);
    });
    const tally = new Map<string, number>();
    for (let after: RecordKey | null = null; ; ) {
      const records: readonly PastRecord[] = await parent.records(
        twin,
        position,
        after,
        HYDRATED_RECORDS_PER_TURN_MAX,
      );
      if (lifetime.aborted) return;
      await blobs.reading(() =>
        sql.transaction(() => {
          for (const record of records) this.#insert(twin, record);
        }),
      );
      for (const { type } of records) tally.set(type, (tally.get(type) ?? 0) + 1);
      if (records.length < HYDRATED_RECORDS_PER_TURN_MAX) break;
      after = records.at(-1)!;
      // A page that was lost must not be missing from a copy that ends well.
      await threshold.waiting();
      await turn();
      if (lifetime.aborted) return;
    }
    sql.transaction(() => {
      for (const [type, count] of tally) sql.run('INSERT INTO tally VALUES (?, ?, ?)', twin, type, count);
      base.markCopied(twin);
    });
    await threshold.waiting();
    base.noteCopied(twin);
  }

  #insert(twin: string, { type, id, position, order, at, body }: PastRecord): void {
    const { sql, blobs, seats } = this.#parts;
    const records = seats.get(twin)?.records;
    if (records?.declares(type) === true) {
      const values = records.hasIndexes(type)
        ? records.values(type, JSON.parse(blobs.text(body)) as RecordBody)
        : [];
      records.insert(type, id, { pos: position, ord: order, at, body, values });
      return;
    }
    // The twin stores no such type any more; no list of it can be asked for.
    sql.run(
      'INSERT INTO head(twin, type, id, pos, ord, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
      twin,
      type,
      id,
      position,
      order,
      at,
      body,
    );
  }
}
