// From where a report begins: after an entry, or at an instant of wall time, which is found in each twin's log by halving.
import type { Sql } from '../../ports/sql.ts';
import type { BranchBase } from '../store/branch-base.ts';

export type Since =
  | { readonly at: number }
  | { readonly entry: { readonly twin: string; readonly position: number } };

export type Start = {
  /** Wall time; 0 for the beginning. */
  readonly at: number;
  /** Of each twin, the position before the first entry. */
  readonly floors: ReadonlyMap<string, number>;
};

type Parts = {
  readonly sql: Pick<Sql, 'get'>;
  readonly twins: readonly string[];
  readonly base: Pick<BranchBase, 'position'>;
};

/** Of each twin, the newest position of an instant of wall time or an earlier one. */
export const tipsAt = (parts: Parts, at: number): ReadonlyMap<string, number> =>
  startOf(parts, { at: at + 1 })!.floors;

/** Never below the base: what a branch inherited it did not do. Null for an entry that is not the world's own. */
export const startOf = ({ sql, twins, base }: Parts, since: Since | null): Start | null => {
  if (since === null) return { at: 0, floors: new Map(twins.map(twin => [twin, base.position(twin)])) };
  const after = 'entry' in since ? since.entry : null;
  const wallAt = (twin: string, pos: number): number | undefined =>
    sql.get<{ wall: number }>('SELECT wall FROM entry WHERE twin = ? AND pos = ?', twin, pos)?.wall;
  const at = 'at' in since ? since.at : wallAt(since.entry.twin, since.entry.position);
  if (at === undefined) return null;
  const floors = twins.map((twin): [string, number] => {
    if (twin === after?.twin) return [twin, after.position];
    let floor = base.position(twin);
    let tip =
      sql.get<{ pos: number }>('SELECT pos FROM entry WHERE twin = ? ORDER BY pos DESC LIMIT 1', twin)?.pos ??
      floor;
    while (floor < tip) {
      const middle = Math.ceil((floor + tip) / 2);
      if ((wallAt(twin, middle) ?? 0) < at) floor = middle;
      else tip = middle - 1;
    }
    return [twin, floor];
  });
  return { at, floors: new Map(floors) };
};
