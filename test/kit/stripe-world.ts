// A world with the Stripe twin in it, and the vendor's own unmodified SDK pointed at it in process.
import Stripe from 'stripe';
import { openAlarms } from '../../control/node/alarms.ts';
import { digest } from '../../control/node/digest.ts';
import { openEntropy } from '../../control/node/entropy.ts';
import { openSqlite, type SqliteFile } from '../../control/node/sqlite.ts';
import { openWorld } from '../../control/world/open-world.ts';
import type { World } from '../../control/world/world.ts';
import type { WorldOptions } from '../../control/world/world-kernel.ts';
import type { Call } from '../../twins/kit/call.ts';
import type { Handlers } from '../../twins/kit/handlers.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import { stripeTwin } from '../../twins/stripe/twin.ts';
import { memoryBlobs } from './memory-blobs.ts';
import { type Receipt, receiver, type Webhook } from './receiver.ts';
import { faultsOf } from './stripe-schema.ts';

/** 2026-01-15T12:00:00Z. */
export const START = '2026-01-15T12:00:00.000Z';
export const KEY = 'sk_test_wrld';

export type StripeWorld = AsyncDisposable & {
  readonly world: World;
  readonly sql: SqliteFile;
  readonly stripe: Stripe;
  readonly sent: Webhook[];
  /** What the twin's bugs were logged as; a test that ends with any has failed. */
  readonly faults: unknown[];
  /** One request as it is, for what the SDK would not send. */
  ask(method: string, path: string, more?: Partial<Call> & { readonly form?: string }): Promise<Answer>;
  advance(by: string): Promise<void>;
  /** The positions of the twin's log. */
  position(): Promise<number>;
  /** Newest first. */
  events(type: string): Promise<Stripe.Event[]>;
};

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
export type Answer = { status: number; headers: { [name: string]: string }; body: any };

export type StripeWorldOptions = {
  readonly at?: string;
  readonly handlers?: Handlers;
  readonly wall?: () => number;
  readonly send?: (request: Webhook) => Promise<Receipt>;
  /** How its root is asked. */
  readonly vendors?: WorldOptions['vendors'];
};

export async function openStripeWorld(options: StripeWorldOptions = {}): Promise<StripeWorld> {
  const sql = openSqlite(':memory:');
  const wall = { now: options.wall ?? (() => Date.parse(START)) };
  const sent: Webhook[] = [];
  const faults: unknown[] = [];
  const lacking = new Set<string>();
  const handlers = options.handlers ?? null;
  const ignore = (): void => undefined;
  const world = await openWorld({
    name: 'acme/shop',
    sql,
    durability: sql,
    blobs: memoryBlobs(),
    digest,
    wall,
    alarms: openAlarms(wall),
    entropy: openEntropy(),
    outbound: receiver(async request => {
      sent.push(request);
      return (await options.send?.(request)) ?? { ok: true, status: 200, ms: 1 };
    }),
    processLog: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (fields, message) => faults.push({ fields, message }),
    },
    reach: { ownMachine: true, set: async () => {} },
    ...(options.vendors === undefined ? {} : { vendors: options.vendors }),
    twins: [{ id: 'stripe', twin: mountTwin(stripeTwin, handlers), package: null }],
    ...(options.vendors && { vendors: options.vendors }),
  });
  const set = await world.setClock(options.at ?? START);
  if (!set.ok) throw new Error(set.message);
  const stripe = sdkFor(world, { answered: (route, fault) => lacking.add(`${route}: ${fault}`) });
  const ask: StripeWorld['ask'] = async (method, path, { form, ...more } = {}) => {
    const [bare = '', query = ''] = path.split('?');
    const reply = await world.call('stripe', {
      ...callOf(method, bare, query),
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: new TextEncoder().encode(form ?? ''),
      ...more,
    });
    const text = typeof reply.body === 'string' ? reply.body : '';
    return {
      status: reply.status,
      headers: Object.fromEntries(reply.headers.map(([name, value]) => [name.toLowerCase(), value])),
      body: text === '' ? null : JSON.parse(text),
    };
  };
  return {
    world,
    sql,
    stripe,
    sent,
    faults,
    ask,
    advance: async by => {
      const moved = await world.advanceClock(by);
      if (!moved.ok) throw new Error(moved.message);
    },
    position: async () => (await world.map())[0]?.position ?? 0,
    events: async type => (await stripe.events.list({ type, limit: 100 })).data,
    [Symbol.asyncDispose]: async () => {
      const known = stripeTwin.manifest.webhooks?.events ?? [];
      const told =
        handlers === null ? await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 }) : [];
      const unknown = told.map(({ type }) => type).filter(type => !known.includes(type));
      await world.close();
      sql.close();
      if (unknown.length > 0) throw new Error(`the manifest does not name ${unknown.join()}`);
      if (lacking.size > 0) throw new Error(`answers are not whole: ${[...lacking].join('; ')}`);
      if (faults.length > 0) throw new Error(`the twin failed: ${JSON.stringify(faults)}`);
    },
  };
}

/** The SDK as an app makes it, but for its fetch: it hands every request to the world. */
export type SdkOptions = {
  readonly key?: string;
  /** What an answer lacks of what the vendor declares of its object. */
  readonly answered?: (route: string, fault: string) => void;
};

export function sdkFor(world: World, options: SdkOptions = {}): Stripe {
  const through = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = Object.fromEntries(
      [...new Headers(init?.headers)].map(([name, value]) => [name.toLowerCase(), value]),
    );
    const reply = await world.call('stripe', {
      ...callOf(init?.method ?? 'GET', url.pathname, url.search.slice(1)),
      host: url.hostname,
      headers,
      body: new TextEncoder().encode(typeof init?.body === 'string' ? init.body : ''),
    });
    if (reply.fault !== undefined) throw new TypeError('fetch failed');
    if (options.answered !== undefined && reply.status === 200 && typeof reply.body === 'string') {
      const body = JSON.parse(reply.body);
      for (const object of body.object === 'list' ? body.data : [body]) {
        for (const fault of faultsOf(object)) options.answered(reply.route ?? url.pathname, fault);
      }
    }
    return new Response(reply.body as string, {
      status: reply.status,
      headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
  return new Stripe(options.key ?? KEY, {
    httpClient: Stripe.createFetchHttpClient(through as typeof fetch),
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

function callOf(method: string, path: string, query: string): Call {
  return {
    method,
    host: 'api.stripe.com',
    via: 'host',
    path,
    query,
    headers: {},
    body: new Uint8Array(),
    caller: 'token',
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  };
}

/** Of what is used one by one: each event `calls` counts its value. */
export function callsMeter(stripe: Stripe): Promise<Stripe.Billing.Meter> {
  return stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'calls',
    default_aggregation: { formula: 'sum' },
  });
}

/** A customer with a card, and a monthly price of 15.00 USD. */
export async function shop(
  stripe: Stripe,
  card = 'pm_card_visa',
): Promise<{ customer: Stripe.Customer; product: Stripe.Product; price: Stripe.Price }> {
  const customer = await stripe.customers.create({
    email: 'ada@example.com',
    name: 'Ada',
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const product = await stripe.products.create({ name: 'Plan' });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1500,
    recurring: { interval: 'month' },
  });
  return { customer, product, price };
}
