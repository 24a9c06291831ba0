// One visit to the dashboard: who looks, at which address, and where from there the other pages are.
import { type Html, html } from '../../kit/html.ts';
import type { Act } from '../api/act.ts';
import type { ScreenAsk } from '../api/screen.ts';

export type Visit = {
  readonly act: Act;
  readonly query: URLSearchParams;
  readonly form: ReadonlyMap<string, string>;
  /** A button that is shown works. */
  readonly writes: boolean;
  /** Leads from this page to the dashboard's first one, and ends with `/`. */
  readonly base: string;
};

/**
 * `act`: one of the ask's; an object's page is of its account, and all others are of the platform. Pages stand at the
 * vendor's host and under the world's place alike, so their links are relative.
 */
export function visitOf({ call, query, form }: ScreenAsk, act: Act): Visit {
  const up = '../'.repeat(call.path.split('/').length - 2);
  const test = call.path === '/test' || call.path.startsWith('/test/');
  return {
    act,
    query,
    form,
    writes: (call.may ?? call.scope) === 'write',
    base: `${up === '' ? './' : up}${test ? 'test/' : ''}`,
  };
}

/** Kinds of objects that have a page, by how their ids begin; the longest beginning counts. */
const PAGES: readonly (readonly [prefix: string, path: string])[] = [
  ['ch_', 'payments'],
  ['clock_', 'test-clocks'],
  ['cus_', 'customers'],
  ['evt_', 'events'],
  ['in_', 'invoices'],
  ['pi_', 'payments'],
  ['price_', 'prices'],
  ['prod_', 'products'],
  ['py_', 'payments'],
  ['req_', 'logs'],
  ['sub_', 'subscriptions'],
];

/** Where the object of an id has its page, from the dashboard's first one; null where it has none. */
export function pageOfId(id: string): string | null {
  if (id.startsWith('sub_sched_')) return null;
  const found = PAGES.find(([prefix]) => id.startsWith(prefix) && id.length > prefix.length);
  return found === undefined ? null : `${found[1]}/${encodeURIComponent(id)}`;
}

/** A reference to an object: a link where it has a page. */
export function refer({ base }: Visit, id: string, shown: string | Html = id): Html {
  const page = pageOfId(id);
  return page === null ? html`<code>${shown}</code>` : html`<a href="${base}${page}">${shown}</a>`;
}
