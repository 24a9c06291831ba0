// The newest versions of one twin's records, and the index rows that its lists scan.
import type { Instant, ListQuery, Page, Reader, RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import type { BlobStore } from './blob-store.ts';
import type { BranchBase } from './branch-base.ts';
import { KeptHeads } from './kept-heads.ts';
import { ManyRows } from './many-rows.ts';
import { mayQuote, unquoted } from './quotes.ts';
import { type Listing, RecordLists } from './record-lists.ts';
import {
  indexValues,
  type RecordIndex,
  type RecordTypes,
  type Showing,
  storedIndexValue,
} from './record-types.ts';
import { type VersionOf, Versions } from './versions.ts';

/** The newest version of a record, and the place and the instant at which it was made. */
export type Head = {
  readonly pos: number;
  readonly ord: number;
  readonly at: Instant;
  /** As it stands in the row (blob-store.ts). */
  readonly row: string;
  readonly body: string;
  /** Under which it stands in the lists; null until somebody asked. */
  values: IndexValues | null;
};

type Parts = {
  readonly sql: Sql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  /** The vendor id. */
  readonly twin: string;
  readonly types: RecordTypes;
  /** By type, where it is not plain. */
  readonly showing?: ReadonlyMap<string, Showing>;
  readonly inherited?: VersionOf | undefined;
};

export class Records {
  readonly #sql: Sql;
  readonly #twin: string;
  readonly #types: RecordTypes;
  readonly #showing: ReadonlyMap<string, Showing>;
  readonly #versions: Versions;
  readonly #blobs: BlobStore;
  readonly #lists: RecordLists;
  readonly #kept = new KeptHeads();

  constructor(parts: Parts) {
    this.#sql = parts.sql;
    this.#blobs = parts.blobs;
    this.#twin = parts.twin;
    this.#types = parts.types;
    this.#showing = parts.showing ?? new Map();
    this.#versions = new Versions(parts);
    this.#lists = new RecordLists({
      ...parts,
      read: (type, text) => this.read(type, text),
      keptMs: type => this.#showing.get(type)?.keptMs ?? null,
    });
  }

  /** Something was rolled back. */
  forget(): void {
    this.#lists.forget();
    this.#kept.forget();
  }

  indexes(type: string): readonly RecordIndex[] {
    const indexes = this.#types.get(type);
    if (indexes === undefined)
      throw new TypeError(`The twin ${this.#twin} declares no records of type ${type}.`);
    return indexes;
  }

  /** Where records of the type show others whole; null where they show none. */
  quotes(type: string): readonly string[] | null {
    return this.#showing.get(type)?.quotes ?? null;
  }

  /** What the text of a record says, as it was put. Throws `BlobAway` for a version that has to be waited for. */
  read<T extends RecordBody>(type: string, text: string): T {
    const body = JSON.parse(text) as T;
    return this.quotes(type) === null ? body : unquoted<T>(body, (...key) => this.#versions.text(...key));
  }

  /** The text of a record as it was put, with all that it shows. */
  whole(type: string, text: string): string {
    return this.quotes(type) === null || !mayQuote(text) ? text : JSON.stringify(this.read(type, text));
  }

  /** Whether nobody finds a record of the type any more that was made at an instant. */
  isOver(type: string, made: Instant, now: Instant): boolean {
    const keptMs = this.#showing.get(type)?.keptMs ?? null;
    return keptMs !== null && made < now - keptMs;
  }

  declares(type: string): boolean {
    return this.#types.has(type);
  }

  /** Whether any list of the type has a condition. */
  hasIndexes(type: string): boolean {
    return this.indexes(type).length > 0;
  }

  head(type: string, id: string): Head | undefined {
    // Most worlds have none of most types, and some of those are looked for all the time.
    if (this.#lists.isKnownVacant(type)) return undefined;
    const kept = this.#kept.get(type, id);
    if (kept !== undefined) return kept;
    const head = this.#sql.get<{ pos: number; ord: number; at: number; body: string }>(
      'SELECT pos, ord, at, body FROM head WHERE twin = ? AND type = ? AND id = ?',
      this.#twin,
      type,
      id,
    );
    if (head === undefined) {
      this.#lists.isVacant(type);
      return undefined;
    }
    const { pos, ord, at, body: row } = head;
    const found = { pos, ord, at, row, body: this.#blobs.text(row), values: null };
    this.#kept.keep(type, id, found);
    return found;
  }

  /** `row.body` as it stands in the row. */
  insert(type: string, id: string, row: NewRow): void {
    this.write([{ type, id, ...row, was: null, text: null }]);
  }

  /** Writes the index rows of a record that has none. */
  index(type: string, ord: number, values: IndexValues): void {
    const rows: SqlValue[] = [];
    this.#indexRows(rows, { type, ord, values, was: null });
    IDX_ROWS.write(this.#sql, rows);
  }

  /** Puts records, each once. */
  write(changes: readonly RowChange[]): void {
    const heads: SqlValue[] = [];
    const indexed: SqlValue[] = [];
    for (const change of changes) {
      const { type, id, pos, ord, at, body, text, values } = change;
      this.#lists.inhabit(type);
      if (text === null) this.#kept.drop(type, id);
      else this.#kept.keep(type, id, { pos, ord, at, row: body, body: text, values });
      heads.push(this.#twin, type, id, pos, ord, at, body);
      this.#indexRows(indexed, change);
    }
    HEAD_ROWS.write(this.#sql, heads);
    IDX_ROWS.write(this.#sql, indexed);
  }

  /** Takes away the index rows under which it stands no more, and adds to `rows` those that it lacks. */
  #indexRows(
    rows: SqlValue[],
    { type, ord, values, was }: Pick<RowChange, 'type' | 'ord' | 'values' | 'was'>,
  ): void {
    const indexes = this.indexes(type);
    for (let n = 0; n < indexes.length; n++) {
      const index = indexes[n]!;
      const now = values[n]!;
      const before = was?.[n] ?? NO_VALUES;
      for (const value of before) if (!now.includes(value)) this.#unindex(type, ord, index, value);
      for (const value of now)
        if (!before.includes(value)) rows.push(this.#twin, type, index.name, value, ord);
    }
  }

  remove(type: string, id: string, was: { ord: number; values: IndexValues }): void {
    this.#kept.drop(type, id);
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

  list<T extends RecordBody>(type: string, query: ListQuery, as: Listing): Page<T> {
    return this.#lists.list<T>(type, this.indexes(type), query, as);
  }

  /** Reads outside a transaction, as of the newest entry. */
  reader(now: Instant, next: number): Reader {
    return {
      now,
      get: <T extends RecordBody>(type: string, id: string) => {
        this.indexes(type);
        const head = this.head(type, id);
        if (head === undefined || this.isOver(type, head.at, now)) return undefined;
        return this.read<T>(type, head.body);
      },
      list: <T extends RecordBody>(type: string, query: ListQuery) =>
        this.list<T>(type, query, { now, next }),
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
  /** As it stands in the row. */
  readonly body: string;
  readonly values: IndexValues;
};

/** The text of a twin's record as it was put, of that in a row. */
export type WholeText = (twin: string, type: string, text: string) => string;

/** A record as it is to stand. */
export type RowChange = NewRow & {
  readonly type: string;
  readonly id: string;
  /** The body as it was put; null where nobody has it at hand. */
  readonly text: string | null;
  /** The values under which it stands so far; null where it is new. */
  readonly was: IndexValues | null;
};

const NO_VALUES: readonly string[] = [];
const HEAD_ROWS = new ManyRows(
  'INSERT INTO head(twin, type, id, pos, ord, at, body) VALUES',
  7,
  'ON CONFLICT(twin, type, id) DO UPDATE SET pos = excluded.pos, body = excluded.body',
);
const IDX_ROWS = new ManyRows('INSERT INTO idx(twin, type, name, value, ord) VALUES', 5);
