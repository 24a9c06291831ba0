// Records that a deployed request made here beside the one that the vendor answered: the vendor has made the like under ids
// that its answer did not tell. They stand in for these until a pass over the root, begun since, has brought the vendor's own.
import type { Sql } from '../../ports/sql.ts';

export type StandIn = { readonly type: string; readonly id: string };

/** Inside the transaction of the entry at `position`. `at`: wall time. */
export const keepStandIns = (
  sql: Pick<Sql, 'run'>,
  twin: string,
  records: readonly StandIn[],
  { position, at }: { readonly position: number; readonly at: number },
): void => {
  for (const { type, id } of records)
    sql.run('INSERT OR REPLACE INTO stand_in VALUES (?, ?, ?, ?, ?)', twin, type, id, position, at);
};

/** Those that a pass which began at that wall time has replaced: it brought records of their type since. */
export const replacedStandIns = (
  sql: Pick<Sql, 'all'>,
  twin: string,
  began: number,
  limit: number,
): readonly StandIn[] =>
  sql.all(
    `SELECT type, id FROM stand_in WHERE twin = ? AND at <= ? AND EXISTS (SELECT 1 FROM observed
       WHERE observed.twin = stand_in.twin AND observed.type = stand_in.type AND observed.pos > stand_in.pos)
     ORDER BY type, id LIMIT +?`,
    twin,
    began,
    limit,
  );

/** Inside a transaction. */
export const dropStandIn = (sql: Pick<Sql, 'run'>, twin: string, { type, id }: StandIn): void => {
  sql.run('DELETE FROM stand_in WHERE twin = ? AND type = ? AND id = ?', twin, type, id);
};
