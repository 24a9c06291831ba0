// A list's page: what the API's list of the type answers, page by page, by its cursors; what a search found; and a form
// that makes one.
import { type Html, html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { StripeRefusal } from '../api/errors.ts';
import type { View } from '../api/view.ts';
import type { RecordName, Records } from '../records.ts';
import { framed } from './frame.ts';
import type { Kind, ListPart, Make } from './kind.ts';
import { onceField, seeOther, taken, takenBefore } from './once.ts';
import { operate } from './operate.ts';
import { table } from './table.ts';
import { pageOfId, type Visit } from './visit.ts';

const PAGE_ROWS = 20;

type Found<Held> = {
  readonly rows: readonly Held[];
  /** The query of the page that follows, and of the one before; null where there is none. */
  readonly older: URLSearchParams | null;
  readonly newer: URLSearchParams | null;
};

const NOTHING = { rows: [], older: null, newer: null } as const;

export function listPage<Name extends RecordName>(
  visit: Visit,
  kind: Kind<Name>,
  part: ListPart<Records[Name]>,
  error: string | null = null,
  status = 200,
): Reply {
  const { query } = visit;
  const asked = (query.get('query') ?? '').trim();
  let found: Found<Records[Name]> = NOTHING;
  let refusal = error;
  try {
    found = asked === '' ? listed(visit, part) : searched(visit, part, asked);
  } catch (thrown) {
    if (!(thrown instanceof StripeRefusal)) throw thrown;
    refusal = thrown.message;
    status = thrown.status;
  }
  const narrowed = asked !== '' || narrowing(part).some(param => query.has(param));
  const body = html`${find(kind, part, visit)}
<div class="card">${found.rows.length === 0 ? empty(part, narrowed) : table(visit, kind.title, part.columns, found.rows)}</div>
${pages(found)}
${part.make === undefined || !visit.writes ? null : maker(part.make, visit)}`;
  return framed(visit, { title: kind.title, at: kind.path, body, status, error: refusal });
}

const narrowing = <Held>({ filters = [], takes = [] }: ListPart<Held>): readonly string[] => [
  ...filters.map(({ param }) => param),
  ...takes,
];

function listed<Held>({ act, query }: Visit, part: ListPart<Held>): Found<Held> {
  const params: { [field: string]: string } = { limit: String(PAGE_ROWS) };
  for (const name of [...narrowing(part), 'starting_after', 'ending_before']) {
    const value = query.get(name);
    if (value !== null && value !== '') params[name] = value;
  }
  const { data, has_more: more } = operate(act, { operation: part.operation, params }) as View & {
    readonly data: readonly (Held & { readonly id: string })[];
  };
  const [first, last] = [data[0], data.at(-1)];
  const backwards = query.has('ending_before');
  const to = (cursor: string, id: string): URLSearchParams => {
    const next = new URLSearchParams(query);
    next.delete('starting_after');
    next.delete('ending_before');
    next.set(cursor, id);
    return next;
  };
  return {
    rows: data,
    older: last !== undefined && (more === true || backwards) ? to('starting_after', last.id) : null,
    newer:
      first !== undefined && (backwards ? more === true : query.has('starting_after'))
        ? to('ending_before', first.id)
        : null,
  };
}

/** A query of the API's (`email:"ada@example.com"`), an id, or words that are an index's value. */
function searched<Held>(visit: Visit, part: ListPart<Held>, asked: string): Found<Held> {
  const { act, query } = visit;
  if (part.search !== undefined && /["':<>~]/.test(asked) && /[:<>~]/.test(asked)) {
    const page = query.get('page');
    const params = { query: asked, limit: String(PAGE_ROWS), ...(page === null ? {} : { page }) };
    const answer = operate(act, { operation: part.search, params });
    const next = answer['next_page'];
    const older = new URLSearchParams(query);
    if (typeof next === 'string') older.set('page', next);
    const rows = answer['data'] as readonly Held[];
    return { rows, older: typeof next === 'string' ? older : null, newer: null };
  }
  return { ...NOTHING, rows: part.byWords?.(visit, asked) ?? [] };
}

function find<Held>(
  { path, noun }: Pick<Kind, 'path' | 'noun'>,
  part: ListPart<Held>,
  { query, base }: Visit,
): Html {
  const choices = (part.filters ?? []).map(({ param, title, values }) => {
    const chosen = query.get(param) ?? '';
    const options = ['', ...values].map(
      value =>
        html`<option value="${value}"${value === chosen ? { html: ' selected' } : null}>${value === '' ? 'any' : value.replaceAll('_', ' ')}</option>`,
    );
    return html`<label for="filter-${param}">${title}</label><select id="filter-${param}" name="${param}">${options}</select>`;
  });
  const kept = (part.takes ?? []).map(param => {
    const value = query.get(param);
    return value === null ? html`` : html`<input type="hidden" name="${param}" value="${value}">`;
  });
  const words =
    part.byWords === undefined && part.search === undefined
      ? null
      : html`<label class="hidden" for="words">Search ${noun}s</label><input id="words" name="query" type="search" placeholder="${part.search === undefined ? 'Search' : 'Words, or a query of the API’s'}" value="${query.get('query') ?? ''}">`;
  if (words === null && choices.length === 0) return html``;
  return html`<form class="find filters" action="${base}${path}"><span class="find">${words}</span>${choices}${kept}<button type="submit">Show</button></form>`;
}

function pages<Held>({ older, newer }: Found<Held>): Html {
  if (older === null && newer === null) return html``;
  const to = (query: URLSearchParams | null, rel: string, title: string): Html =>
    query === null ? html`<span></span>` : html`<a href="?${query.toString()}" rel="${rel}">${title}</a>`;
  return html`<nav class="more" aria-label="Pages">${to(newer, 'prev', 'Newer')}${to(older, 'next', 'Older')}</nav>`;
}

function empty<Held>({ empty: { says, curl } }: ListPart<Held>, narrowed: boolean): Html {
  if (narrowed) return html`<div class="empty"><p>Nothing matches.</p></div>`;
  return html`<div class="empty"><p>${says}</p><p class="quiet">The first one is made by your app, or by hand:</p>
<pre>wrld world run -- curl https://api.stripe.com${curl}</pre></div>`;
}

function maker({ label, fields }: Make, { act }: Visit): Html {
  return html`<details><summary>${label}</summary><form method="post" class="deed">${onceField(act)}${fields}
<button type="submit">${label}</button></form></details>`;
}

/** Makes one, and goes to its page. */
export function made<Name extends RecordName>(
  visit: Visit,
  kind: Kind<Name>,
  part: ListPart<Records[Name]>,
): Reply {
  const { act, base } = visit;
  const writes = act.tx.writes;
  const before = takenBefore(visit);
  if (before !== null) return seeOther(before);
  if (part.make === undefined) return listPage(visit, kind, part, 'Nothing can be made here.', 405);
  try {
    const { id } = operate(act, part.make.asks(visit.form));
    const to = `${base}${pageOfId(String(id))}`;
    taken(visit, to);
    return seeOther(to);
  } catch (thrown) {
    if (!(thrown instanceof StripeRefusal) || act.tx.writes > writes) throw thrown;
    return listPage(visit, kind, part, thrown.message, thrown.status);
  }
}
