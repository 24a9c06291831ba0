// What the twins asked to be woken for. One queue for the whole world, in (at, twin, key) order: a queue a
// twin would let one twin's past be written after another's present.
import type { Instant } from '../../twins/kit/tx.ts';
import type { Sql, SqlValue } from '../ports/sql.ts';

export type DueRow = {
  readonly twin: string;
  readonly key: string;
  readonly at: Instant;
  readonly payload: string;
  /** The entry that scheduled it. */
  readonly cause: string | null;
};

export class DueQueue {
  readonly #sql: Sql;
  readonly #first: string;
  readonly #values: readonly SqlValue[];

  constructor(sql: Sql, mounted: readonly string[]) {
    this.#sql = sql;
    const waiting = sql.all<{ twin: string }>('SELECT DISTINCT twin FROM due').map(({ twin }) => twin);
    const absent = waiting.filter(twin => !mounted.includes(twin));
    // What a twin that is not in the world any more asked for waits until it is again.
    const but = absent.length === 0 ? '' : 'WHERE twin NOT IN (SELECT value FROM json_each(?))';
    this.#values = absent.length === 0 ? [] : [JSON.stringify(absent)];
    this.#first = `SELECT twin, key, at, payload, cause FROM due ${but} ORDER BY at, twin, key LIMIT 1`;
  }

  first(): DueRow | undefined {
    return this.#sql.get<DueRow>(this.#first, ...this.#values);
  }

  set(row: DueRow): void {
    this.#sql.run(
      `INSERT INTO due(twin, key, at, payload, cause) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT(twin, key) DO UPDATE SET at = excluded.at, payload = excluded.payload, cause = excluded.cause`,
      row.twin,
      row.key,
      row.at,
      row.payload,
      row.cause,
    );
  }

  remove(twin: string, key: string): void {
    this.#sql.run('DELETE FROM due WHERE twin = ? AND key = ?', twin, key);
  }
}
