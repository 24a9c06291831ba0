// The journal of one twin as its screens read it: what is in the store, and before it what waits to be.
import type { JournaledRequest, RequestReader, WholeJournaled } from '../../../twins/kit/journal.ts';
import { credentialsOf, maskPath } from '../../../twins/kit/secrets.ts';
import type { KeptRequest } from '../../../twins/kit/twin.ts';
import type { Sql } from '../../ports/sql.ts';
import { REQUEST_NAMED_LINES_MAX, REQUEST_SCANNED_LINES_MAX } from '../limits.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import type { Journal } from './journal.ts';
import { laidOut } from './laid-out.ts';
import { routeOf } from './route.ts';

type Row = {
  readonly id: number;
  readonly at: number;
  readonly name: string;
  readonly route: string;
  readonly status: number;
  readonly us: number;
  readonly caller: string | null;
  readonly trace: string | null;
  readonly span: string | null;
  readonly answered: string;
};

type Parts = {
  readonly sql: Pick<Sql, 'all' | 'get'>;
  readonly journal: Pick<Journal, 'waiting'>;
  readonly exchanges: Pick<Exchanges, 'of'>;
  /** The vendor id. */
  readonly twin: string;
  readonly keeps?: KeptRequest | undefined;
};

const COLUMNS = 'id, at, name, route, status, us, caller, trace, span, answered';
const END = Number.MAX_SAFE_INTEGER;

export class TwinRequests implements RequestReader {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  page({
    before = END,
    limit,
    fits,
  }: Parameters<RequestReader['page']>[0]): ReturnType<RequestReader['page']> {
    const { written, next } = this.#ends();
    const below = Math.min(before, next);
    const above = Math.max(below - 1 - REQUEST_SCANNED_LINES_MAX, 0);
    const items: JournaledRequest[] = [];
    for (const row of [...this.#waiting(written, below), ...this.#written(above, below)]) {
      const request = this.#told(row);
      if (fits?.(request) === false) continue;
      // One more than is wanted: there is another page, which begins with it.
      if (items.length === limit) return { items, before: row.id + 1 };
      items.push(request);
    }
    return { items, before: this.#isAt(above) ? above + 1 : null };
  }

  one(id: string): WholeJournaled | null {
    const { written, next } = this.#ends();
    const waiting = this.#waiting(written, next).find(row => row.answered === id);
    const row =
      waiting ??
      this.#parts.sql.get<Row>(
        `SELECT ${COLUMNS} FROM journal WHERE id > ? AND answered = ? AND name = ? ORDER BY id DESC LIMIT 1`,
        written - REQUEST_NAMED_LINES_MAX,
        id,
        this.#parts.twin,
      );
    if (row === undefined) return null;
    const exchange = this.#exchangeOf(row);
    return {
      request: this.#told(row),
      position: this.#positionOf(row),
      exchange: exchange === undefined ? null : laidOut(exchange, this.#parts.keeps),
    };
  }

  /** The newest key in the store, and the key of what comes after all that waits. */
  #ends(): { readonly written: number; readonly next: number } {
    const { sql, journal } = this.#parts;
    const written = sql.get<{ id: number | null }>('SELECT max(id) AS id FROM journal')?.id ?? 0;
    return { written, next: written + journal.waiting.length + 1 };
  }

  /** Newest first, with the keys that they get when they are written. */
  #waiting(written: number, below: number): readonly Row[] {
    const { journal, twin } = this.#parts;
    return journal.waiting
      .flatMap((line, at) => {
        const { name, answered, method, path, route, ms } = line;
        const id = written + 1 + at;
        if (id >= below || name !== twin || answered === null) return [];
        return { ...line, id, answered, route: routeOf(method, path, route), us: Math.round(ms * 1000) };
      })
      .toReversed();
  }

  /** Those without a name are a screen's, or a browser's question beforehand. The journal is by time alone. */
  #written(above: number, below: number): readonly Row[] {
    const { sql, twin } = this.#parts;
    return sql.all<Row>(
      `SELECT ${COLUMNS} FROM journal
       WHERE id > ? AND id < ? AND name = ? AND answered IS NOT NULL ORDER BY id DESC LIMIT +?`,
      above,
      below,
      twin,
      REQUEST_SCANNED_LINES_MAX,
    );
  }

  #isAt(key: number): boolean {
    return this.#parts.sql.get('SELECT 1 FROM journal WHERE id <= ? LIMIT 1', key) !== undefined;
  }

  #told(row: Row): JournaledRequest {
    const called = this.#exchangeOf(row)?.call;
    const space = row.route.indexOf(' ');
    return {
      key: row.id,
      id: row.answered,
      at: row.at,
      method: row.route.slice(0, space),
      path:
        called === undefined
          ? row.route.slice(space + 1)
          : maskPath(called.path, credentialsOf(called.headers, called.query)),
      status: row.status,
      ms: row.us / 1000,
      caller: row.caller,
    };
  }

  #exchangeOf({ span }: Row): Exchange | undefined {
    return span === null ? undefined : this.#parts.exchanges.of(span);
  }

  #positionOf({ trace, span }: Row): number | null {
    if (trace === null || span === null) return null;
    const entry = this.#parts.sql.get<{ readonly pos: number }>(
      'SELECT pos FROM entry WHERE trace = ? AND span = ? AND twin = ? ORDER BY at LIMIT 1',
      trace,
      span,
      this.#parts.twin,
    );
    return entry?.pos ?? null;
  }
}
