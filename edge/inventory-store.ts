// The rows of the inventory (2.13): what each world is, who owns it, and what its tokens are.
import type { EdgeSql } from './sql.ts';
import type { TokenTexts, WorldRecord } from './world-record.ts';

const SCHEMA = `CREATE TABLE IF NOT EXISTS world(
  name TEXT PRIMARY KEY,
  record TEXT NOT NULL,
  parent TEXT,
  owner TEXT,
  token TEXT NOT NULL,
  read_token TEXT NOT NULL,
  twins TEXT NOT NULL,
  expires INT,
  going INT NOT NULL DEFAULT 0
) WITHOUT ROWID`;

/** A world that moves here, with its branches. */
export type ArrivingRow = {
  /** `<org>/<world>`, of the first of them. */
  readonly name: string;
  /** Its archive's first part, without the end of that. */
  readonly header: string;
  /** Of the part that came last, and the number of the one that comes next. */
  readonly sum: string;
  readonly next: number;
  readonly worlds: readonly {
    readonly record: WorldRecord;
    readonly tokens: TokenTexts;
    readonly expires: number | null;
  }[];
};

const ARRIVING = `CREATE TABLE IF NOT EXISTS arriving(
  name TEXT PRIMARY KEY,
  header TEXT NOT NULL,
  sum TEXT NOT NULL,
  next INT NOT NULL,
  worlds TEXT NOT NULL,
  at INT NOT NULL
) WITHOUT ROWID`;

/** How a world that moved here came to its end: its last part, for whoever heard no answer. */
const MOVED = `CREATE TABLE IF NOT EXISTS moved(
  name TEXT PRIMARY KEY,
  last TEXT NOT NULL,
  worlds TEXT NOT NULL
) WITHOUT ROWID`;

/** What it was made with, and what it told of itself since. */
export type StoredWorld = TokenTexts & {
  readonly record: WorldRecord;
  readonly owner: string | null;
  /** JSON of what a row shows of them (2.13). */
  readonly twins: string;
  /** Wall time; null when it stays until it is removed. */
  readonly expires: number | null;
  /** Its removal has begun: it is served no more. */
  readonly going: boolean;
};

type Row = {
  readonly record: string;
  readonly owner: string | null;
  readonly token: string;
  readonly read_token: string;
  readonly twins: string;
  readonly expires: number | null;
  readonly going: number;
};

const COLUMNS = 'record, owner, token, read_token, twins, expires, going';

export class InventoryStore {
  readonly #sql: EdgeSql;

  constructor(sql: EdgeSql) {
    this.#sql = sql;
    sql.run(SCHEMA);
    sql.run(ARRIVING);
    sql.run(MOVED);
    sql.run('CREATE INDEX IF NOT EXISTS world_parent ON world(parent) WHERE parent IS NOT NULL');
  }

  /** Going or not. */
  get(name: string): StoredWorld | null {
    const row = this.#sql.get<Row>(`SELECT ${COLUMNS} FROM world WHERE name = ?`, name);
    return row === undefined ? null : storedOf(row);
  }

  add({ record, owner, token, readToken, twins, expires }: Omit<StoredWorld, 'going'>): void {
    this.#sql.run(
      `INSERT INTO world(name, record, parent, owner, token, read_token, twins, expires)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      record.name,
      JSON.stringify(record),
      record.parent?.name ?? null,
      owner,
      token,
      readToken,
      twins,
      expires,
    );
  }

  arriving(name: string): ArrivingRow | null {
    const row = this.#sql.get<{ header: string; sum: string; next: number; worlds: string }>(
      'SELECT header, sum, next, worlds FROM arriving WHERE name = ?',
      name,
    );
    return row === undefined
      ? null
      : { ...row, name, worlds: JSON.parse(row.worlds) as ArrivingRow['worlds'] };
  }

  /** Under the name of a world that arrives, unless that is `except`. */
  arrives(name: string, except: string): boolean {
    const found = this.#sql.get(
      `SELECT 1 AS found FROM arriving, json_each(arriving.worlds) AS each
       WHERE each.value ->> '$.record.name' = ? AND arriving.name <> ?`,
      name,
      except,
    );
    return found !== undefined;
  }

  addArriving({ name, header, sum, next, worlds }: ArrivingRow, at: number): void {
    this.#sql.run(
      'INSERT INTO arriving(name, header, sum, next, worlds, at) VALUES (?, ?, ?, ?, ?, ?)',
      name,
      header,
      sum,
      next,
      JSON.stringify(worlds),
      at,
    );
  }

  setArrived(name: string, { sum, next }: Pick<ArrivingRow, 'sum' | 'next'>, at: number): void {
    this.#sql.run('UPDATE arriving SET sum = ?, next = ?, at = ? WHERE name = ?', sum, next, at, name);
  }

  removeArriving(name: string): void {
    this.#sql.run('DELETE FROM arriving WHERE name = ?', name);
  }

  setMoved(name: string, last: string, worlds: readonly string[]): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO moved(name, last, worlds) VALUES (?, ?, ?)',
      name,
      last,
      JSON.stringify(worlds),
    );
  }

  /** The worlds that came under that name by that last part; null for none. */
  moved(name: string, last: string): readonly string[] | null {
    const row = this.#sql.get<{ worlds: string }>(
      'SELECT worlds FROM moved WHERE name = ? AND last = ?',
      name,
      last,
    );
    return row === undefined ? null : (JSON.parse(row.worlds) as readonly string[]);
  }

  /** Of which no part came since. */
  arrivingBefore(at: number): readonly string[] {
    return this.#sql
      .all<{ name: string }>('SELECT name FROM arriving WHERE at <= ? ORDER BY name', at)
      .map(({ name }) => name);
  }

  /** When a part of any came last; null where none arrives. */
  oldestArriving(): number | null {
    return this.#sql.get<{ at: number | null }>('SELECT min(at) AS at FROM arriving')?.at ?? null;
  }

  setOwner(name: string, owner: string): void {
    this.#sql.run('UPDATE world SET owner = ? WHERE name = ?', owner, name);
  }

  setTokens(name: string, { token, readToken }: TokenTexts): void {
    this.#sql.run('UPDATE world SET token = ?, read_token = ? WHERE name = ?', token, readToken, name);
  }

  setTwins(name: string, twins: string): void {
    this.#sql.run('UPDATE world SET twins = ? WHERE name = ?', twins, name);
  }

  setGoing(name: string): void {
    this.#sql.run('UPDATE world SET going = 1 WHERE name = ?', name);
  }

  remove(name: string): void {
    this.#sql.run('DELETE FROM world WHERE name = ?', name);
    this.#sql.run('DELETE FROM moved WHERE name = ?', name);
  }

  /** Of those that are served, by name. */
  names(): readonly string[] {
    return this.#sql
      .all<{ name: string }>('SELECT name FROM world WHERE going = 0 ORDER BY name')
      .map(({ name }) => name);
  }

  get count(): number {
    return this.#sql.get<{ n: number }>('SELECT count(*) AS n FROM world WHERE going = 0')!.n;
  }

  page(after: string, limit: number): readonly StoredWorld[] {
    return this.#sql
      .all<Row>(
        `SELECT ${COLUMNS} FROM world WHERE going = 0 AND name > ? ORDER BY name LIMIT +?`,
        after,
        limit,
      )
      .map(storedOf);
  }

  /** Those that are going too: what they read of their parent they may read until they are gone. */
  branchesOf(name: string): readonly string[] {
    return this.#sql
      .all<{ name: string }>('SELECT name FROM world WHERE parent = ? ORDER BY name', name)
      .map(row => row.name);
  }

  /** Whose removal broke off, and branches that have expired and have none of their own. */
  toRemove(now: number): readonly string[] {
    return this.#sql
      .all<{ name: string }>(
        `SELECT name FROM world WHERE going = 1 OR (expires <= ?
           AND NOT EXISTS (SELECT 1 FROM world AS child WHERE child.parent = world.name)) ORDER BY name`,
        now,
      )
      .map(({ name }) => name);
  }

  /** When the next expires; null for none. */
  nextExpiry(): number | null {
    return this.#sql.get<{ at: number | null }>('SELECT min(expires) AS at FROM world')?.at ?? null;
  }
}

function storedOf({ record, owner, token, read_token, twins, expires, going }: Row): StoredWorld {
  return {
    record: JSON.parse(record) as WorldRecord,
    owner,
    token,
    readToken: read_token,
    twins,
    expires,
    going: going === 1,
  };
}
