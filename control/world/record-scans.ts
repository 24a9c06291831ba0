// The statements of lists: each is a range of one index, so its cost is that of its page and not of the table.

export type Scans = {
  readonly newest: string;
  readonly oldest: string;
  /** The place of the n-th, of the index alone: no body is read of what is left out. */
  readonly nthNewest: string;
  readonly nthOldest: string;
};

const scansOf = (bodies: string, places: string, ord: string): Scans => ({
  newest: `${bodies} ORDER BY ${ord} DESC LIMIT ?`,
  oldest: `${bodies} ORDER BY ${ord} LIMIT ?`,
  nthNewest: `${places} ORDER BY ord DESC LIMIT 1 OFFSET ?`,
  nthOldest: `${places} ORDER BY ord LIMIT 1 OFFSET ?`,
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
