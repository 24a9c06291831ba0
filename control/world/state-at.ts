// The records of one twin as they were at a position, from the index of versions: read in pages, in the order of
// type and id, whatever is written meanwhile. What was at a position never changes.
import type { Instant } from '../../twins/kit/tx.ts';
import type { Sql } from '../ports/sql.ts';
import type { Birth, PastRecord, RecordKey } from './history-source.ts';
import { positionOf, recordOrder } from './record-order.ts';
import type { RecordChange } from './transaction.ts';

type Row = { readonly type: string; readonly id: string; readonly pos: number; readonly body: string };

export const recordsAt = (
  sql: Pick<Sql, 'all'>,
  twin: string,
  position: number,
  after: RecordKey | null,
  limit: number,
): readonly PastRecord[] =>
  sql
    .all<Row>(
      // `body` is that of the row with the greatest `pos`.
      `SELECT type, id, max(pos) AS pos, body FROM ver
       WHERE twin = ? AND (type, id) > (?, ?) AND pos <= ?
       GROUP BY type, id HAVING body IS NOT NULL ORDER BY type, id LIMIT ?`,
      twin,
      after?.type ?? '',
      after?.id ?? '',
      position,
      limit,
    )
    .map(({ type, id, pos, body }) => ({ type, id, position: pos, body }));

type Made = { readonly position: number; readonly at: Instant; readonly changes: readonly RecordChange[] };

/** When records that stood at a position were made, and in which order. `base`: see branch-base.ts. */
export class Births {
  readonly #sql: Pick<Sql, 'get'>;
  readonly #twin: string;
  readonly #position: number;
  readonly #base: number;
  #entry: Made | null = null;

  constructor(sql: Pick<Sql, 'get'>, at: { twin: string; position: number; base: number }) {
    this.#sql = sql;
    this.#twin = at.twin;
    this.#position = at.position;
    this.#base = at.base;
  }

  of({ type, id }: RecordKey): Birth {
    // Most stand to this day, and say it themselves.
    const head = this.#sql.get<{ ord: number }>(
      'SELECT ord FROM head WHERE twin = ? AND type = ? AND id = ?',
      this.#twin,
      type,
      id,
    );
    const made = head === undefined ? Number.POSITIVE_INFINITY : positionOf(head.ord);
    const position = made <= this.#position ? made : this.#madeAt(type, id);
    if (position <= this.#base) return this.#inherited(type, id);
    const { at, changes } = this.#made(position);
    if (head !== undefined && made === position) return { order: head.ord, at };
    const place = changes.findIndex(
      change => change.op === 'put' && change.type === type && change.id === id,
    );
    return { order: recordOrder(position, changes[place]?.n ?? place), at };
  }

  /** It was deleted or made anew since: the first version after the last time it was gone. */
  #madeAt(type: string, id: string): number {
    return this.#sql.get<{ pos: number }>(
      `SELECT min(pos) AS pos FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos > coalesce(
         (SELECT max(pos) FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos <= ? AND body IS NULL), 0)`,
      this.#twin,
      type,
      id,
      this.#twin,
      type,
      id,
      this.#position,
    )!.pos;
  }

  #inherited(type: string, id: string): Birth {
    const born = this.#sql.get<{ ord: number; at: number }>(
      'SELECT ord, at FROM born WHERE twin = ? AND type = ? AND id = ?',
      this.#twin,
      type,
      id,
    )!;
    return { order: born.ord, at: born.at };
  }

  #made(position: number): Made {
    if (this.#entry?.position === position) return this.#entry;
    const row = this.#sql.get<{ at: number; changes: string }>(
      'SELECT at, changes FROM entry WHERE twin = ? AND pos = ?',
      this.#twin,
      position,
    )!;
    this.#entry = { position, at: row.at, changes: JSON.parse(row.changes) as RecordChange[] };
    return this.#entry;
  }
}
