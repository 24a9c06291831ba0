// The branches that stand on entries which are about to move: they read them in this world by their positions.
import type { Sql } from '../../ports/sql.ts';

type Moved = { readonly twin: string; readonly from: number };

/** By name. */
export const branchesOn = (sql: Pick<Sql, 'all' | 'get'>, moves: readonly Moved[]): readonly string[] =>
  sql
    .all<{ world: string; at: number; positions: string | null }>(
      'SELECT world, at, positions FROM child ORDER BY world',
    )
    .filter(({ at, positions }) =>
      moves.some(({ twin, from }) => {
        const kept = positions === null ? null : (JSON.parse(positions) as { [twin: string]: number });
        return (kept === null ? positionAt(sql, twin, at) : (kept[twin] ?? 0)) > from;
      }),
    )
    .map(({ world }) => world);

/** Of a branch that says only when it left. */
const positionAt = (sql: Pick<Sql, 'get'>, twin: string, at: number): number =>
  sql.get<{ pos: number }>(
    'SELECT pos FROM entry WHERE twin = ? AND at <= ? ORDER BY at DESC, pos DESC LIMIT 1',
    twin,
    at,
  )?.pos ?? 0;
