// The developers' logs: every request as the journal has it (requests.ts); and what the world's log keeps, the requests that
// changed something and what happened by itself.
import { type Html, html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import type { Logged, LoggedRequest } from '../../kit/tx.ts';
import { find } from '../api/act.ts';
import { eventColumns } from './events.ts';
import { framed } from './frame.ts';
import type { Column } from './kind.ts';
import { asked, requestColumns } from './request-columns.ts';
import { finder, requestPage, requestsPage } from './requests.ts';
import { listed, section, table } from './table.ts';
import { refer, type Visit } from './visit.ts';
import { badge, instant } from './words.ts';

const PAGE_ROWS = 20;
const CHANGES_SHOWN = 50;
/** Of a second of the log, looked through for one request. */
const SECOND_ENTRIES = 200;
const POSITION = /^[1-9]\d{0,14}$/;

export const logsPage = (visit: Visit): Reply =>
  visit.query.get('show') === 'changes' ? changesPage(visit) : requestsPage(visit);

function changesPage(visit: Visit): Reply {
  const { act, query } = visit;
  const cursor = (name: string): number | null => {
    const value = query.get(name) ?? '';
    return POSITION.test(value) ? Number(value) : null;
  };
  const [before, after] = [cursor('starting_after'), cursor('ending_before')];
  const { items, more } = act.tx.log.entries({
    limit: PAGE_ROWS,
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  });
  const [first, last] = [items[0], items.at(-1)];
  const newer = first !== undefined && (after === null ? before !== null : more);
  const older = last !== undefined && (after !== null || more);
  const to = (cursor: string, { position }: Logged): string => `?show=changes&${cursor}=${position}`;
  const body = html`${finder(visit)}
<div class="card">${items.length === 0 ? EMPTY : table(visit, 'Logs', requestColumns, items)}</div>
<nav class="more" aria-label="Pages">${newer ? html`<a href="${to('ending_before', first)}" rel="prev">Newer</a>` : html`<span></span>`}${older ? html`<a href="${to('starting_after', last)}" rel="next">Older</a>` : null}</nav>`;
  return framed(visit, { title: 'Logs', at: 'logs', body });
}

const EMPTY = html`<div class="empty"><p>Nothing is in the log yet.</p><p class="quiet">The first entry is made by your app, or by hand:</p>
<pre>wrld world run -- curl https://api.stripe.com/v1/customers -u sk_test_1: -d name="Ada Lovelace"</pre></div>`;

/**
 * `id`: a position of the log, or a request's id as answers, events and errors tell it. One that the journal has no more is
 * found in the log by the second `t` at which it came.
 */
export function logPage(visit: Visit, id: string): Reply {
  const { log, requests } = visit.act.tx;
  const whole = id.startsWith('req_') ? requests.one(id) : null;
  if (whole !== null) return requestPage(visit, whole);
  const entry = POSITION.test(id)
    ? log.entries({ before: Number(id) + 1, limit: 1 }).items.find(held => String(held.position) === id)
    : ofRequest(visit, id);
  return entry === undefined ? none(visit, id) : shown(visit, entry);
}

function ofRequest({ act, query }: Visit, id: string): Logged | undefined {
  const second = Number(query.get('t') ?? '');
  if (!Number.isInteger(second) || second <= 0) return undefined;
  const entries = act.tx.log.between(second * 1000, (second + 1) * 1000, SECOND_ENTRIES);
  return entries.find(({ changes }) => {
    const told = changes.find(({ type }) => type === 'event');
    return told !== undefined && find(act, 'event', told.id)?.request.id === id;
  });
}

function none(visit: Visit, id: string): Reply {
  const body = html`<p>Neither log has <code>${id}</code>: requests are kept for a month, and those that changed something for ever.</p>
<p><a href="${visit.base}logs">Logs</a></p>`;
  return framed(visit, { title: 'Not found', at: 'logs', body, status: 404 });
}

function shown(visit: Visit, entry: Logged): Reply {
  const { request, changes } = entry;
  const told = changes.filter(({ type }) => type === 'event');
  const events = told.slice(0, CHANGES_SHOWN).flatMap(({ id }) => find(visit.act, 'event', id) ?? []);
  const others = changes.filter(({ type, op }) => type !== 'event' && op !== 'blob');
  const body = html`<p><a href="${visit.base}logs">Logs</a></p>
<div class="card">${listed([
    ['Did', entry.kind],
    ['Came', instant(entry.at / 1000)],
    ['By', entry.caller ?? (request === null ? 'Stripe itself' : null)],
    ['Query', request?.query ?? null],
    ...Object.entries(request?.headers ?? {}),
    ['Position', String(entry.position)],
  ])}</div>
${request === null ? null : bodyOf(request)}
${section(visit, 'Changed', CHANGE_COLUMNS, others.slice(0, CHANGES_SHOWN))}${rest(others)}
${section(visit, 'Told', eventColumns, events)}${rest(told)}`;
  return framed(visit, { title: asked(entry), at: 'logs', body });
}

function rest({ length }: Logged['changes']): Html {
  const more = length - CHANGES_SHOWN;
  return more > 0 ? html`<p class="quiet">And ${more} more.</p>` : html``;
}

const CHANGE_COLUMNS: readonly Column<Logged['changes'][number]>[] = [
  { title: 'Object', cell: (visit, { id }) => refer(visit, id) },
  { title: 'Type', cell: (_visit, { type }) => type },
  { title: 'What', cell: (_visit, { op }) => badge(op, op === 'delete' ? 'Removed' : 'Written') },
];

/** A form by its fields, anything else as it came. */
function bodyOf({ headers, body }: LoggedRequest): Html {
  if (body === undefined) return html``;
  const isForm = headers?.['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const text = isForm ? listed([...new URLSearchParams(body)]) : html`<pre>${body}</pre>`;
  return html`<h2>Body</h2><div class="card">${text}</div>`;
}
