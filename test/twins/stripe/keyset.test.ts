// Lists and searches of the Stripe twin over a store of thousands: each is a range of an index, and reads its page.
import t from 'tap';
import { type Filled, fill } from '../../../bench/operations/seed.ts';
import { STORIES } from '../../../bench/operations/stories.ts';
import { openAlarms } from '../../../control/node/alarms.ts';
import { openBlobs } from '../../../control/node/blobs.ts';
import { digest } from '../../../control/node/digest.ts';
import { openEntropy } from '../../../control/node/entropy.ts';
import { openSqlite } from '../../../control/node/sqlite.ts';
import { wallClock } from '../../../control/node/wall-clock.ts';
import type { DurableSql } from '../../../control/ports/durability.ts';
import type { SqlRow, SqlValue } from '../../../control/ports/sql.ts';
import { openWorld } from '../../../control/world/open-world.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import type { Operation } from '../../../twins/stripe/api/operation.ts';
import type { Param } from '../../../twins/stripe/api/params.ts';
import { OPERATIONS } from '../../../twins/stripe/operations.ts';
import { stripeTwin } from '../../../twins/stripe/twin.ts';
import { receiver } from '../../kit/receiver.ts';
import { KEY } from '../../kit/stripe-world.ts';

const RECORDS = 3_000;
const LIMIT = 10;
/** A page and the row that says whether more follow; whatever its records have inside them; what any call reads. */
const ROWS_MAX = 4 * (LIMIT + 1);

type Asked = { readonly text: string; readonly values: readonly SqlValue[]; readonly rows: number };
type Shop = Filled & {
  /** One list, and the statements that it took. */
  list(path: string, query: string): Promise<{ status: number; body: Listed; asked: readonly Asked[] }>;
  plan(asked: Asked): string;
};
type Listed = {
  readonly data: readonly { readonly id: string }[];
  readonly error?: { readonly message: string };
};

const open = async (folder: string): Promise<Shop & { close(): Promise<void> }> => {
  const files = {
    database: `${folder}/world.db`,
    blobs: `${folder}/blobs`,
    store: folder,
    name: 'acme/shop',
  };
  const filled = await fill(STORIES['stripe']!, RECORDS, files);
  const store = openSqlite(files.database);
  let asked: Asked[] = [];
  const noted = <T extends SqlRow>(text: string, values: readonly SqlValue[], rows: T[]): T[] => {
    asked.push({ text, values, rows: rows.length });
    return rows;
  };
  const sql: DurableSql = {
    ...store,
    all: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) =>
      noted(text, values, store.all<T>(text, ...values)),
    get: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => {
      const row = store.get<T>(text, ...values);
      noted(text, values, row === undefined ? [] : [row]);
      return row;
    },
  };
  const ignore = (): void => undefined;
  const world = await openWorld({
    name: files.name,
    sql,
    durability: store,
    blobs: openBlobs(files.blobs),
    digest,
    wall: wallClock,
    alarms: openAlarms(wallClock),
    entropy: openEntropy(),
    outbound: receiver(() => ({ ok: true, status: 200, ms: 1 })),
    processLog: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (fields, text) => t.fail(text, { fields }),
    },
    twins: [{ id: 'stripe', twin: mountTwin(stripeTwin, null), package: null }],
  });
  return {
    ...filled,
    list: async (path, query) => {
      asked = [];
      const reply = await world.call('stripe', {
        method: 'GET',
        host: 'api.stripe.com',
        via: 'host',
        path,
        query,
        headers: { authorization: `Bearer ${KEY}` },
        body: new Uint8Array(),
        caller: 'token',
        scope: 'write',
        trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
      });
      return { status: reply.status, body: JSON.parse(String(reply.body)), asked };
    },
    plan: ({ text, values }) =>
      store
        .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values)
        .map(({ detail }) => detail)
        .join('; '),
    close: async () => {
      await world.close();
      store.close();
    },
  };
};

const shop = await open(t.testdir());
t.teardown(() => shop.close());
// A world's first call reads what every world has, whole.
await shop.list('/v1/balance', '');

const known = (kind: string): string => {
  const of = shop.known[kind]!;
  return of[Math.floor(of.length / 2)]!;
};

/** Lists of a whole type: what is under one parent is listed by the parent's id. */
const LISTS = OPERATIONS.filter(
  ({ method, path, shape }) =>
    method === 'GET' && 'limit' in shape && !path.includes('{') && !path.endsWith('/search'),
);

const given = (name: string, param: Param<unknown>): string => {
  switch (param.kind) {
    case 'text':
      return `${name}=${param.values?.[0] ?? shop.known[name]?.[0] ?? 'none'}`;
    case 'boolean':
      return `${name}=true`;
    case 'list':
      return `${name}[0]=none`;
    default:
      return `${name}[gte]=1`;
  }
};

/** The list by itself, and by each of its filters. */
const queriesOf = ({ shape }: Operation): readonly string[] => {
  const filters = Object.entries(shape).filter(([name]) => !PAGING.includes(name));
  const required = filters
    .filter(([, param]) => param.required === true)
    .map(([name, param]) => given(name, param));
  const optional = filters.filter(([, param]) => param.required !== true && param.kind !== 'hash');
  return [[], ...optional.map(([name, param]) => [given(name, param)])].map(each =>
    [...required, ...each].join('&'),
  );
};
const PAGING = ['limit', 'starting_after', 'ending_before', 'expand'];

t.test('[storage] no list and no filter of one scans a table or sorts', async t => {
  const plans = new Map<string, Asked>();
  for (const operation of LISTS) {
    for (const query of queriesOf(operation)) {
      const { status, asked } = await shop.list(operation.path, query);
      // One that names what is not there is refused: it read nothing but that.
      t.ok(status < 500, `${operation.name} ${query}`);
      for (const each of asked) plans.set(each.text, each);
    }
  }
  t.ok(LISTS.length > 40 && plans.size > 5);
  for (const asked of plans.values()) {
    if (!/^\s*(SELECT|WITH)/.test(asked.text)) continue;
    const plan = shop.plan(asked);
    // The queue of due events is read from its front.
    t.notMatch(plan.replace(/SCAN due USING INDEX due_at/, ''), /SCAN|TEMP B-TREE/, asked.text);
  }
});

const CUSTOMER = '/v1/customers';
const order = (): string => encodeURIComponent(`metadata['order']:'${known('order')}'`);

const pages: readonly (readonly [name: string, path: string, query: () => string, found: number])[] = [
  ['customers', CUSTOMER, () => '', LIMIT],
  ['customers after one', CUSTOMER, () => `starting_after=${known('customer')}`, LIMIT],
  ['customers before one', CUSTOMER, () => `ending_before=${known('customer')}`, LIMIT],
  ['customers made since', CUSTOMER, () => 'created[gte]=1', LIMIT],
  ['customers made long ago', CUSTOMER, () => 'created[lt]=1', 0],
  ['customers of an address', CUSTOMER, () => `email=${known('email')}@example.com`, 1],
  ['customers of an address nobody has', CUSTOMER, () => 'email=nobody@example.com', 0],
  ['payments of a customer', '/v1/payment_intents', () => `customer=${known('customer')}`, 1],
  ['charges of a customer', '/v1/charges', () => `customer=${known('customer')}`, 1],
  ['charges of a payment', '/v1/charges', () => `payment_intent=${known('payment_intent')}`, 1],
  ['events of a type', '/v1/events', () => 'type=charge.succeeded', LIMIT],
  ['events of a type that never happened', '/v1/events', () => 'type=payout.failed', 0],
  [
    'events of several types',
    '/v1/events',
    () => 'types[0]=charge.succeeded&types[1]=customer.created',
    LIMIT,
  ],
  ['subscriptions that go on', '/v1/subscriptions', () => '', 0],
  ['prices by keys that none has', '/v1/prices', () => 'lookup_keys[0]=a&lookup_keys[1]=b', 0],
  ['invoices in a status that none has', '/v1/invoices', () => 'status=uncollectible', 0],
  ['subscriptions in a status that none has', '/v1/subscriptions', () => 'status=past_due', 0],
  ['customers by metadata', `${CUSTOMER}/search`, () => `query=${order()}`, 1],
  ['customers by a name in other letters', `${CUSTOMER}/search`, () => `query=name%3A%22JANE%22`, LIMIT],
  ['customers by what none has', `${CUSTOMER}/search`, () => 'query=phone%3A%22123%22', 0],
  [
    'payments by customer and amount',
    '/v1/payment_intents/search',
    () => `query=customer%3A%22${known('customer')}%22%20AND%20amount%3E100`,
    1,
  ],
];

t.test('[storage] a page costs its own rows, wherever in the list it is', async t => {
  for (const [name, path, query, found] of pages) {
    const { body, asked } = await shop.list(path, `limit=${LIMIT}&${query()}`);
    t.equal(body.data?.length, found, `${name}: ${body.error?.message ?? 'found'}`);
    const rows = asked.reduce((sum, each) => sum + each.rows, 0);
    t.ok(rows <= ROWS_MAX, `${name}: ${rows} rows`);
  }
});
