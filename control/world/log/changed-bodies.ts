// What each change of a page of entries made of its record, and what was there before, as the texts that stand in the
// rows. All of a page is asked for at once: a statement for the records as they stand, and one for what was written
// over since, however many changes there are.
import type { Sql } from '../../ports/sql.ts';
import { positionOf } from '../store/record-order.ts';

export type ChangedBody = {
  readonly twin: string;
  readonly type: string;
  readonly id: string;
  /** Of the entry. */
  readonly pos: number;
  readonly op: 'put' | 'delete' | 'blob';
  /** As they stand in their rows; null where there was none, or is none any more. */
  before: string | null;
  after: string | null;
};

type Head = {
  readonly n: number;
  readonly pos: number;
  readonly ord: number;
  readonly body: string | null;
};
type Versions = { readonly n: number; readonly before: string | null; readonly after: string | null };

/** Fills `before` and `after` in, which are null. */
export const readChangedBodies = (sql: Pick<Sql, 'all'>, changes: readonly ChangedBody[]): void => {
  const records = new Map<string, ChangedBody[]>();
  for (const change of changes) {
    const name = `${change.twin} ${change.type} ${change.id}`;
    const there = records.get(name);
    if (there === undefined) records.set(name, [change]);
    else there.push(change);
  }
  const lists = [...records.values()];
  const heads = new Map<number, Head>();
  // Its newest version in the page is the only one that can stand to this day.
  for (const head of ask<Head>(sql, HEADS, lists.map(newest))) heads.set(head.n, head);
  const older = lists.flatMap((list, n) => list.filter(change => !takeHead(change, heads.get(n))));
  for (const { n, before, after } of ask<Versions>(sql, VERSIONS, older)) {
    const change = older[n]!;
    change.before = before;
    if (change.op === 'put') change.after ??= after;
  }
};

const newest = (list: readonly ChangedBody[]): ChangedBody =>
  list.reduce((one, other) => (other.pos > one.pos ? other : one));

/** Whether that is all: what the entry itself made has nothing before. */
const takeHead = (change: ChangedBody, head: Head | undefined): boolean => {
  if (head === undefined) return false;
  if (change.op === 'put' && head.pos === change.pos) change.after = head.body;
  return change.after !== null && positionOf(head.ord) === change.pos;
};

/** Twin by twin, `n` of each row being the place of its change in the list. */
const ask = <T extends { readonly n: number }>(
  sql: Pick<Sql, 'all'>,
  text: string,
  changes: readonly ChangedBody[],
): T[] => {
  const byTwin = new Map<string, { [named: string]: string }>();
  changes.forEach(({ twin, type, id, pos }, n) => {
    let names = byTwin.get(twin);
    if (names === undefined) byTwin.set(twin, (names = {}));
    names[`${n} ${pos} ${type}`] = id;
  });
  return [...byTwin].flatMap(([twin, names]) => sql.all(text, twin, JSON.stringify(names)) as unknown as T[]);
};

// A number at the beginning of a text is what CAST reads of it: cheaper than JSON inside of JSON, for each change. An id
// may hold any character, so it stands alone.
const NAMED = `SELECT n, id, CAST(rest AS INTEGER) AS pos, substr(rest, instr(rest, ' ') + 1) AS type FROM (
    SELECT CAST(key AS INTEGER) AS n, value AS id, substr(key, instr(key, ' ') + 1) AS rest FROM json_each(?2))`;

const HEADS = `SELECT k.n, h.pos, h.ord, CASE WHEN h.pos = k.pos THEN h.body END AS body
  FROM (${NAMED}) AS k CROSS JOIN head AS h ON h.twin = ?1 AND h.type = k.type AND h.id = k.id`;

const VERSIONS = `SELECT k.n,
    (SELECT body FROM ver WHERE twin = ?1 AND type = k.type AND id = k.id AND pos < k.pos
       ORDER BY pos DESC LIMIT 1) AS before,
    (SELECT body FROM ver WHERE twin = ?1 AND type = k.type AND id = k.id AND pos = k.pos) AS after
  FROM (${NAMED}) AS k`;
