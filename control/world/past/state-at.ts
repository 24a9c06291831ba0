// The records of one twin as they were at a position: read in pages, by type and in the order they were made,
// whatever is written meanwhile. What was at a position never changes.
import type { Sql } from '../../ports/sql.ts';
import { PAST_ROWS_PER_TURN } from '../limits.ts';
import type { Counted, PastRecord, RecordKey } from '../log/history-source.ts';
import { orderFrom } from '../store/record-order.ts';
import { turn } from '../store/turn.ts';
import { ALL_KEPT, type KeptFrom } from './kept-from.ts';

type Life = {
  readonly id: string;
  /** Of its newest version while it stands; of its end when it has ended, and then it has no body. */
  readonly pos: number;
  readonly ord: number;
  readonly at: number;
  readonly body: string | null;
};

type Version = { readonly pos: number; readonly body: string };

export const recordsAt = (
  sql: Pick<Sql, 'all' | 'get'>,
  twin: string,
  position: number,
  after: RecordKey | null,
  limit: number,
  keptFrom: KeptFrom = ALL_KEPT,
): readonly PastRecord[] => {
  const records: PastRecord[] = [];
  let from = after?.order ?? -1;
  for (let type = after?.type ?? typeAfter(sql, twin, ''); type !== null; ) {
    const wanted = limit - records.length;
    from = Math.max(from, keptFrom(type) - 1);
    const lives = sql.all<Life>(LIVES, twin, type, from, orderFrom(position + 1), position, wanted);
    for (const life of lives) records.push(recordOf(sql, twin, position, type, life));
    if (lives.length === wanted) break;
    type = typeAfter(sql, twin, type);
    from = -1;
  }
  return records;
};

/**
 * Of one type, newest first: those that were made before a place. What had ended by then is passed over, however much that is,
 * in turns: nobody else waits for more than one.
 */
export const recordsBefore = async (
  sql: Pick<Sql, 'all' | 'get'>,
  twin: string,
  position: number,
  type: string,
  before: number,
  limit: number,
  keptFrom: KeptFrom = ALL_KEPT,
): Promise<readonly PastRecord[]> => {
  const records: PastRecord[] = [];
  const first = keptFrom(type);
  let end = Math.min(before, orderFrom(position + 1));
  for (let looked = limit; ; looked = Math.min(looked * 4, PAST_ROWS_PER_TURN)) {
    const lives = sql.all<Life>(NEWEST_MADE, twin, type, first, end, looked);
    for (const life of lives)
      if (records.length < limit && (life.body !== null || life.pos > position))
        records.push(recordOf(sql, twin, position, type, life));
    if (records.length === limit || lives.length < looked) return records;
    end = lives.at(-1)!.ord;
    await turn();
  }
};

/** One record; null when there was none. */
export const recordAt = (
  sql: Pick<Sql, 'all' | 'get'>,
  twin: string,
  position: number,
  type: string,
  id: string,
): PastRecord | null => {
  const later = orderFrom(position + 1);
  const head = sql.get<Life>(
    'SELECT id, pos, ord, at, body FROM head WHERE twin = ? AND type = ? AND id = ?',
    twin,
    type,
    id,
  );
  if (head !== undefined && head.ord < later) return recordOf(sql, twin, position, type, head);
  // It was made since, perhaps again, or has ended.
  if (versionAt(sql, twin, position, type, id)?.body == null) return null;
  const ended = sql.get<Life>(
    `SELECT id, pos, ord, at, NULL AS body FROM gone
     WHERE twin = ? AND type = ? AND ord < ? AND pos > ? AND id = ?`,
    twin,
    type,
    later,
    position,
    id,
  );
  return ended === undefined ? null : recordOf(sql, twin, position, type, ended);
};

const recordOf = (
  sql: Pick<Sql, 'get'>,
  twin: string,
  position: number,
  type: string,
  { id, ord, at, ...newest }: Life,
): PastRecord => {
  // Most stand to this day as they were then.
  const stands = newest.body !== null && newest.pos <= position;
  const version = stands ? (newest as Version) : (versionAt(sql, twin, position, type, id) as Version);
  return { type, id, position: version.pos, order: ord, at, body: version.body };
};

const versionAt = (
  sql: Pick<Sql, 'get'>,
  twin: string,
  position: number,
  type: string,
  id: string,
): { readonly pos: number; readonly body: string | null } | undefined =>
  sql.get<{ pos: number; body: string | null }>(
    'SELECT pos, body FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos <= ? ORDER BY pos DESC LIMIT 1',
    twin,
    type,
    id,
    position,
  );

/** Of a twin, those that stand and those that ended. */
export const typesOf = (sql: Pick<Sql, 'get'>, twin: string): readonly string[] => {
  const types: string[] = [];
  for (let type = typeAfter(sql, twin, ''); type !== null; type = typeAfter(sql, twin, type))
    types.push(type);
  return types;
};

/** How many of each type there were: of indexes alone, no record is read, and in turns. */
export const countsAt = async (
  sql: Pick<Sql, 'get'>,
  twin: string,
  position: number,
  keptFrom: KeptFrom = ALL_KEPT,
): Promise<readonly Counted[]> => {
  const counted: Counted[] = [];
  for (const type of typesOf(sql, twin)) {
    const count = await countAt(sql, twin, position, { type, from: keptFrom(type) });
    if (count > 0) counted.push({ type, count });
  }
  return counted;
};

const countAt = async (
  sql: Pick<Sql, 'get'>,
  twin: string,
  position: number,
  { type, from: first }: { readonly type: string; readonly from: number },
): Promise<number> => {
  const end = orderFrom(position + 1);
  for (let from = first - 1, count = 0; ; ) {
    const { last, looked, lives } = sql.get<{ last: number; looked: number; lives: number | null }>(
      COUNTED,
      twin,
      type,
      from,
      end,
      position,
      PAST_ROWS_PER_TURN,
    )!;
    count += lives ?? 0;
    if (looked < PAST_ROWS_PER_TURN) return count;
    from = last;
    await turn();
  }
};

// A record is on one side or on the other, so one that ends between two turns is counted once.
const COUNTED = `SELECT max(ord) AS last, count(*) AS looked, sum(lives) AS lives FROM (
     SELECT ord, 1 AS lives FROM head WHERE twin = ?1 AND type = ?2 AND ord > ?3 AND ord < ?4
     UNION ALL SELECT ord, pos > ?5 FROM gone WHERE twin = ?1 AND type = ?2 AND ord > ?3 AND ord < ?4
     ORDER BY ord LIMIT +?6)`;

// Both sides come in the order of their keys, so a page costs what it holds.
const BOTH = `SELECT id, pos, ord, at, body FROM head
     WHERE twin = ?1 AND type = ?2 AND ord > ?3 AND ord < ?4
   UNION ALL SELECT id, pos, ord, at, NULL FROM gone
     WHERE twin = ?1 AND type = ?2 AND ord > ?3 AND ord < ?4 AND pos > ?5`;
export const LIVES: string = `${BOTH} ORDER BY ord LIMIT +?6`;
/** All that were made, whether they have ended or not. */
export const NEWEST_MADE: string = `SELECT id, pos, ord, at, body FROM head
     WHERE twin = ?1 AND type = ?2 AND ord >= ?3 AND ord < ?4
   UNION ALL SELECT id, pos, ord, at, NULL FROM gone WHERE twin = ?1 AND type = ?2 AND ord >= ?3 AND ord < ?4
   ORDER BY ord DESC LIMIT +?5`;

/** From one type to the next: the records are many and their types are few. */
const typeAfter = (sql: Pick<Sql, 'get'>, twin: string, type: string): string | null =>
  sql.get<{ type: string | null }>(
    `SELECT min(type) AS type FROM (
       SELECT (SELECT type FROM head WHERE twin = ?1 AND type > ?2 ORDER BY type LIMIT 1) AS type
       UNION ALL SELECT (SELECT type FROM gone WHERE twin = ?1 AND type > ?2 ORDER BY type LIMIT 1))`,
    twin,
    type,
  )?.type ?? null;
