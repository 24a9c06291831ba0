// Requests one by one, the newest first: those to twins out of the journal, and with them those that the proxy let out or
// refused. Two logs that only grow, each with a key of its own: a page of both is the merge by time, and a cursor has both
// keys.

import type { ShownExchange } from '../../../twins/kit/journal.ts';
import type { KeptRequest } from '../../../twins/kit/twin.ts';
import type { Sql } from '../../ports/sql.ts';
import { REQUEST_SCANNED_LINES_MAX } from '../limits.ts';
import { formatInstant } from '../store/instant.ts';
import type { CountedLine } from './counts.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import { linkOf } from './journal.ts';
import { laidOut } from './laid-out.ts';
import type { OutsideLine } from './outside.ts';

export type Outcome = 'twin' | 'granted' | 'refused';

export type RequestLine = {
  readonly id: string;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly outcome: Outcome;
  readonly twin: string | null;
  /** Who asked: a caller as the log names it, or the run. */
  readonly caller: string | null;
  readonly method: string | null;
  readonly host: string | null;
  /** Where it is not known any more, the operation's template. */
  readonly path: string | null;
  readonly rule: string | null;
  /** 0: the connection was cut instead. */
  readonly status: number;
  readonly ms: number | null;
  /** No handler and no operation of the twin answered it. */
  readonly unmatched: boolean;
  readonly trace: string | null;
};

/** Below or above both. */
export type LinesCursor = { readonly journal: number; readonly outside: number };

export type LinesAsk = {
  readonly limit: number;
  readonly before: LinesCursor | null;
  readonly since: LinesCursor | null;
  /** `failed`: answered with 400 or more, or cut. */
  readonly outcome: Outcome | 'failed' | null;
  /** Part of a host's name, or a twin. */
  readonly host: string | null;
  /** Part of what is asked, in either case. */
  readonly text: string | null;
};

export type LinesPage = {
  /** Newest first. */
  readonly lines: readonly RequestLine[];
  /** `before` of the page that follows; null where there is none. */
  readonly next: string | null;
  /** `since` of whatever comes after all that there is now. */
  readonly newest: string;
};

export type WholeRequest = {
  readonly line: RequestLine;
  /** What it changed in the world. */
  readonly entry: { readonly twin: string; readonly position: number } | null;
  /** Null where it is not kept any more, or never was. */
  readonly exchange: ShownExchange | null;
};

type Row = CountedLine & {
  readonly id: number;
  readonly caller: string | null;
  readonly trace: string | null;
  readonly span: string | null;
};

const COLUMNS = 'id, at, name, route, status, us, unmatched, caller, trace, span';
const END = Number.MAX_SAFE_INTEGER;

/** Of a twin that the world has: its vendor's first host, and what is secret in its requests. */
export type KnownTwin = (
  name: string,
) => { readonly host: string | null; readonly keeps?: KeptRequest } | null;

type Parts = {
  readonly sql: Sql;
  readonly exchanges: Exchanges;
  readonly twin: KnownTwin;
};

/** Of one of the two logs: what fits, newest first, with the key of each; and where looking for more goes on, null: nowhere. */
type Found = {
  readonly lines: readonly (readonly [key: number, line: RequestLine])[];
  readonly rest: number | null;
};

export class RequestLines {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  page(ask: LinesAsk, outside: readonly OutsideLine[]): LinesPage {
    const last = this.#parts.sql.get<{ id: number | null }>('SELECT max(id) AS id FROM journal')?.id ?? 0;
    const before = ask.before ?? { journal: END, outside: END };
    const since = ask.since ?? { journal: 0, outside: 0 };
    const twins = this.#found(ask, since.journal, before.journal);
    const others = foundOutside(ask, outside, since.outside, before.outside);
    const lines: RequestLine[] = [];
    let [t, o] = [0, 0];
    while (lines.length < ask.limit) {
      const twin = twins.lines[t]?.[1];
      const other = others.lines[o]?.[1];
      if (twin === undefined && other === undefined) break;
      const takesTwin = other === undefined || (twin !== undefined && twin.at >= other.at);
      lines.push(takesTwin ? twin! : other);
      if (takesTwin) t += 1;
      else o += 1;
    }
    const journal = restOf(twins, t, before.journal);
    const rest = restOf(others, o, before.outside);
    return {
      lines,
      // Nothing is below the lowest key.
      next: journal === null && rest === null ? null : `${journal ?? 0}.${rest ?? 0}`,
      newest: `${last}.${outside.at(-1)?.seq ?? 0}`,
    };
  }

  /** `id` of a line; null where it is not told any more. */
  one(id: string, outside: readonly OutsideLine[]): WholeRequest | null {
    const key = Number(id.slice(1));
    if (id.startsWith('o')) {
      const seen = outside.find(({ seq }) => seq === key);
      return seen === undefined ? null : { line: outsideLine(seen), entry: null, exchange: null };
    }
    const row = this.#parts.sql.get<Row>(`SELECT ${COLUMNS} FROM journal WHERE id = ?`, key);
    if (row === undefined) return null;
    const exchange = this.#exchangeOf(row);
    const keeps = this.#parts.twin(row.name)?.keeps;
    return {
      line: this.#line(row),
      entry: this.#entryOf(row),
      exchange: exchange === undefined ? null : laidOut(exchange, keeps),
    };
  }

  #found(ask: LinesAsk, above: number, below: number): Found {
    if (ask.outcome === 'refused') return { lines: [], rest: null };
    const filters = ask.outcome !== null || ask.host !== null || ask.text !== null;
    // One more than is wanted tells whether there are more.
    const most = filters ? REQUEST_SCANNED_LINES_MAX : ask.limit + 1;
    const rows = this.#parts.sql.all<Row>(
      `SELECT ${COLUMNS} FROM journal WHERE id < ? AND id > ? ORDER BY id DESC LIMIT +?`,
      below,
      above,
      most,
    );
    const lines = rows.map(row => [row.id, this.#line(row)] as const).filter(([, line]) => fits(line, ask));
    return { lines, rest: rows.length < most ? null : rows.at(-1)!.id };
  }

  #line(row: Row): RequestLine {
    const { id, at, name, route, status, us, unmatched, caller, trace } = row;
    const link = linkOf(name);
    const called = this.#exchangeOf(row)?.call;
    const space = route.indexOf(' ');
    return {
      id: `t${id}`,
      at: formatInstant(at),
      outcome: link === null ? 'twin' : 'granted',
      twin: link === null ? name : null,
      caller,
      method: route.slice(0, space),
      host: link ?? (called?.via === 'host' ? called.host : (this.#parts.twin(name)?.host ?? null)),
      path: called?.path ?? route.slice(space + 1),
      rule: null,
      status,
      ms: us / 1000,
      unmatched: unmatched === 1,
      trace,
    };
  }

  #exchangeOf({ span }: Row): Exchange | undefined {
    return span === null ? undefined : this.#parts.exchanges.of(span);
  }

  #entryOf({ name, trace, span }: Row): WholeRequest['entry'] {
    if (trace === null || span === null) return null;
    const entry = this.#parts.sql.get<{ readonly pos: number }>(
      'SELECT pos FROM entry WHERE trace = ? AND span = ? AND twin = ? ORDER BY at LIMIT 1',
      trace,
      span,
      name,
    );
    return entry === undefined ? null : { twin: name, position: entry.pos };
  }
}

/** Where the page that follows begins, in one of the logs. */
const restOf = ({ lines, rest }: Found, taken: number, below: number): number | null => {
  if (taken === lines.length) return rest;
  return taken === 0 ? below : lines[taken - 1]![0];
};

const foundOutside = (
  ask: LinesAsk,
  outside: readonly OutsideLine[],
  above: number,
  below: number,
): Found => {
  if (ask.outcome === 'twin') return { lines: [], rest: null };
  const lines: (readonly [number, RequestLine])[] = [];
  // One more than is wanted tells whether there are more.
  for (let nth = outside.length - 1; nth >= 0 && lines.length <= ask.limit; nth--) {
    const seen = outside[nth]!;
    if (seen.seq <= above) break;
    if (seen.seq >= below) continue;
    const line = outsideLine(seen);
    if (fits(line, ask)) lines.push([seen.seq, line]);
  }
  return { lines, rest: null };
};

const outsideLine = ({ seq, at, run, ...line }: OutsideLine): RequestLine => ({
  ...line,
  id: `o${seq}`,
  at: formatInstant(at),
  twin: null,
  caller: run,
  unmatched: false,
});

const fits = (line: RequestLine, { outcome, host, text }: LinesAsk): boolean => {
  if (outcome === 'failed') {
    // Of a tunnel nobody saw an answer.
    if (line.outcome === 'refused' || line.path === null || (line.status > 0 && line.status < 400))
      return false;
  } else if (outcome !== null && line.outcome !== outcome) return false;
  if (host !== null && line.twin !== host && line.host?.includes(host) !== true) return false;
  if (text === null) return true;
  const told = [
    line.method,
    `${line.host ?? ''}${line.path ?? ''}`,
    line.status,
    line.rule,
    line.caller,
    line.trace,
  ];
  return told.join(' ').toLowerCase().includes(text);
};
