// A twin's own log as its screens read it: every page is a range of an index, and no body of a record is read for it.
import type { Instant, Logged, LoggedRequest, LogReader, Page } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { askedJson } from './asked.ts';
import { ENTRY_COLUMNS, type EntryRow } from './entry.ts';

const SELECT = `SELECT ${ENTRY_COLUMNS} FROM entry WHERE twin = ?`;
/** Of one record: where it stands, and what was written over. */
const WROTE = `SELECT pos FROM head WHERE twin = ?1 AND type = ?2 AND id = ?3
  UNION SELECT * FROM (SELECT pos FROM ver WHERE twin = ?1 AND type = ?2 AND id = ?3 ORDER BY pos DESC LIMIT ?4)
  ORDER BY pos DESC LIMIT ?4`;

export class TwinLog implements LogReader {
  readonly #sql: Pick<Sql, 'all'>;
  readonly #twin: string;

  /** `twin`: the vendor id. */
  constructor(sql: Pick<Sql, 'all'>, twin: string) {
    this.#sql = sql;
    this.#twin = twin;
  }

  entries({
    before = Number.MAX_SAFE_INTEGER,
    after,
    limit,
  }: Parameters<LogReader['entries']>[0]): Page<Logged> {
    const rows =
      after === undefined
        ? this.#rows(`${SELECT} AND pos < ? ORDER BY pos DESC LIMIT ?`, before, limit + 1)
        : this.#rows(`${SELECT} AND pos > ? ORDER BY pos LIMIT ?`, after, limit + 1);
    const items = rows.slice(0, limit).map(logged);
    return { items: after === undefined ? items : items.reverse(), more: rows.length > limit };
  }

  about(type: string, id: string, limit: number): readonly Logged[] {
    const wrote = this.#sql.all<{ pos: number }>(WROTE, this.#twin, type, id, limit);
    if (wrote.length === 0) return [];
    const places = JSON.stringify(wrote.map(({ pos }) => pos));
    const rows = this.#rows(`${SELECT} AND pos IN (SELECT value FROM json_each(?))`, places);
    return rows.map(logged).sort((a, b) => b.position - a.position);
  }

  between(from: Instant, until: Instant, limit: number): readonly Logged[] {
    return this.#rows(`${SELECT} AND at >= ? AND at < ? ORDER BY at, pos LIMIT ?`, from, until, limit).map(
      logged,
    );
  }

  #rows(text: string, ...values: readonly (string | number)[]): readonly EntryRow[] {
    return this.#sql.all<EntryRow>(text, this.#twin, ...values);
  }
}

const logged = ({ pos, at, kind, caller, method, path, asked, changes }: EntryRow): Logged => ({
  position: pos,
  at,
  kind,
  caller,
  // Both are there or neither is.
  request:
    method === null || path === null ? null : (JSON.parse(askedJson(method, path, asked)) as LoggedRequest),
  changes: (JSON.parse(changes) as Logged['changes'][number][]).map(({ op, type, id }) => ({ op, type, id })),
});
