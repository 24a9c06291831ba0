// The developers' logs as the world's journal has them: every request with an id, those that only read and those that were
// refused too; newest first, narrowed by what came of it, by method, and by words.
import { parseJson } from '../../../policy/json-text.ts';
import { type Html, html } from '../../kit/html.ts';
import type { JournaledRequest, ShownBody, ShownHeaders, WholeJournaled } from '../../kit/journal.ts';
import type { Reply } from '../../kit/reply.ts';
import { framed } from './frame.ts';
import type { Column } from './kind.ts';
import { listed, table } from './table.ts';
import type { Visit } from './visit.ts';
import { instant } from './words.ts';

const PAGE_ROWS = 20;
const KEY = /^[1-9]\d{0,14}$/;

export const SHOWN = [
  ['', 'every request'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['changes', 'what changed something'],
] as const;
const METHODS = [
  ['', 'any'],
  ['GET', 'GET'],
  ['POST', 'POST'],
  ['DELETE', 'DELETE'],
] as const;

export function requestsPage(visit: Visit): Reply {
  const { act, query } = visit;
  const cursor = query.get('before') ?? '';
  const { items, before } = act.tx.requests.page({
    limit: PAGE_ROWS,
    fits: asked(query),
    ...(KEY.test(cursor) ? { before: Number(cursor) } : {}),
  });
  const older = new URLSearchParams(query);
  older.set('before', String(before));
  const newest = new URLSearchParams(query);
  newest.delete('before');
  const body = html`${finder(visit)}
<div class="card">${items.length === 0 ? empty(query) : table(visit, 'Logs', requestColumns, items)}</div>
<nav class="more" aria-label="Pages">${query.has('before') ? html`<a href="?${newest.toString()}" rel="first">Newest</a>` : html`<span></span>`}${before === null ? null : html`<a href="?${older.toString()}" rel="next">Older</a>`}</nav>
<p class="quiet">By the clock of this machine, which the world’s does not move. Requests are kept for a month, and the newest of them whole.</p>`;
  return framed(visit, { title: 'Logs', at: 'logs', body });
}

/** What the reader is looking for. */
function asked(query: URLSearchParams): (request: JournaledRequest) => boolean {
  const words = (query.get('query') ?? '').trim().toLowerCase();
  const [show, method] = [query.get('show'), query.get('method') ?? ''];
  return request => {
    if (show === 'failed' ? succeeded(request) : show === 'succeeded' && !succeeded(request)) return false;
    if (method !== '' && request.method !== method) return false;
    return words === '' || `${request.id} ${request.path} ${request.status}`.toLowerCase().includes(words);
  };
}

const succeeded = ({ status }: JournaledRequest): boolean => status >= 200 && status < 400;

/** The form that narrows the logs, whichever of them are shown. */
export function finder({ query, base }: Visit): Html {
  const choice = (name: string, title: string, values: readonly (readonly [string, string])[]): Html => {
    const chosen = query.get(name) ?? '';
    const options = values.map(
      ([value, shown]) =>
        html`<option value="${value}"${value === chosen ? { html: ' selected' } : null}>${shown}</option>`,
    );
    return html`<label for="logs-${name}">${title}</label><select id="logs-${name}" name="${name}">${options}</select>`;
  };
  return html`<form class="find filters" action="${base}logs"><span class="find"><label class="hidden" for="words">Search logs</label><input id="words" name="query" type="search" placeholder="An id, a path or a status" value="${query.get('query') ?? ''}"></span>${choice('show', 'Show', SHOWN)}${choice('method', 'Method', METHODS)}<button type="submit">Show</button></form>`;
}

function empty(query: URLSearchParams): Html {
  if (['query', 'show', 'method', 'before'].some(name => (query.get(name) ?? '') !== ''))
    return html`<div class="empty"><p>Nothing matches.</p></div>`;
  return html`<div class="empty"><p>Nothing was asked yet.</p><p class="quiet">The first request is made by your app, or by hand:</p>
<pre>wrld world run -- curl https://api.stripe.com/v1/customers -u sk_test_1:</pre></div>`;
}

const state = (request: JournaledRequest): Html =>
  html`<span class="badge ${succeeded(request) ? 'good' : 'bad'}">${request.status === 0 ? 'cut' : request.status}</span>`;

const requestColumns: readonly Column<JournaledRequest>[] = [
  {
    title: 'Request',
    cell: ({ base }, { id, method, path }) => html`<a href="${base}logs/${id}">${method} ${path}</a>`,
  },
  { title: 'Status', cell: (_visit, request) => state(request) },
  { title: 'Id', wide: true, cell: (_visit, { id }) => html`<code>${id}</code>` },
  { title: 'When', cell: (_visit, { at }) => instant(at / 1000) },
];

export function requestPage(visit: Visit, { request, position, exchange }: WholeJournaled): Reply {
  const { id, method, path, at, ms, caller } = request;
  const changed =
    position === null
      ? html`<p class="quiet">It changed nothing.</p>`
      : html`<p><a href="${visit.base}logs/${position}">What it changed</a></p>`;
  const body = html`<p><a href="${visit.base}logs">Logs</a></p>
<div class="card">${listed([
    ['Status', state(request)],
    ['Id', html`<code>${id}</code>`],
    ['Came', instant(at / 1000)],
    ['Took', `${ms.toFixed(1)} ms`],
    ['By', caller],
    ['Query', exchange?.request.query ?? null],
  ])}</div>
${changed}
${exchange === null ? html`<p class="quiet">What was asked and answered is not held any more: the newest requests are held whole, until the world closes.</p>` : html`${part('Asked', exchange.request)}${part('Answered', exchange.answer)}`}`;
  return framed(visit, { title: `${method} ${path}`, at: 'logs', body });
}

function part(
  title: string,
  { headers, body }: { readonly headers: ShownHeaders; readonly body: ShownBody },
): Html {
  const text = body.text === null ? null : html`<pre>${pretty(body.text)}</pre>`;
  const without =
    body.bytes === 0 ? null : html`<p class="empty quiet">${body.bytes} bytes, which are not shown.</p>`;
  return html`<h2>${title}</h2><div class="card">${listed(headers)}${text ?? without}</div>`;
}

/** What is no JSON, or is too deep, as it came. */
function pretty(text: string): string {
  const read = parseJson(text);
  return read.ok ? JSON.stringify(read.value, null, 2) : text;
}
