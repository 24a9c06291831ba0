// What an older version of Stripe's API costs: the same requests, in it and in today's by turns, as CPU of this process.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBlobs } from '../control/node/blobs.ts';
import { openSqlite } from '../control/node/sqlite.ts';
import { wallClock } from '../control/node/wall-clock.ts';
import { openWorld } from '../control/world/open-world.ts';
import type { World } from '../control/world/world.ts';
import type { Call } from '../twins/kit/call.ts';
import { mountTwin } from '../twins/kit/mount.ts';
import { API_VERSION } from '../twins/stripe/api/version.ts';
import { stripeTwin } from '../twins/stripe/twin.ts';
import type { Table } from './report.ts';
import { worldPorts } from './world-ports.ts';

const VENDOR = 'stripe';
/** The oldest that is turned back to, before every change; and the one that most programs pin. */
const VERSIONS = ['2020-08-27', '2024-06-20'] as const;
const SUBSCRIPTIONS = 20;
const CALLS = 200;
const ROUNDS = 9;

export async function measureVersions(folder: string): Promise<Table> {
  mkdirSync(join(folder, 'versions'), { recursive: true });
  using sql = openSqlite(join(folder, 'versions', 'world.db'));
  const world = await openWorld({
    name: 'bench/versions',
    sql,
    durability: sql,
    blobs: openBlobs(join(folder, 'versions', 'blobs')),
    ...worldPorts(wallClock),
    twins: [{ id: VENDOR, twin: mountTwin(stripeTwin, null), package: null }],
  });
  const subscription = await fill(world);
  const asks: readonly (readonly [what: string, method: string, path: string, form: string])[] = [
    ['a customer, written', 'POST', '/v1/customers', 'name=Bench'],
    ['a subscription', 'GET', `/v1/subscriptions/${subscription}`, ''],
    ['its invoice too', 'GET', `/v1/subscriptions/${subscription}?expand[]=latest_invoice`, ''],
    ['ten invoices', 'GET', '/v1/invoices', ''],
    ['ten payment intents', 'GET', '/v1/payment_intents', ''],
    [
      'a payment, written',
      'POST',
      '/v1/payment_intents',
      'amount=500&currency=usd&payment_method_types[]=card',
    ],
  ];
  const figures: { [figure: string]: number } = {};
  const rows: string[][] = [];
  for (const [what, method, path, form] of asks) {
    const work = (version: string) => (): Promise<string> => say(world, version, method, path, form);
    // Today's callers name no version: one that did may not send what the older ones do.
    const [today = 0, ...older] = await turns([work(''), ...VERSIONS.map(work)]);
    const bytes = (await work('')()).length;
    const cells = older.map(async (ms, at) => {
      const more = (await work(VERSIONS[at] ?? '')()).length;
      return `${ms.toFixed(3)} (${share(ms, today)}; ${share(more, bytes)} bytes)`;
    });
    rows.push([what, today.toFixed(3), ...(await Promise.all(cells))]);
    for (const [at, ms] of older.entries())
      figures[`${VERSIONS[at]} ${what}`] = Math.round((ms / today - 1) * 1_000) / 10;
  }
  await world.close();
  return {
    title: 'Answering an older version of Stripe’s API, ms of CPU',
    head: ['', API_VERSION, ...VERSIONS],
    rows,
    figures,
    foot: [
      `The cheapest of ${ROUNDS} rounds of ${CALLS} calls, the versions by turns in each. More is answered there: an older invoice holds its prices and plans whole, an older payment intent its charges.`,
    ],
  };
}

const share = (ms: number, today: number): string => {
  const more = Math.round((ms / today - 1) * 100);
  return `${more < 0 ? '−' : '+'}${Math.abs(more)} %`;
};

async function fill(world: World): Promise<string> {
  const made = async (path: string, form: string): Promise<string> =>
    String(JSON.parse(await say(world, '', 'POST', path, form)).id);
  const product = await made('/v1/products', 'name=Plan');
  const price = await made(
    '/v1/prices',
    `product=${product}&currency=usd&unit_amount=1500&recurring[interval]=month`,
  );
  let last = '';
  for (let n = 0; n < SUBSCRIPTIONS; n++) {
    const customer = await made(
      '/v1/customers',
      'payment_method=pm_card_visa&invoice_settings[default_payment_method]=pm_card_visa',
    );
    last = await made('/v1/subscriptions', `customer=${customer}&items[0][price]=${price}`);
  }
  return last;
}

async function say(
  world: World,
  version: string,
  method: string,
  path: string,
  form: string,
): Promise<string> {
  const [bare = '', query = ''] = path.split('?');
  const reply = await world.call(VENDOR, {
    method,
    host: 'api.stripe.com',
    via: 'host',
    path: bare,
    query,
    headers: {
      authorization: 'Bearer sk_test_bench',
      'content-type': 'application/x-www-form-urlencoded',
      ...(version === '' ? {} : { 'stripe-version': version }),
    },
    body: new TextEncoder().encode(form),
    caller: 'token',
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  } satisfies Call);
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${String(reply.body)}`);
  return String(reply.body);
}

/** Milliseconds of CPU a call of each, in the cheapest round: the rest of the machine disturbed that least. */
async function turns(works: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, work] of works.entries()) {
      const before = process.cpuUsage();
      for (let n = 0; n < CALLS; n++) await work();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) best[at] = Math.min(best[at] ?? 0, (user + system) / 1_000 / CALLS);
    }
  }
  return best;
}
