// Stripe's search query language. A condition that an index knows bounds what is read; without one it is the newest
// records.
import type { RecordType } from '../../kit/twin.ts';
import { byWord } from '../../kit/tx.ts';
import type { RecordName } from '../records.ts';
import { type Act, select } from './act.ts';
import { invalid } from './errors.ts';
import { TOTAL_COUNT } from './expand-check.ts';
import { integer, required, text } from './params.ts';
import { type View, viewOf } from './view.ts';

export const searchParams = { query: required(text()), limit: integer(1, 100), page: text() } as const;

/** What one search reads: of all records of the type, or of those under the value that narrows it most. */
const SEARCH_SCAN_RECORDS_MAX = 10_000;
const SCAN_PAGE = 500;
const CLAUSES_MAX = 10;
const LIMIT_DEFAULT = 10;

type Clause = {
  readonly field: string;
  readonly key: string | null;
  readonly operator: ':' | '~' | '>' | '<' | '>=' | '<=';
  readonly value: string | null;
  readonly negated: boolean;
};

type Ask = {
  readonly query: string;
  readonly limit?: number;
  readonly page?: string;
  readonly expand?: readonly string[];
};

/** `fields` are the ones Stripe lets one search this type by; `metadata` stands for every key of it. */
export function search(act: Act, type: RecordName, ask: Ask, url: string, fields: readonly string[]): View {
  const { clauses, any } = parse(ask.query, fields);
  const limit = ask.limit ?? LIMIT_DEFAULT;
  const data: View[] = [];
  let after = ask.page === undefined ? undefined : decodePage(ask.page);
  if (after !== undefined && act.tx.get(type, after) === undefined) {
    throw invalid('Invalid page token.', { param: 'page' });
  }
  const where = any ? undefined : narrowed(act.records[type], clauses);
  // What can be searched by is shown as it is stored.
  const fits = (held: View): boolean =>
    any ? clauses.some(clause => holds(held, clause)) : clauses.every(clause => holds(held, clause));
  let last = '';
  let more = false;
  let scanned = 0;
  scan: while (scanned < SEARCH_SCAN_RECORDS_MAX) {
    const found = select(act.tx, type, {
      order: 'newest',
      limit: scanned === 0 ? Math.min(SCAN_PAGE, limit + 1) : SCAN_PAGE,
      ...(where === undefined ? {} : { where }),
      ...(after === undefined ? {} : { after }),
      keep: body => body['deleted'] !== true,
    });
    for (const record of found.items) {
      scanned += 1;
      const held = record as unknown as View;
      if (!fits(held)) continue;
      if (data.length === limit) {
        more = true;
        break scan;
      }
      data.push(viewOf(act, type, record));
      last = record.id;
    }
    after = found.items.at(-1)?.id;
    if (!found.more || after === undefined) break;
  }
  return {
    object: 'search_result',
    url,
    has_more: more,
    data,
    next_page: more ? encodePage(last) : null,
    ...(ask.expand?.includes(TOTAL_COUNT) === true ? { total_count: countOf(act, type, where, fits) } : {}),
  };
}

/** How many a search finds on all its pages, which Stripe too counts no further than this. */
function countOf(
  act: Act,
  type: RecordName,
  where: { readonly [field: string]: string } | undefined,
  fits: (held: View) => boolean,
): number {
  let found = 0;
  let scanned = 0;
  let after: string | undefined;
  while (scanned < SEARCH_SCAN_RECORDS_MAX) {
    const page = select(act.tx, type, {
      order: 'newest',
      limit: SCAN_PAGE,
      ...(where === undefined ? {} : { where }),
      ...(after === undefined ? {} : { after }),
      keep: body => body['deleted'] !== true,
    });
    found += page.items.filter(record => fits(record as unknown as View)).length;
    scanned += page.items.length;
    after = page.items.at(-1)?.id;
    if (!page.more || after === undefined) break;
  }
  return found;
}

/** Of conditions that all must hold, one that an index of the type answers. */
function narrowed(
  { indexes, words = [] }: RecordType,
  clauses: readonly Clause[],
): { readonly [field: string]: string } | undefined {
  for (const { field, key, operator, value, negated } of clauses) {
    if (operator !== ':' || value === null || negated) continue;
    if (words.includes(field)) return byWord(field, value, key);
    // Ids are what they are to the letter.
    if (REFERENCES.includes(field) && indexes.some(fields => fields.length === 1 && fields[0] === field))
      return { [field]: value };
  }
  return undefined;
}

const REFERENCES = ['customer', 'product', 'subscription'];

/** Clauses joined by `AND` or by `OR`, never both; `-field:` negates. */
function parse(query: string, fields: readonly string[]): { clauses: readonly Clause[]; any: boolean } {
  const clauses: Clause[] = [];
  const joins = new Set<string>();
  const token =
    /\s*(-?)([a-z_.]+)(?:\[(?:"([^"]*)"|'([^']*)')\])?\s*(>=|<=|:|~|>|<)\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([\w.+-]+))\s*/y;
  let at = 0;
  while (at < query.length) {
    token.lastIndex = at;
    const match = token.exec(query);
    if (match === null) throw unreadable(query);
    const [, minus, field = '', key1, key2, operator, quoted1, quoted2, bare] = match;
    if (!fields.includes(field)) {
      throw invalid(`Field \`${field}\` is an unsupported search field for this resource.`, {
        param: 'query',
      });
    }
    const literal = quoted1 ?? quoted2 ?? bare ?? '';
    clauses.push({
      field,
      key: key1 ?? key2 ?? null,
      operator: operator as Clause['operator'],
      value: bare === 'null' ? null : literal.replaceAll(/\\(.)/g, '$1'),
      negated: minus === '-',
    });
    at = token.lastIndex;
    if (at >= query.length) break;
    const join = /^(AND|OR)\s+/i.exec(query.slice(at, at + 8));
    // A space alone joins as AND.
    joins.add((join?.[1] ?? 'AND').toUpperCase());
    at += join?.[0].length ?? 0;
    if (clauses.length >= CLAUSES_MAX) throw unreadable(query);
  }
  if (clauses.length === 0) throw unreadable(query);
  if (joins.size > 1) {
    throw invalid('We were unable to parse your search query. You cannot combine AND and OR in one query.', {
      param: 'query',
    });
  }
  return { clauses, any: joins.has('OR') };
}

function unreadable(query: string): Error {
  return invalid(
    `We were unable to parse your search query. Try using the format \`metadata["key"]:"value"\` to query for ` +
      `metadata or key:"value" to query for other fields. Query: ${query.slice(0, 200)}`,
    { param: 'query' },
  );
}

function holds(view: View, clause: Clause): boolean {
  const held =
    clause.key === null ? view[clause.field] : (view[clause.field] as View | null | undefined)?.[clause.key];
  return compare(held ?? null, clause) !== clause.negated;
}

function compare(held: unknown, { operator, value }: Clause): boolean {
  if (value === null) return operator === ':' && held === null;
  if (held === null) return false;
  if (operator === ':') return String(held).toLowerCase() === value.toLowerCase();
  if (operator === '~') return String(held).toLowerCase().includes(value.toLowerCase());
  const a = Number(held);
  const b = Number(value);
  switch (operator) {
    case '>':
      return a > b;
    case '<':
      return a < b;
    case '>=':
      return a >= b;
    case '<=':
      return a <= b;
  }
}

function encodePage(id: string): string {
  return btoa(id);
}

function decodePage(token: string): string {
  try {
    return atob(token);
  } catch {
    throw invalid('Invalid page token.', { param: 'page' });
  }
}
