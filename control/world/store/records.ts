// The newest versions of one twin's records, and the index rows that its lists scan.
import type { Instant, ListQuery, Page, Reader, RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import type { BlobStore } from './blob-store.ts';
import type { BranchBase } from './branch-base.ts';
import { RecordLists } from './record-lists.ts';
import { indexValues, type RecordIndex, type RecordTypes, storedIndexValue } from './record-types.ts';

/** The newest version of a record, and the place and the instant at which it was made. */
export type Head = {
  readonly pos: number;
  readonly ord: number;
  readonly at: Instant;
  /** As it stands in the row (blob-store.ts). */
  readonly row: string;
  readonly body: string;
};

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  /** The vendor id. */
  readonly twin: string;
  readonly types: RecordTypes;
};

export class Records {
  readonly #sql: Sql;
  readonly #twin: string;
  readonly #types: RecordTypes;
  readonly #blobs: BlobStore;
  readonly #lists: RecordLists;

  constructor(parts: Parts) {
    this.#sql = parts.sql;
    this.#blobs = parts.blobs;
    this.#twin = parts.twin;
    this.#types = parts.types;
    this.#lists = new RecordLists(parts);
  }

  /** Something was rolled back. */
  forget(): void {
    this.#lists.forget();
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

  /** Whether any list of the type has a condition. */
  hasIndexes(type: string): boolean {
    return this.indexes(type).length > 0;
  }

  head(type: string, id: string): Head | undefined {
    const head = this.#sql.get<{ pos: number; ord: number; at: number; body: string }>(
      'SELECT pos, ord, at, body FROM head WHERE twin = ? AND type = ? AND id = ?',
      this.#twin,
      type,
      id,
    );
    if (head === undefined) return undefined;
    const { pos, ord, at, body: row } = head;
    return { pos, ord, at, row, body: this.#blobs.text(row) };
  }

  /** `row.body` as it stands in the row, here and in `update`. */
  insert(type: string, id: string, row: NewRow): void {
    this.#lists.inhabit(type);
    this.#sql.run(
      'INSERT INTO head(twin, type, id, pos, ord, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
      this.#twin,
      type,
      id,
      row.pos,
      row.ord,
      row.at,
      row.body,
    );
    this.index(type, row.ord, row.values);
  }

  /** Writes the index rows of a record that has none. */
  index(type: string, ord: number, values: IndexValues): void {
    this.indexes(type).forEach((index, n) => {
      for (const value of values[n]!) this.#index(type, ord, index, value);
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
      const [was, now] = [row.was[n]!, row.values[n]!];
      for (const value of was) if (!now.includes(value)) this.#unindex(type, row.ord, index, value);
      for (const value of now) if (!was.includes(value)) this.#index(type, row.ord, index, value);
    });
  }

  remove(type: string, id: string, was: { ord: number; values: IndexValues }): void {
    this.#sql.run('DELETE FROM head WHERE twin = ? AND type = ? AND id = ?', this.#twin, type, id);
    this.indexes(type).forEach((index, n) => {
      for (const value of was.values[n]!) this.#unindex(type, was.ord, index, value);
    });
  }

  /** For each index of the type, the values under which the record stands in it. */
  values(type: string, body: RecordBody): IndexValues {
    return this.indexes(type).map(index => {
      const values = indexValues(index, body);
      return values.length < 2 ? values.map(storedIndexValue) : [...new Set(values.map(storedIndexValue))];
    });
  }

  #index(type: string, ord: number, index: RecordIndex, value: string): void {
    this.#sql.run(
      'INSERT INTO idx(twin, type, name, value, ord) VALUES (?, ?, ?, ?, ?)',
      this.#twin,
      type,
      index.name,
      value,
      ord,
    );
  }

  #unindex(type: string, ord: number, index: RecordIndex, value: string): void {
    this.#sql.run(
      'DELETE FROM idx WHERE twin = ? AND type = ? AND name = ? AND value = ? AND ord = ?',
      this.#twin,
      type,
      index.name,
      value,
      ord,
    );
  }

  list<T extends RecordBody>(type: string, query: ListQuery, now: Instant, next: number): Page<T> {
    return this.#lists.list<T>(type, this.indexes(type), query, now, next);
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

/** For each index of a type, in their order. */
export type IndexValues = readonly (readonly string[])[];

type NewRow = {
  readonly pos: number;
  readonly ord: number;
  readonly at: Instant;
  readonly body: string;
  readonly values: IndexValues;
};
