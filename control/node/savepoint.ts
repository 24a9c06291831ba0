// How a world was when it was kept last, in memory: a test suite comes back to it before each test, so the way back takes
// milliseconds and is exact, waiting webhooks and kept answers included. Who gets in stays as it is (past/rewind.ts).
import { contentTables, OWN_META, takeWorld } from '../world/past/rewind.ts';
import type { SqliteFile } from './sqlite.ts';

const NAME = 'savepoint';

export class Savepoint {
  readonly #sql: SqliteFile;
  #kept = false;
  #branches: ReadonlySet<string> = new Set();

  constructor(sql: SqliteFile) {
    this.#sql = sql;
  }

  get kept(): boolean {
    return this.#kept;
  }

  /** Of the branches that are there, those that left the world later. */
  get branchesSince(): readonly string[] {
    return branchesOf(this.#sql).filter(branch => !this.#branches.has(branch));
  }

  /** In the place of the one before. */
  take(): void {
    const sql = this.#sql;
    if (!this.#kept) sql.run(`ATTACH ':memory:' AS ${NAME}`);
    sql.transaction(() => {
      for (const table of [...contentTables(sql), 'meta']) {
        sql.run(`DROP TABLE IF EXISTS ${NAME}.${table}`);
        const rows = table === 'meta' ? `WHERE NOT ${OWN_META}` : '';
        sql.run(`CREATE TABLE ${NAME}.${table} AS SELECT * FROM main.${table} ${rows}`);
      }
    });
    this.#branches = new Set(branchesOf(sql));
    this.#kept = true;
  }

  /** What the world remembers of itself is wrong afterwards (World.rewrite). */
  restore(): void {
    this.#sql.transaction(() => takeWorld(this.#sql, NAME));
  }
}

function branchesOf(sql: SqliteFile): readonly string[] {
  return sql.all<{ world: string }>('SELECT world FROM child').map(({ world }) => world);
}
