// A twin's own log as its screens read it: every page is a range of an index, and no body of a record is read for it.
import type { Instant, Logged, LoggedRequest, LogReader, Page } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { askedJson } from './asked.ts';
import { ENTRY_COLUMNS, type EntryRow } from './entry.ts';

const SELECT = `SELECT ${ENTRY_COLUMNS} FROM entry WHERE twin = ?`;
const STANDS = 'SELECT pos FROM head WHERE twin = ? AND type = ? AND id = ? AND pos <= ?';
/** What was written over, and where the record ended. */
const STOOD =
  'SELECT pos FROM ver WHERE twin = ? AND type = ? AND id = ? AND pos <= ? ORDER BY pos DESC LIMIT +?';

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
        ? this.#rows(`${SELECT} AND pos < ? ORDER BY pos DESC LIMIT +?`, before, limit + 1)
        : this.#rows(`${SELECT} AND pos > ? ORDER BY pos LIMIT +?`, after, limit + 1);
    const items = rows.slice(0, limit).map(logged);
    return { items: after === undefined ? items : items.reverse(), more: rows.length > limit };
  }

  /** `upTo`: none after this position, for who looks at the past. */
  about(type: string, id: string, limit: number, upTo: number = Number.MAX_SAFE_INTEGER): readonly Logged[] {
    const stands = this.#sql.all<{ pos: number }>(STANDS, this.#twin, type, id, upTo);
    const stood = this.#sql.all<{ pos: number }>(STOOD, this.#twin, type, id, upTo, limit);
    const wrote = [...stands, ...stood].slice(0, limit).map(({ pos }) => pos);
    if (wrote.length === 0) return [];
    const places = JSON.stringify(wrote);
    const rows = this.#rows(`${SELECT} AND pos IN (SELECT value FROM json_each(?))`, places);
    return rows.map(logged).sort((a, b) => b.position - a.position);
  }

  between(from: Instant, until: Instant, limit: number): readonly Logged[] {
    return this.#rows(`${SELECT} AND at >= ? AND at < ? ORDER BY at, pos LIMIT +?`, from, until, limit).map(
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
