// The statements of lists, and how their rows become pages: each is a range of one index, so its cost is that of its
// page and not of the table.
import type { Page } from '../../../twins/kit/tx.ts';

export type Place = { readonly ord: number };
export type Listed = Place & { readonly body: string };

export type Scans = {
  readonly newest: string;
  readonly oldest: string;
  /** The place of the n-th, of the index alone: no body is read of what is left out. */
  readonly nthNewest: string;
  readonly nthOldest: string;
};

// `LIMIT +?`: were the limit bare, SQLite would plan the statement anew with every value that is bound.
const scansOf = (bodies: string, places: string, ord: string): Scans => ({
  newest: `${bodies} ORDER BY ${ord} DESC LIMIT +?`,
  oldest: `${bodies} ORDER BY ${ord} LIMIT +?`,
  nthNewest: `${places} ORDER BY ord DESC LIMIT 1 OFFSET +?`,
  nthOldest: `${places} ORDER BY ord LIMIT 1 OFFSET +?`,
});

/** Every list is one of these: of a type, or of a type under one value of one index. */
export const WHOLE_TYPE: Scans = scansOf(
  'SELECT ord, body FROM head WHERE twin = ? AND type = ? AND ord >= ? AND ord < ?',
  'SELECT ord FROM head WHERE twin = ? AND type = ? AND ord >= ? AND ord < ?',
  'ord',
);

// CROSS JOIN keeps the index outermost, whatever the planner thinks of the sizes; that is what bounds a list.
export const UNDER_VALUE: Scans = scansOf(
  `SELECT i.ord AS ord, h.body AS body FROM idx AS i
   CROSS JOIN head AS h ON h.twin = i.twin AND h.type = i.type AND h.ord = i.ord
   WHERE i.twin = ? AND i.type = ? AND i.name = ? AND i.value = ? AND i.ord >= ? AND i.ord < ?`,
  'SELECT ord FROM idx WHERE twin = ? AND type = ? AND name = ? AND value = ? AND ord >= ? AND ord < ?',
  'i.ord',
);

/** The first record made at a place or after it. */
export const FIRST_FROM =
  'SELECT ord, at FROM head WHERE twin = ? AND type = ? AND ord >= ? AND ord < ? ORDER BY ord LIMIT 1';

/** The first of several ranges, each in order: as many as each of them gave at most, and each place once. */
export const union = (ranges: readonly Listed[][], descending: boolean, size: number): Listed[] => {
  const places = new Map(ranges.flat().map(row => [row.ord, row]));
  const rows = [...places.values()].sort((a, b) => (descending ? b.ord - a.ord : a.ord - b.ord));
  return rows.slice(0, size);
};

/** `last`: the place of the last item where more follow it, else null. */
export const page = <T>(items: T[], last: number | null, reversed: boolean): Page<T> => {
  if (reversed) return { items: items.reverse(), more: last !== null };
  return last === null ? { items, more: false } : { items, more: true, cursor: last.toString(36) };
};

/** Null for what no page said: clients send cursors back, and may send anything. */
export const orderOfCursor = (cursor: string): number | null => {
  const ord = /^[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor, 36) : Number.NaN;
  return Number.isSafeInteger(ord) ? ord : null;
};
