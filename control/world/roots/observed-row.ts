// What the root has of a record, as far as it was seen: what a three-way merge begins with. Where the record is as the root
// has it, the version that the refresh wrote says so, and the row names its position alone.
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { ManyRows } from '../store/many-rows.ts';

export type ObservedRow = {
  /** The version of the record that the last look at the root left. */
  readonly pos: number;
  /** The pass that told of it. */
  readonly pass: number;
  /** The root's own text, where that version is another: the world had changed the record. `null` in JSON: it is gone there. */
  readonly theirs: string | null;
  /** What a conflict began with; null where there is none. */
  readonly base: string | null;
};

export const readObserved = (
  sql: Pick<Sql, 'get'>,
  ...key: readonly [twin: string, type: string, id: string]
): ObservedRow | undefined =>
  sql.get<ObservedRow>(
    'SELECT pos, pass, theirs, base FROM observed WHERE twin = ? AND type = ? AND id = ?',
    ...key,
  );

export type NewObserved = ObservedRow & { readonly type: string; readonly id: string };

/** Inside a transaction, as is `dropObserved`. Texts as they stand in rows (blob-store.ts). */
export const writeObserved = (sql: Sql, twin: string, rows: readonly NewObserved[]): void => {
  const values: SqlValue[] = [];
  for (const { type, id, pos, pass, theirs, base } of rows)
    values.push(twin, type, id, pos, pass, theirs, base);
  OBSERVED_ROWS.write(sql, values);
};

export const dropObserved = (
  sql: Pick<Sql, 'run'>,
  ...key: readonly [twin: string, type: string, id: string]
): void => {
  sql.run('DELETE FROM observed WHERE twin = ? AND type = ? AND id = ?', ...key);
};

const OBSERVED_ROWS = new ManyRows(
  'INSERT INTO observed(twin, type, id, pos, pass, theirs, base) VALUES',
  7,
  `ON CONFLICT(twin, type, id) DO UPDATE SET
     pos = excluded.pos, pass = excluded.pass, theirs = excluded.theirs, base = excluded.base`,
);
