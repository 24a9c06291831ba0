// What a page of the dashboard asks of the store: the same in a store of a thousand records and in one of four thousand, and never a
// scan. Counts do not change with the machine, so what holds from 1,000 to 4,000 holds for a million.
import t, { type Test } from 'tap';
import { type Filled, fill } from '../../../../bench/operations/seed.ts';
import { STORIES } from '../../../../bench/operations/stories.ts';
import { openAlarms } from '../../../../control/node/alarms.ts';
import { openBlobs } from '../../../../control/node/blobs.ts';
import { digest } from '../../../../control/node/digest.ts';
import { openEntropy } from '../../../../control/node/entropy.ts';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { wallClock } from '../../../../control/node/wall-clock.ts';
import type { DurableSql } from '../../../../control/ports/durability.ts';
import type { SqlRow, SqlValue } from '../../../../control/ports/sql.ts';
import { openWorld } from '../../../../control/world/open-world.ts';
import { mountTwin } from '../../../../twins/kit/mount.ts';
import { stripeTwin } from '../../../../twins/stripe/twin.ts';
import { look } from '../../../kit/dashboard.ts';
import { receiver } from '../../../kit/receiver.ts';

const [FEW, MANY] = [1_000, 4_000];
/** Twenty lines, each with the few records that it names, and what any call reads. */
const ROWS_MAX = 20 * 8;

type Asked = { readonly text: string; readonly values: readonly SqlValue[]; readonly rows: number };
type Store = Filled & {
  readonly asked: Asked[];
  readonly page: (target: string) => Promise<{ readonly statements: number; readonly rows: number }>;
  readonly plan: (asked: Asked) => string;
};

async function open(t: Test, records: number): Promise<Store> {
  const folder = t.testdir();
  const files = {
    database: `${folder}/world.db`,
    blobs: `${folder}/blobs`,
    store: folder,
    name: 'acme/shop',
  };
  const filled = await fill(STORIES['stripe']!, records, files);
  const store = openSqlite(files.database);
  const asked: Asked[] = [];
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
  t.teardown(async () => {
    await world.close();
    store.close();
  });
  // Opening a world and its first call read what every world has, whole.
  await look({ world }, '/test');
  asked.length = 0;
  return {
    ...filled,
    asked,
    page: async target => {
      // What the first call of its kind looks up, the next ones know.
      await look({ world }, target);
      const from = asked.length;
      const { status, text } = await look({ world }, target);
      if (status !== 200) t.fail(`${target}: ${status} ${text}`);
      const made = asked.slice(from);
      return { statements: made.length, rows: made.reduce((sum, each) => sum + each.rows, 0) };
    },
    plan: ({ text, values }) =>
      store
        .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values)
        .map(({ detail }) => detail)
        .join('; '),
  };
}

/** From the middle of the store. */
const known = ({ known: all }: Store, kind: string): string => all[kind]![Math.floor(all[kind]!.length / 2)]!;

const PAGES: readonly (readonly [name: string, target: (store: Store) => string])[] = [
  ['home', () => '/test'],
  ['customers', () => '/test/customers'],
  ['customers after one', store => `/test/customers?starting_after=${known(store, 'customer')}`],
  ['customers before one', store => `/test/customers?ending_before=${known(store, 'customer')}`],
  ['customers of an email', store => `/test/customers?query=${known(store, 'email')}%40example.com`],
  ['customers that none is', () => '/test/customers?query=nobody'],
  ['payments', () => '/test/payments'],
  ['payments after one', store => `/test/payments?starting_after=${known(store, 'payment_intent')}`],
  ['payments of an email', store => `/test/payments?query=${known(store, 'email')}%40example.com`],
  ['subscriptions', () => '/test/subscriptions'],
  ['subscriptions that none is', () => '/test/subscriptions?status=past_due'],
  ['invoices', () => '/test/invoices'],
  ['products', () => '/test/products'],
  ['events', () => '/test/events'],
  ['events of a type', () => '/test/events?type=charge.succeeded'],
  ['events of a type that never was', () => '/test/events?type=payout.failed'],
  ['logs of changes', () => '/test/logs?show=changes'],
  ['logs of changes after one', () => '/test/logs?show=changes&starting_after=2'],
  ['logs of changes before one', () => '/test/logs?show=changes&ending_before=1'],
  ['one of the logs', () => '/test/logs/1'],
  ['a customer', store => `/test/customers/${known(store, 'customer')}`],
  ['a payment', store => `/test/payments/${known(store, 'payment_intent')}`],
  ['search', store => `/test/search?query=${known(store, 'email')}%40example.com`],
];

t.test('[storage] a page costs its own rows, however many records there are', async t => {
  const few = await open(t, FEW);
  const many = await open(t, MANY);
  for (const [name, target] of PAGES) {
    const [small, large] = [await few.page(target(few)), await many.page(target(many))];
    t.ok(large.rows <= ROWS_MAX, `${name}: ${large.rows} rows`);
    t.strictSame(large, small, name);
  }
  const plans = new Map(many.asked.map(asked => [asked.text, asked]));
  t.ok(plans.size > 10);
  for (const asked of plans.values()) {
    if (!/^\s*(SELECT|WITH)/.test(asked.text)) continue;
    // The queue of due events is read from its front, and positions that are asked for are a list of their own.
    const plan = many.plan(asked).replaceAll(/SCAN (?:due USING INDEX due_at|json_each)/g, '');
    t.notMatch(plan, /SCAN|TEMP B-TREE/, asked.text);
  }
});
