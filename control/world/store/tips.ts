// How far the log of each twin goes, for whoever keeps that outside of the store: a store that has less than it had
// once has lost something.
import type { Sql } from '../../ports/sql.ts';

/** The newest position of each twin that has any of its own. */
export type Tips = { readonly [twin: string]: number };

/** One look a twin, however long the logs are. */
export const readTips = (sql: Pick<Sql, 'all'>): Tips => {
  const rows = sql.all<{ twin: string; pos: number }>(
    `WITH RECURSIVE named(twin) AS (
       SELECT min(twin) FROM entry
       UNION ALL SELECT (SELECT min(twin) FROM entry WHERE entry.twin > named.twin) FROM named WHERE twin IS NOT NULL)
     SELECT twin, (SELECT max(pos) FROM entry WHERE entry.twin = named.twin) AS pos FROM named WHERE twin IS NOT NULL`,
  );
  return Object.fromEntries(rows.map(({ twin, pos }) => [twin, pos]));
};
