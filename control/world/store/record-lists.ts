// The lists of one twin's records. Every list is a range of one index, so its cost is that of its page and not of
// the table.

import type { Instant, ListQuery, Page, RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { RECORD_SCAN_ROWS_MAX } from '../limits.ts';
import type { BlobStore } from './blob-store.ts';
import type { BranchBase } from './branch-base.ts';
import { ORDER_FIRST, ORDER_LAST, orderFrom } from './record-order.ts';
import {
  FIRST_FROM,
  type Listed,
  orderOfCursor,
  type Place,
  page,
  UNDER_VALUE,
  union,
  WHOLE_TYPE,
} from './record-scans.ts';
import { indexFor, indexValues, type RecordIndex, storedIndexValue, wantedValues } from './record-types.ts';

const SCAN_GROWTH = 4;

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  /** The vendor id. */
  readonly twin: string;
  /** The body of a record of a type. */
  readonly read: <T extends RecordBody>(type: string, text: string) => T;
  /** For how long records of a type are found; null for ever. */
  readonly keptMs: (type: string) => number | null;
};

export type Listing = {
  readonly now: Instant;
  /** The position of an entry that would be made now. */
  readonly next: number;
  /** Takes the texts of what is listed. */
  readonly texts?: string[] | undefined;
};

export class RecordLists {
  readonly #sql: Sql;
  readonly #base: BranchBase;
  readonly #twin: string;
  readonly #blobs: BlobStore;
  readonly #read: Parts['read'];
  readonly #keptMs: Parts['keptMs'];
  /** Types of which there is no record: most worlds have none of most types, and are asked for them all the time. */
  readonly #vacant = new Set<string>();
  readonly #inhabited = new Set<string>();

  constructor({ sql, blobs, base, twin, read, keptMs }: Parts) {
    this.#read = read;
    this.#keptMs = keptMs;
    this.#sql = sql;
    this.#base = base;
    this.#blobs = blobs;
    this.#twin = twin;
  }

  /** Something was rolled back. */
  forget(): void {
    this.#vacant.clear();
    this.#inhabited.clear();
  }

  /** There is a record of the type. */
  inhabit(type: string): void {
    this.#vacant.delete(type);
  }

  /** `indexes`: those of the type. */
  list<T extends RecordBody>(
    type: string,
    indexes: readonly RecordIndex[],
    query: ListQuery,
    { now, next, texts }: Listing,
  ): Page<T> {
    const index = query.where === undefined ? null : indexFor(indexes, query.where);
    if (index === undefined) {
      throw new TypeError(
        `No index of ${this.#twin}'s ${type} has exactly ${Object.keys(query.where ?? {})}.`,
      );
    }
    if (this.isVacant(type)) return { items: [], more: false };
    const range = this.#range(type, query, now, next);
    if (range === null || query.limit <= 0) return { items: [], more: false };
    const wanted = index === null ? NO_VALUES : wantedValues(index, query.where!);
    const stored = [...new Set(wanted.map(storedIndexValue))];
    const whole = index === null || stored.every(value => wanted.includes(value));
    const scans = index === null ? WHOLE_TYPE : UNDER_VALUE;
    const under: readonly (readonly string[])[] =
      index === null ? [[this.#twin, type]] : stored.map(value => [this.#twin, type, index.name, value]);
    const [first] = under;
    if (first === undefined) return { items: [], more: false };
    const { keep } = query;
    const filtered = keep !== undefined || !whole || under.length > 1;
    const items: T[] = [];
    let { low, high } = range;
    let skip = query.skip ?? 0;
    if (skip > 0 && !filtered) {
      const last = this.#sql.get<Place>(
        range.descending ? scans.nthNewest : scans.nthOldest,
        ...first,
        low,
        high,
        skip - 1,
      );
      if (last === undefined) return { items: [], more: false };
      if (range.descending) high = last.ord;
      else low = last.ord + 1;
      skip = 0;
    }
    let taken = 0;
    for (
      let size = query.limit + 1;
      ;
      size = Math.max(size, Math.min(size * SCAN_GROWTH, RECORD_SCAN_ROWS_MAX))
    ) {
      const text = range.descending ? scans.newest : scans.oldest;
      const read = under.map(place => this.#sql.all<Listed>(text, ...place, low, high, size));
      const rows = read.length === 1 ? read[0]! : union(read, range.descending, size);
      for (const row of rows) {
        const full = !filtered && items.length === query.limit;
        if (full) return page(items, taken, range.reversed);
        const text = this.#blobs.text(row.body);
        const body = this.#read<T>(type, text);
        if (!whole && !indexValues(index!, body).some(value => wanted.includes(value))) continue;
        if (keep !== undefined && !keep(body)) continue;
        if (skip > 0) {
          skip -= 1;
          continue;
        }
        if (items.length === query.limit) return page(items, taken, range.reversed);
        items.push(body);
        texts?.push(text);
        taken = row.ord;
      }
      if (rows.length < size) return page(items, null, range.reversed);
      const last = rows[rows.length - 1]!.ord;
      if (range.descending) high = last;
      else low = last + 1;
    }
  }

  /** Whether it is known already that there is none. */
  isKnownVacant(type: string): boolean {
    return this.#vacant.has(type);
  }

  isVacant(type: string): boolean {
    if (this.#vacant.has(type)) return true;
    if (this.#inhabited.has(type)) return false;
    const some = this.#sql.get(
      'SELECT 1 AS some FROM head WHERE twin = ? AND type = ? LIMIT 1',
      this.#twin,
      type,
    );
    (some === undefined ? this.#vacant : this.#inhabited).add(type);
    return some === undefined;
  }

  #place(type: string, id: string): number | undefined {
    return this.#sql.get<Place>(
      'SELECT ord FROM head WHERE twin = ? AND type = ? AND id = ?',
      this.#twin,
      type,
      id,
    )?.ord;
  }

  /** The part of the index to scan: low ≤ ord < high. Null when a cursor names no record: nothing follows it. */
  #range(type: string, query: ListQuery, now: Instant, next: number): Range | null {
    let low = ORDER_FIRST;
    let high = ORDER_LAST;
    const keptMs = this.#keptMs(type);
    if (keptMs !== null) low = this.#orderAt(type, now - keptMs, now, next);
    if (query.createdFrom !== undefined)
      low = Math.max(low, this.#orderAt(type, query.createdFrom, now, next));
    if (query.createdBefore !== undefined) high = this.#orderAt(type, query.createdBefore, now, next);
    const newest = query.order !== 'oldest';
    if (query.cursor !== undefined) {
      const ord = orderOfCursor(query.cursor);
      if (ord === null) return null;
      if (newest) high = Math.min(high, ord);
      else low = Math.max(low, ord + 1);
    }
    if (query.after !== undefined) {
      const ord = this.#place(type, query.after);
      if (ord === undefined) return null;
      if (newest) high = Math.min(high, ord);
      else low = Math.max(low, ord + 1);
    }
    if (query.before !== undefined) {
      const ord = this.#place(type, query.before);
      if (ord === undefined) return null;
      if (newest) low = Math.max(low, ord + 1);
      else high = Math.min(high, ord);
    }
    // A page that ends before a record is the nearest one to it, so it is read backwards from there.
    const reversed = query.before !== undefined && query.after === undefined;
    return { low, high, reversed, descending: newest !== reversed };
  }

  /** The order of the first record made at or after an instant. `at` never decreases with the position. */
  #orderAt(type: string, at: Instant, now: Instant, next: number): number {
    // In a branch, the entries that made what it inherited are the parent's.
    if (at <= this.#base.at) return this.#inheritedOrderAt(type, at);
    const row = this.#sql.get<{ pos: number }>(
      'SELECT pos FROM entry WHERE twin = ? AND at >= ? ORDER BY at, pos LIMIT 1',
      this.#twin,
      at,
    );
    if (row !== undefined) return orderFrom(row.pos);
    return orderFrom(at <= now ? next : next + 1);
  }

  /** Their instants grow with their places: halved until the first one is found that is not too early. */
  #inheritedOrderAt(type: string, at: Instant): number {
    let low = ORDER_FIRST;
    let high = orderFrom(this.#base.position(this.#twin) + 1);
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const made = this.#sql.get<{ ord: number; at: number }>(FIRST_FROM, this.#twin, type, middle, high);
      if (made === undefined || made.at >= at) high = middle;
      else low = made.ord + 1;
    }
    return low;
  }
}

type Range = {
  readonly low: number;
  readonly high: number;
  readonly descending: boolean;
  readonly reversed: boolean;
};

const NO_VALUES: readonly string[] = [];
