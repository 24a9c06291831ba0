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
/** So long are a round's calls of one kind, about: what the machine does besides is in few of them then. */
const ROUND_MS = 100;
const ROUNDS = 15;

type Asked = {
  readonly what: string;
  readonly path: string;
  /** Of what is written; `today`: where today's callers say it otherwise. */
  readonly form?: string;
  readonly today?: string;
  /** Today's question for the objects that were in the answer of older versions, of those before `until` alone. */
  readonly whole?: { readonly path: string; readonly until?: string };
};

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
  const one = `/v1/subscriptions/${subscription}`;
  const withInvoice = `${one}?expand[]=latest_invoice`;
  const prices = 'lines.data.pricing.price_details.price';
  const asks: readonly Asked[] = [
    { what: 'a customer, written', path: '/v1/customers', form: 'name=Bench' },
    { what: 'a subscription', path: one },
    { what: 'its invoice too', path: withInvoice, whole: { path: `${withInvoice}.${prices}` } },
    { what: 'ten invoices', path: '/v1/invoices', whole: { path: `/v1/invoices?expand[]=data.${prices}` } },
    {
      what: 'ten payment intents',
      path: '/v1/payment_intents',
      // Of the versions here only the oldest has charges in them.
      whole: { path: '/v1/payment_intents?expand[]=data.latest_charge.refunds', until: '2022-11-15' },
    },
    {
      what: 'a payment, written',
      path: '/v1/payment_intents',
      form: 'amount=500&currency=usd&payment_method_types[]=card',
      today: 'amount=500&currency=usd&allowed_payment_method_types[]=card',
    },
  ];
  const figures: { [figure: string]: number } = {};
  const rows: string[][] = [];
  for (const { what, path, form, today = form, whole } of asks) {
    const work = (at: string, version: string) => (): Promise<string> =>
      say(world, {
        version,
        method: form === undefined ? 'GET' : 'POST',
        path: at,
        form: version === API_VERSION ? today : form,
      });
    for (const version of VERSIONS) {
      const isWhole = whole !== undefined && version < (whole.until ?? API_VERSION);
      // As an SDK does, each names its version.
      const plainly = work(path, API_VERSION);
      const works = [
        work(path, version),
        isWhole ? work(whole.path, API_VERSION) : plainly,
        ...(isWhole ? [plainly] : []),
      ];
      const [older, like, plain = like] = await turns(works);
      const [more, much, least = much] = await Promise.all(works.map(async each => (await each()).length));
      rows.push([
        what,
        version,
        older!.toFixed(3),
        like!.toFixed(3),
        `${share(older!, like!)}; ${share(more!, much!)} bytes`,
        isWhole ? `${plain!.toFixed(3)} (${share(older!, plain!)}; ${share(more!, least!)} bytes)` : '',
      ]);
      figures[`${version} ${what}`] = Math.round((older! / like! - 1) * 1_000) / 10;
      figures[`${version} ${what}, as it comes`] = Math.round((older! / plain! - 1) * 1_000) / 10;
    }
  }
  await world.close();
  return {
    title: 'Answering an older version of Stripe’s API, ms of CPU',
    head: ['', 'version', 'in it', 'today’s, with as much in it', 'more', 'today’s, as it comes'],
    rows,
    figures,
    foot: [
      `The cheapest of ${ROUNDS} rounds of some ${ROUND_MS} ms each, by turns. Some answers held more in older versions: an invoice its prices and plans whole, a payment intent its charges with their refunds. They stand beside today’s answer with the same objects in it, which today’s callers have by \`expand[]\`, and beside the one that has less.`,
    ],
  };
}

const share = (ms: number, today: number): string => {
  const more = Math.round((ms / today - 1) * 100);
  return `${more < 0 ? '−' : '+'}${Math.abs(more)} %`;
};

async function fill(world: World): Promise<string> {
  const made = async (path: string, form: string): Promise<string> =>
    String(JSON.parse(await say(world, { version: API_VERSION, method: 'POST', path, form })).id);
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

type Said = {
  readonly version: string;
  readonly method: string;
  readonly path: string;
  readonly form?: string | undefined;
};

async function say(world: World, { version, method, path, form = '' }: Said): Promise<string> {
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
      'stripe-version': version,
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
  const each = async (work: () => Promise<unknown>, calls: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let n = 0; n < calls; n++) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / calls;
  };
  for (const work of works) await each(work, WARM_CALLS);
  const calls = Math.ceil(ROUND_MS / (await each(works[0]!, WARM_CALLS)));
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, work] of works.entries()) best[at] = Math.min(best[at]!, await each(work, calls));
  return best;
}

/** Until the engine has compiled what they run. */
const WARM_CALLS = 500;
