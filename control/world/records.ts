// The newest versions of one twin's records and the index rows that its lists scan. Every list is a range of
// one index, so its cost is that of its page and not of the table.
import type { Instant, ListQuery, Page, Reader, RecordBody } from '../../twins/kit/tx.ts';
import type { Sql } from '../ports/sql.ts';
import type { BlobStore } from './blob-store.ts';
import { ORDER_FIRST, ORDER_LAST, orderFrom } from './record-order.ts';
import {
  describeRecordTypes,
  indexFor,
  indexValue,
  type RecordIndex,
  type RecordTypes,
  storedIndexValue,
} from './record-types.ts';

export type Head = { readonly ord: number; readonly body: string };

/** Rows read at once while a condition that no index has is looked for: few at first, most conditions hold for most. */
const SCAN_ROWS_MAX = 512;
const SCAN_GROWTH = 4;
/** Rows rewritten at once when indexes are made anew. */
const REINDEX_ROWS = 128;

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  /** The vendor id. */
  readonly twin: string;
  readonly types: RecordTypes;
};

export class Records {
  readonly #sql: Sql;
  readonly #twin: string;
  readonly #types: RecordTypes;
  readonly #blobs: BlobStore;

  constructor({ sql, blobs, twin, types }: Parts) {
    this.#sql = sql;
    this.#blobs = blobs;
    this.#twin = twin;
    this.#types = types;
  }

  indexes(type: string): readonly RecordIndex[] {
    const indexes = this.#types.get(type);
    if (indexes === undefined)
      throw new TypeError(`The twin ${this.#twin} declares no records of type ${type}.`);
    return indexes;
  }

  declares(type: string): boolean {
    return this.#types.has(type);
  }

  head(type: string, id: string): Head | undefined {
    const head = this.#row(type, id);
    if (head === undefined) return undefined;
    return { ord: head.ord, body: this.#blobs.text(head.body) };
  }

  /** `body` as it stands in the row (blob-store.ts). */
  #row(type: string, id: string): Head | undefined {
    return this.#sql.get<Head>(
      'SELECT ord, body FROM head WHERE twin = ? AND type = ? AND id = ?',
      this.#twin,
      type,
      id,
    );
  }

  /** `row.body` as it stands in the row, here and in `update`. */
  insert(
    type: string,
    id: string,
    row: { pos: number; ord: number; body: string; values: IndexValues },
  ): void {
    this.#sql.run(
      'INSERT INTO head(twin, type, id, pos, ord, body) VALUES (?, ?, ?, ?, ?, ?)',
      this.#twin,
      type,
      id,
      row.pos,
      row.ord,
      row.body,
    );
    this.indexes(type).forEach((index, n) => {
      this.#index(type, id, row.ord, index, row.values[n]!);
    });
  }

  update(
    type: string,
    id: string,
    row: { pos: number; ord: number; body: string; values: IndexValues; was: IndexValues },
  ): void {
    this.#sql.run(
      'UPDATE head SET pos = ?, body = ? WHERE twin = ? AND type = ? AND id = ?',
      row.pos,
      row.body,
      this.#twin,
      type,
      id,
    );
    this.indexes(type).forEach((index, n) => {
      if (row.was[n] === row.values[n]) return;
      this.#unindex(type, id, row.ord, index, row.was[n]!);
      this.#index(type, id, row.ord, index, row.values[n]!);
    });
  }

  remove(type: string, id: string, was: { ord: number; values: IndexValues }): void {
    this.#sql.run('DELETE FROM head WHERE twin = ? AND type = ? AND id = ?', this.#twin, type, id);
    this.indexes(type).forEach((index, n) => {
      this.#unindex(type, id, was.ord, index, was.values[n]!);
    });
  }

  /** One value for each index of the type, null where the record does not stand in it. */
  values(type: string, body: RecordBody): IndexValues {
    return this.indexes(type).map(index => {
      const value = indexValue(index, body);
      return value === null ? null : storedIndexValue(value);
    });
  }

  #index(type: string, id: string, ord: number, index: RecordIndex, value: string | null): void {
    if (value === null) return;
    this.#sql.run('INSERT INTO idx VALUES (?, ?, ?, ?, ?, ?)', this.#twin, type, index.name, value, ord, id);
  }

  #unindex(type: string, id: string, ord: number, index: RecordIndex, value: string | null): void {
    if (value === null) return;
    this.#sql.run(
      'DELETE FROM idx WHERE twin = ? AND type = ? AND name = ? AND value = ? AND ord = ? AND id = ?',
      this.#twin,
      type,
      index.name,
      value,
      ord,
      id,
    );
  }

  list<T extends RecordBody>(type: string, query: ListQuery, now: Instant, next: number): Page<T> {
    const index = indexFor(this.indexes(type), query.where);
    if (index === undefined) {
      throw new TypeError(
        `No index of ${this.#twin}'s ${type} has exactly ${Object.keys(query.where ?? {})}.`,
      );
    }
    const range = this.#range(type, query, now, next);
    if (range === null || query.limit <= 0) return { items: [], more: false };
    const wanted = query.where === undefined ? '' : indexValue(index, query.where)!;
    const stored = storedIndexValue(wanted);
    const whole = stored === wanted;
    const { keep } = query;
    const filtered = keep !== undefined || !whole;
    const items: T[] = [];
    let { low, high } = range;
    for (let size = query.limit + 1; ; size = Math.max(size, Math.min(size * SCAN_GROWTH, SCAN_ROWS_MAX))) {
      const rows = this.#sql.all<Head>(
        range.descending ? NEWEST_FIRST : OLDEST_FIRST,
        this.#twin,
        type,
        index.name,
        stored,
        low,
        high,
        size,
      );
      for (const row of rows) {
        const full = !filtered && items.length === query.limit;
        if (full) return page(items, true, range.reversed);
        const body = JSON.parse(this.#blobs.text(row.body)) as T;
        if (!whole && indexValue(index, body) !== wanted) continue;
        if (keep !== undefined && !keep(body)) continue;
        if (items.length === query.limit) return page(items, true, range.reversed);
        items.push(body);
      }
      if (rows.length < size) return page(items, false, range.reversed);
      const last = rows[rows.length - 1]!.ord;
      if (range.descending) high = last;
      else low = last + 1;
    }
  }

  /** The part of the index to scan: low ≤ ord < high. Null when a cursor names no record: nothing follows it. */
  #range(type: string, query: ListQuery, now: Instant, next: number): Range | null {
    let low = ORDER_FIRST;
    let high = ORDER_LAST;
    if (query.createdFrom !== undefined) low = this.#orderAt(query.createdFrom, now, next);
    if (query.createdBefore !== undefined) high = this.#orderAt(query.createdBefore, now, next);
    const newest = query.order !== 'oldest';
    if (query.after !== undefined) {
      const ord = this.#row(type, query.after)?.ord;
      if (ord === undefined) return null;
      if (newest) high = Math.min(high, ord);
      else low = Math.max(low, ord + 1);
    }
    if (query.before !== undefined) {
      const ord = this.#row(type, query.before)?.ord;
      if (ord === undefined) return null;
      if (newest) low = Math.max(low, ord + 1);
      else high = Math.min(high, ord);
    }
    // A page that ends before a record is the nearest one to it, so it is read backwards from there.
    const reversed = query.before !== undefined && query.after === undefined;
    return { low, high, reversed, descending: newest !== reversed };
  }

  /** The order of the first record made at or after an instant. `at` never decreases with the position. */
  #orderAt(at: Instant, now: Instant, next: number): number {
    // In a branch, the entries that made what it inherited are the parent's.
    const inherited = this.#sql.get<{ ord: number }>(
      'SELECT ord FROM born WHERE twin = ? AND at >= ? ORDER BY at, ord LIMIT 1',
      this.#twin,
      at,
    );
    if (inherited !== undefined) return inherited.ord;
    const row = this.#sql.get<{ pos: number }>(
      'SELECT pos FROM entry WHERE twin = ? AND at >= ? ORDER BY at, pos LIMIT 1',
      this.#twin,
      at,
    );
    if (row !== undefined) return orderFrom(row.pos);
    return orderFrom(at <= now ? next : next + 1);
  }

  /** Makes the index rows anew when the twin declares other indexes than the store was written with. */
  reindexWhenDeclaredAnew(): void {
    const key = `indexes:${this.#twin}`;
    const declared = describeRecordTypes(this.#types);
    const stored = this.#sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', key)?.v;
    if (stored === declared) return;
    this.#sql.transaction(() => {
      this.#sql.run('DELETE FROM idx WHERE twin = ?', this.#twin);
      for (const type of this.#types.keys()) this.#reindex(type);
      this.#sql.run(
        'INSERT INTO meta(k, v) VALUES (?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v',
        key,
        declared,
      );
    });
  }

  #reindex(type: string): void {
    for (let after = ''; ; ) {
      const rows = this.#sql.all<Head & { id: string }>(
        'SELECT id, ord, body FROM head WHERE twin = ? AND type = ? AND id > ? ORDER BY id LIMIT ?',
        this.#twin,
        type,
        after,
        REINDEX_ROWS,
      );
      for (const { id, ord, body } of rows) {
        const values = this.values(type, JSON.parse(this.#blobs.text(body)) as RecordBody);
        this.indexes(type).forEach((index, n) => {
          this.#index(type, id, ord, index, values[n]!);
        });
        after = id;
      }
      if (rows.length < REINDEX_ROWS) return;
    }
  }

  /** Reads outside a transaction, as of the newest entry. */
  reader(now: Instant, next: number): Reader {
    return {
      now,
      get: <T extends RecordBody>(type: string, id: string) => {
        this.indexes(type);
        const head = this.head(type, id);
        return head === undefined ? undefined : (JSON.parse(head.body) as T);
      },
      list: <T extends RecordBody>(type: string, query: ListQuery) => this.list<T>(type, query, now, next),
      blob: sha256 => this.#blobs.get(sha256),
    };
  }
}

export type IndexValues = readonly (string | null)[];

type Range = {
  readonly low: number;
  readonly high: number;
  readonly descending: boolean;
  readonly reversed: boolean;
};

const page = <T>(items: T[], more: boolean, reversed: boolean): Page<T> => ({
  items: reversed ? items.reverse() : items,
  more,
});

// CROSS JOIN keeps the index outermost, whatever the planner thinks of the sizes; that is what bounds a list.
const SCAN = `SELECT i.ord AS ord, h.body AS body FROM idx AS i
  CROSS JOIN head AS h ON h.twin = i.twin AND h.type = i.type AND h.id = i.id
  WHERE i.twin = ? AND i.type = ? AND i.name = ? AND i.value = ? AND i.ord >= ? AND i.ord < ?`;
export const NEWEST_FIRST = `${SCAN} ORDER BY i.ord DESC LIMIT ?`;
export const OLDEST_FIRST = `${SCAN} ORDER BY i.ord LIMIT ?`;
