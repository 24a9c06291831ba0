// The dashboard: its pages at the vendor's own paths, each of them with `/test` before it and without.
import { headerOf } from '../../kit/operation.ts';
import type { Reply } from '../../kit/reply.ts';
import { notice, type Screen, type ScreenAsk } from '../api/screen.ts';
import type { RecordName } from '../records.ts';
import { customers } from './customers.ts';
import { developersPage, setVersion } from './developers.ts';
import { events } from './events.ts';
import { homePage } from './home.ts';
import { invoices } from './invoices.ts';
import type { Kind } from './kind.ts';
import { listPage, made } from './list.ts';
import { logPage, logsPage } from './logs.ts';
import { done, objectPage } from './object.ts';
import { charges, payments } from './payments.ts';
import { prices, products } from './products.ts';
import { searchPage } from './search.ts';
import { subscriptions } from './subscriptions.ts';
import { testClocks } from './test-clocks.ts';
import { type Visit, visitOf } from './visit.ts';

const HOST = 'dashboard.stripe.com';

type Page = (visit: Visit, method: 'GET' | 'POST', path: ScreenAsk['path']) => Reply;

/** A page that has no form takes none. */
const read =
  (page: (visit: Visit, path: ScreenAsk['path']) => Reply): Page =>
  (visit, method, path) =>
    method === 'GET' ? page(visit, path) : notice(405, 'Not here', 'This page takes no form.');

function screens(name: string, path: string, page: Page, ofObject = false): readonly Screen[] {
  const run = (ask: ScreenAsk): Reply =>
    guarded(ask, () => page(visitOf(ask, ofObject ? ask.act : ask.platform), ask.method, ask.path));
  return [
    { id: `dashboard-${name}`, host: HOST, path: path === '' ? '/test' : `/test/${path}`, run },
    { id: `dashboard-${name}-live`, host: HOST, path: `/${path}`, run },
  ];
}

/** A browser in the world reaches this host from any page it is on: a form is taken from the dashboard's own alone. */
function guarded({ call, method }: ScreenAsk, run: () => Reply): Reply {
  const from = headerOf(call, 'sec-fetch-site');
  if (method === 'GET' || from === null || from === 'same-origin') return run();
  return notice(
    403,
    'Not from here',
    'A form of the dashboard is sent from the dashboard. Open the page and send it there.',
  );
}

function kind<Name extends RecordName>(of: Kind<Name>): readonly Screen[] {
  const { path, prefix = '', list } = of;
  const object = screens(
    `${of.noun.replaceAll(' ', '-')}`,
    `${path}/${prefix}{id}`,
    (visit, method, { id = '' }) =>
      method === 'GET' ? objectPage(visit, of, prefix + id) : done(visit, of, prefix + id),
    true,
  );
  if (list === undefined) return object;
  const all = screens(path, path, (visit, method) =>
    method === 'GET' ? listPage(visit, of, list) : made(visit, of, list),
  );
  return [...all, ...object];
}

const HOME = [...screens('home', '', read(homePage)), ...screens('start', 'dashboard', read(homePage))];
const LOGS = [
  ...screens('logs', 'logs', read(logsPage)),
  ...screens(
    'log',
    'logs/{id}',
    read((visit, { id = '' }) => logPage(visit, id)),
  ),
];

const DEVELOPERS = screens('developers', 'developers', (visit, method) =>
  method === 'GET' ? developersPage(visit) : setVersion(visit),
);

export const DASHBOARD: readonly Screen[] = [
  ...HOME,
  ...kind(payments),
  ...kind(charges),
  ...kind(customers),
  ...kind(subscriptions),
  ...kind(invoices),
  ...kind(products),
  ...kind(prices),
  ...kind(testClocks),
  ...kind(events),
  ...LOGS,
  ...DEVELOPERS,
  ...screens('search', 'search', read(searchPage)),
];

/** The pages that the manifest names, which lead to all the others. */
export const DASHBOARD_FRONT: readonly Screen[] = DASHBOARD.filter(
  ({ id, path }) =>
    !id.endsWith('-live') && !path.includes('{') && path !== '/test/dashboard' && path !== '/test/search',
);
