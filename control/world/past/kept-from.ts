// What is found for a while alone (`keptMs`: Stripe's events, for thirty days) is part of a twin's state for no longer: it is
// neither told with it, nor counted, nor copied into a branch. Its row stays where it is, for the log tells of it, and to
// move it would cost each write more than it saves. Which state a position has never changes, so its own entry is what
// says how late it was.
import type { Sql } from '../../ports/sql.ts';
import { ORDER_FIRST, orderFrom, positionOf } from '../store/record-order.ts';

/** The first place of a type at which the state has records. */
export type KeptFrom = (type: string) => number;

export const ALL_KEPT: KeptFrom = () => ORDER_FIRST;

/** `keptMs`: for how long records of a type are found; null for ever. */
export const keptFrom =
  (
    sql: Pick<Sql, 'get'>,
    keptMs: (type: string) => number | null,
    { twin, position }: { readonly twin: string; readonly position: number },
  ): KeptFrom =>
  type => {
    const ms = keptMs(type);
    if (ms === null) return ORDER_FIRST;
    const at = sql.get<{ at: number }>('SELECT at FROM entry WHERE twin = ? AND pos = ?', twin, position)?.at;
    // At its base a branch has what its parent told of there, and nothing besides.
    if (at === undefined) return ORDER_FIRST;
    // Their instants grow with their places: halved until the first one is found that is not too early.
    let [low, high] = [0, position + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const made = sql.get<Made>(FIRST_MADE, twin, type, orderFrom(middle), orderFrom(high));
      if (made === undefined || made.at >= at - ms) high = middle;
      else low = positionOf(made.ord) + 1;
    }
    return orderFrom(low);
  };

type Made = { readonly ord: number; readonly at: number };

const firstOf = (table: string): string =>
  `SELECT * FROM (SELECT ord, at FROM ${table} WHERE twin = ?1 AND type = ?2 AND ord >= ?3 AND ord < ?4 ORDER BY ord LIMIT 1)`;
const FIRST_MADE = `${firstOf('head')} UNION ALL ${firstOf('gone')} ORDER BY ord LIMIT 1`;
