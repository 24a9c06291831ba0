// A branch has nothing of its parent's state until somebody asks for it: the first touch of a twin begins to copy what it
// was at the base into the branch's own tables, and calls are served meanwhile: each waits for what it needs and is not
// here yet (arrival.ts), and for nothing else. What the twins waited for is copied whole at the first touch of any, since
// one clock drains it in one order.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { HYDRATED_RECORDS_PER_TURN_MAX, HYDRATED_TURNS_PER_CALL_MAX } from '../limits.ts';
import type { DueQueue, DueRow } from '../log/due.ts';
import type { HistorySource, PastRecord } from '../log/history-source.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { ORDER_FIRST } from '../store/record-order.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import type { Arrival } from './arrival.ts';
import type { Seat } from './seat.ts';

export type HydrationPace = {
  /** Records copied between two turns of the event loop. */
  readonly recordsPerTurn: number;
  /** So many of those a first call waits for: a small twin is whole by then. */
  readonly turnsWaitedFor: number;
};

const PACE: HydrationPace = {
  recordsPerTurn: HYDRATED_RECORDS_PER_TURN_MAX,
  turnsWaitedFor: HYDRATED_TURNS_PER_CALL_MAX,
};

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  readonly parent: HistorySource;
  readonly seats: ReadonlyMap<string, Seat>;
  /** Of every twin that has a history at the base. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
  readonly due: DueQueue;
  readonly threshold: Threshold;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
  readonly pace?: HydrationPace | undefined;
};

/** One copy of a twin, from its first turn to its end. */
type Copying = {
  /** So many turns as a first call waits for are done, or all. */
  readonly soon: Promise<void>;
  readonly done: Promise<void>;
};

export class Hydration {
  readonly #parts: Parts;
  readonly #pace: HydrationPace;
  readonly #copying = new Map<string, Copying>();
  #copyingDue: Promise<void> | null = null;
  #complete = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#pace = parts.pace ?? PACE;
    for (const [twin, arrival] of parts.arrivals)
      arrival.carrier = { begin: () => this.twin(twin), record: (type, id) => this.#bring(twin, type, id) };
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
    return this.#parts.base.isCopied(twin) ? Promise.resolve() : this.#begin(twin).done;
  }

  /** The copy of the twin's state has begun, and is done where it is small. */
  soon(twin: string): Promise<void> {
    return this.#parts.base.isCopied(twin) ? Promise.resolve() : this.#begin(twin).soon;
  }

  /** After the world's lifetime: what was begun is gone on with by the next run. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#copyingDue, ...[...this.#copying.values()].map(({ done }) => done)]);
  }

  /** What came was lost before it lasted. */
  forget(): void {
    for (const arrival of this.#parts.arrivals.values()) arrival.forget();
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
    due.announce();
  }

  #begin(twin: string): Copying {
    const there = this.#copying.get(twin);
    if (there !== undefined) return there;
    const soon = Promise.withResolvers<void>();
    const done = this.#copy(twin, soon.resolve).finally(() => {
      this.#copying.delete(twin);
      this.#parts.arrivals.get(twin)!.forget();
    });
    done.then(soon.resolve, soon.reject);
    // Whoever waits is told; the next who asks goes on with it.
    soon.promise.catch(() => {});
    const copying = { soon: soon.promise, done };
    this.#copying.set(twin, copying);
    return copying;
  }

  async #copy(twin: string, soon: () => void): Promise<void> {
    const { base, parent, threshold, lifetime, arrivals } = this.#parts;
    const { recordsPerTurn, turnsWaitedFor } = this.#pace;
    const position = base.position(twin);
    const arrival = arrivals.get(twin)!;
    if (turnsWaitedFor === 0) soon();
    let room = recordsPerTurn;
    for (let turns = 1; ; ) {
      const { next } = arrival;
      if (next === null) break;
      if (next === undefined) {
        arrival.expect(await parent.types(twin, position));
        continue;
      }
      const records = await parent.recordsBefore(twin, position, next.type, next.frontier, room);
      if (lifetime.aborted) return;
      await this.#insert(twin, next.type, records);
      arrival.came(next, records.length, records.length < room ? ORDER_FIRST : records.at(-1)!.order);
      room -= records.length;
      if (room > 0) continue;
      // A page that was lost must not be missing from a copy that ends well.
      await threshold.waiting();
      if (turns++ >= turnsWaitedFor) soon();
      await turn();
      if (lifetime.aborted) return;
      room = recordsPerTurn;
    }
    await this.#end(twin, arrival);
  }

  async #end(twin: string, arrival: Arrival): Promise<void> {
    const { sql, base, threshold } = this.#parts;
    sql.transaction(() => {
      // Until now these are what the branch itself made and ended.
      for (const { type, records } of arrival.counted)
        if (records > 0)
          sql.run(
            `INSERT INTO tally VALUES (?, ?, ?)
             ON CONFLICT(twin, type) DO UPDATE SET records = records + excluded.records`,
            twin,
            type,
            records,
          );
      base.markCopied(twin);
    });
    await threshold.waiting();
    base.noteCopied(twin);
  }

  /** One record of the base, now. */
  async #bring(twin: string, type: string, id: string): Promise<void> {
    const { base, parent, seats, threshold, lifetime } = this.#parts;
    // The rest follows beside it.
    void this.#begin(twin).done.catch(() => {});
    const record = await parent.record(twin, base.position(twin), type, id);
    if (record === null || lifetime.aborted || base.isCopied(twin)) return;
    // The copy leaves out what nobody finds any more; so does who asks for it by its name.
    if (seats.get(twin)?.records.isOver(type, record.at, base.at) === true) return;
    await this.#insert(twin, type, [record]);
    await threshold.waiting();
  }

  /** Records of one type, but for those that are here already, as they are now, and those that the branch has ended. */
  async #insert(twin: string, type: string, records: readonly PastRecord[]): Promise<void> {
    const { sql, blobs } = this.#parts;
    if (records.length === 0) return;
    const orders = records.map(({ order }) => order);
    await blobs.reading(() =>
      sql.transaction(() => {
        const here = sql.all<{ id: string }>(
          'SELECT id FROM head WHERE twin = ? AND type = ? AND id IN (SELECT value FROM json_each(?))',
          twin,
          type,
          JSON.stringify(records.map(({ id }) => id)),
        );
        const ended = sql.all<{ ord: number }>(
          'SELECT ord FROM gone WHERE twin = ? AND type = ? AND ord BETWEEN ? AND ?',
          twin,
          type,
          Math.min(...orders),
          Math.max(...orders),
        );
        const known = new Set([...here.map(({ id }) => id), ...ended.map(({ ord }) => ord)]);
        for (const record of records)
          if (!known.has(record.id) && !known.has(record.order)) this.#insertOne(twin, record);
      }),
    );
  }

  #insertOne(twin: string, { type, id, position, order, at, body }: PastRecord): void {
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
