// The records of one twin as they were at a position: read in pages, by type and in the order they were made,
// whatever is written meanwhile. What was at a position never changes.
import type { Sql } from '../../ports/sql.ts';
import type { PastRecord, RecordKey } from '../log/history-source.ts';
import { orderFrom } from '../store/record-order.ts';

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
): readonly PastRecord[] => {
  const records: PastRecord[] = [];
  let from = after?.order ?? -1;
  for (let type = after?.type ?? typeAfter(sql, twin, ''); type !== null; ) {
    const wanted = limit - records.length;
    const lives = sql.all<Life>(LIVES, twin, type, from, orderFrom(position + 1), position, wanted);
    for (const { id, ord, at, ...newest } of lives) {
      // Most stand to this day as they were then.
      const stands = newest.body !== null && newest.pos <= position;
      const version = stands
        ? (newest as Version)
        : sql.get<Version>(
            'SELECT pos, body FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos <= ? ORDER BY pos DESC LIMIT 1',
            twin,
            type,
            id,
            position,
          )!;
      records.push({ type, id, position: version.pos, order: ord, at, body: version.body });
    }
    if (lives.length === wanted) break;
    type = typeAfter(sql, twin, type);
    from = -1;
  }
  return records;
};

// Both sides come in the order of their keys, so a page costs what it holds.
export const LIVES = `SELECT id, pos, ord, at, body FROM head
     WHERE twin = ?1 AND type = ?2 AND ord > ?3 AND ord < ?4
   UNION ALL SELECT id, pos, ord, at, NULL FROM gone
     WHERE twin = ?1 AND type = ?2 AND ord > ?3 AND ord < ?4 AND pos > ?5
   ORDER BY ord LIMIT ?6`;

/** From one type to the next: the records are many and their types are few. */
const typeAfter = (sql: Pick<Sql, 'get'>, twin: string, type: string): string | null =>
  sql.get<{ type: string | null }>(
    `SELECT min(type) AS type FROM (
       SELECT (SELECT type FROM head WHERE twin = ?1 AND type > ?2 ORDER BY type LIMIT 1) AS type
       UNION ALL SELECT (SELECT type FROM gone WHERE twin = ?1 AND type > ?2 ORDER BY type LIMIT 1))`,
    twin,
    type,
  )?.type ?? null;
