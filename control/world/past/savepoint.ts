// How a world was when it was kept last: a test suite comes back to it before each test, so the way back takes milliseconds
// and is exact, waiting webhooks and kept answers included. Who gets in stays as it is (rewind.ts).
import type { Sql } from '../../ports/sql.ts';
import { SCHEMA_VERSION } from '../store/schema.ts';
import { contentTables, OWN_META, takeWorld } from './rewind.ts';

/** Where it is kept. */
export type SavepointPlace = {
  /** What stands before a table's name there. */
  readonly before: string;
  /** There is one there already. */
  readonly kept: boolean;
  /** Has a place for the first one. */
  readonly begin: () => void;
};

/** In the same store, in tables that are no content of the world: on a host whose store attaches no other. */
export const besideTables = (sql: Sql): SavepointPlace => {
  const before = `_savepoint_${SCHEMA_VERSION}_`;
  const tables = sql
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_savepoint\\_%' ESCAPE '\\'",
    )
    .map(({ name }) => name);
  // What an earlier release kept has other columns.
  const strange = tables.filter(name => !name.startsWith(before));
  if (strange.length > 0)
    sql.transaction(() => {
      for (const name of strange) sql.run(`DROP TABLE ${name}`);
    });
  return { before, kept: tables.includes(`${before}meta`), begin: () => {} };
};

export class Savepoint {
  readonly #sql: Sql;
  readonly #place: SavepointPlace;
  #kept: boolean;

  constructor(sql: Sql, place: SavepointPlace) {
    this.#sql = sql;
    this.#place = place;
    this.#kept = place.kept;
  }

  get kept(): boolean {
    return this.#kept;
  }

  /** Of the branches that are there, those that left the world later. */
  get branchesSince(): readonly string[] {
    return this.#sql
      .all<{ world: string }>(
        `SELECT world FROM child WHERE world NOT IN (SELECT world FROM ${this.#place.before}child) ORDER BY world`,
      )
      .map(({ world }) => world);
  }

  /** In the place of the one before. */
  take(): void {
    const sql = this.#sql;
    const { before, begin } = this.#place;
    if (!this.#kept) begin();
    sql.transaction(() => {
      for (const table of [...contentTables(sql), 'child', 'meta']) {
        sql.run(`DROP TABLE IF EXISTS ${before}${table}`);
        const rows = table === 'meta' ? `WHERE NOT ${OWN_META}` : '';
        sql.run(`CREATE TABLE ${before}${table} AS SELECT * FROM main.${table} ${rows}`);
      }
    });
    this.#kept = true;
  }

  /** What the world remembers of itself is wrong afterwards (World.rewrite). */
  restore(): void {
    this.#sql.transaction(() => takeWorld(this.#sql, this.#place.before));
  }
}
