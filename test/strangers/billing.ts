// A customer's life with an app that bills by Better Auth's plugin: signs up, tries, pays, changes, leaves, comes back.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type Stripe from 'stripe';
import type { Test } from 'tap';
import { freePort } from '../kit/free-port.ts';
import { PROGRAMS, type Program, startProgram } from './program.ts';
import { merchant, moveClock, type Stage, submit } from './stage.ts';

const CARD = {
  email: 'ada@example.com',
  billingName: 'Ada',
  cardNumber: '4242 4242 4242 4242',
  cardExpiry: '12 / 40',
  cardCvc: '123',
};

export async function tellBilling(t: Test, stage: Stage): Promise<void> {
  const stripe = merchant();
  const prices = await catalog(stripe);
  const port = await freePort();
  const database = join(stage.folder, 'app.sqlite');
  const endpoint = await stripe.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/api/auth/stripe/webhook`,
    enabled_events: [
      'checkout.session.completed',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ],
  });
  await using app = await startProgram(stage.folder, join(PROGRAMS, 'better-auth.mjs'), {
    PORT: String(port),
    DATABASE: database,
    STRIPE_WEBHOOK_SECRET: endpoint.secret ?? '',
    PRO_PRICE: prices.pro,
    PRO_ANNUAL_PRICE: prices.annual,
    TEAM_PRICE: prices.team,
  });
  const rows = new DatabaseSync(database, { readOnly: true, timeout: 5_000 });
  t.teardown(() => rows.close());
  // biome-ignore lint/suspicious/noExplicitAny: a row of the app's
  const row = (sql: string): any => rows.prepare(sql).get();
  const browser = visitor(`http://127.0.0.1:${port}`);

  await t.test('who signs up is a customer', async t => {
    await browser.post('sign-up/email', { email: 'ada@example.com', name: 'Ada', password: 'correct horse' });
    const user = row('select * from user');
    const customer = await stripe.customers.retrieve(user.stripeCustomerId);
    t.match(customer, {
      email: 'ada@example.com',
      name: 'Ada',
      metadata: { userId: user.id, customerType: 'user' },
    });
  });

  await t.test('a plan is tried: paid for on the vendor’s page, heard of by webhook', async t => {
    const before = row('select stripeCustomerId from user').stripeCustomerId;
    const opened = await browser.post('subscription/upgrade', {
      plan: 'pro',
      successUrl: '/welcome',
      cancelUrl: '/pricing',
    });
    t.match(opened, { redirect: true, url: /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/ });
    t.match(row('select * from subscription'), {
      status: 'incomplete',
      plan: 'pro',
      stripeSubscriptionId: null,
    });
    const back = await submit(opened.url, CARD);
    t.equal(await browser.follow(back), `${browser.origin}/welcome`);
    await heard(app, 'customer.subscription.created');
    await heard(app, 'checkout.session.completed');
    const { data } = await stripe.subscriptions.list({ customer: before, expand: ['data.latest_invoice'] });
    t.equal(data.length, 1);
    const [held] = data as [Stripe.Subscription];
    t.match(held, {
      status: 'trialing',
      metadata: { userId: row('select id from user').id, referenceId: row('select id from user').id },
      latest_invoice: { status: 'paid', total: 0 },
    });
    t.equal(held.trial_end! - held.trial_start!, 14 * DAY_S);
    same(t, held);
    t.match(await stripe.checkout.sessions.retrieve(opened.id), {
      status: 'complete',
      payment_status: 'no_payment_required',
      subscription: held.id,
      client_reference_id: row('select id from user').id,
    });
    t.match(await browser.get('subscription/list'), [
      { plan: 'pro', status: 'trialing', priceId: prices.pro, limits: { projects: 5 } },
    ]);
  });

  await t.test('the trial ends, and the first period is paid', async t => {
    await moveClock(stage, '15d');
    await heardChange(app, ({ status }) => status === 'active');
    const held = await current();
    t.equal(held.status, 'active');
    same(t, held);
    const [paid] = (await stripe.invoices.list({ subscription: held.id, limit: 1 })).data;
    t.match(paid, { status: 'paid', amount_paid: 2000, billing_reason: 'subscription_cycle' });
  });

  // As merchants do it at the dashboard, which the plugin’s documentation asks for. There are settings once the portal was used.
  await browser.post('subscription/billing-portal', { returnUrl: '/account' });
  const [settings] = (await stripe.billingPortal.configurations.list({ is_default: true })).data;
  await stripe.billingPortal.configurations.update(settings!.id, {
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price', 'quantity'],
        proration_behavior: 'always_invoice',
        products: await productsOf(stripe, prices),
      },
    },
  });

  await t.test('another plan is confirmed in the portal', async t => {
    const { id } = await current();
    const opened = await browser.post('subscription/upgrade', {
      plan: 'team',
      successUrl: '/welcome',
      cancelUrl: '/pricing',
      returnUrl: '/account',
      subscriptionId: id,
    });
    t.match(opened.url, /^https:\/\/billing\.stripe\.com\/p\/session\//);
    t.equal(await submit(opened.url, { do: 'confirm', subscription: id }), `${browser.origin}/account`);
    await heardChange(app, ({ items }) => items.data.some(({ price }) => price.id === prices.team));
    const held = await current();
    t.equal(held.items.data[0]?.price.id, prices.team);
    same(t, held);
    t.equal(row('select plan from subscription').plan, 'team');
    const [invoice] = (await stripe.invoices.list({ subscription: id, limit: 1 })).data;
    t.match(invoice, { status: 'paid', billing_reason: 'subscription_update' });
    t.ok(invoice!.total > 0 && invoice!.total < 5000, 'what is left of the period');
  });

  await t.test('back to the smaller plan when the period ends, and that taken back', async t => {
    const { id } = await current();
    await browser.post('subscription/upgrade', {
      plan: 'pro',
      successUrl: '/welcome',
      cancelUrl: '/pricing',
      subscriptionId: id,
      scheduleAtPeriodEnd: true,
    });
    await heardChange(app, ({ schedule }) => schedule !== null);
    const held = await current();
    const schedule = await stripe.subscriptionSchedules.retrieve(String(held.schedule));
    t.match(schedule, {
      status: 'active',
      metadata: { source: '@better-auth/stripe' },
      phases: [{ items: [{ price: prices.team }] }, { items: [{ price: prices.pro }] }],
    });
    t.equal(row('select stripeScheduleId from subscription').stripeScheduleId, schedule.id);
    t.match(await browser.post('subscription/restore', { subscriptionId: id }), { id, schedule: null });
    t.equal((await stripe.subscriptionSchedules.retrieve(schedule.id)).status, 'released');
    await heardChange(app, each => each.schedule === null);
    same(t, await current());
  });

  await t.test('cancelled in the portal, restored by the app', async t => {
    const { id } = await current();
    const cancel = (): Promise<{ readonly url: string }> =>
      browser.post('subscription/cancel', { returnUrl: '/account', subscriptionId: id });
    const opened = await cancel();
    await submit(opened.url, { do: 'cancel', subscription: id });
    await heardChange(app, ({ cancel_at }) => cancel_at !== null);
    const held = await current();
    t.ok(held.cancel_at_period_end || held.cancel_at !== null);
    same(t, held);
    await t.rejects(cancel(), /already set to be canceled/, 'there is nothing more to cancel');
    await browser.post('subscription/restore', { subscriptionId: id });
    await heardChange(app, ({ cancel_at }) => cancel_at === null);
    const kept = await current();
    t.match(kept, { cancel_at: null, cancel_at_period_end: false, canceled_at: null, status: 'active' });
    same(t, kept);
  });

  await t.test('cancelled for good: at the period’s end it is over', async t => {
    const { id } = await current();
    const opened = await browser.post('subscription/cancel', { returnUrl: '/account', subscriptionId: id });
    await submit(opened.url, { do: 'cancel', subscription: id });
    await moveClock(stage, '32d');
    await heard(app, 'customer.subscription.deleted');
    const held = await stripe.subscriptions.retrieve(id);
    t.equal(held.status, 'canceled');
    same(t, held);
    t.strictSame(await browser.get('subscription/list'), []);
  });

  await t.test('who comes back by the year is not given another trial', async t => {
    const opened = await browser.post('subscription/upgrade', {
      plan: 'pro',
      annual: true,
      seats: 3,
      successUrl: '/welcome',
      cancelUrl: '/pricing',
    });
    await browser.follow(await submit(opened.url, CARD));
    await heard(app, 'checkout.session.completed');
    const { data } = await stripe.subscriptions.list({ customer: customerOf() });
    const [held] = data as [Stripe.Subscription];
    t.match(held, { status: 'active', trial_end: null, items: { data: [{ quantity: 3 }] } });
    same(t, held);
    const [paid] = (await stripe.invoices.list({ subscription: held.id })).data;
    t.match(paid, { status: 'paid', amount_paid: 60000, billing_reason: 'subscription_create' });
  });

  await t.test('what the merchant changes reaches the app, and the other way round', async t => {
    const [held] = (await stripe.subscriptions.list({ customer: customerOf() })).data as [
      Stripe.Subscription,
    ];
    await stripe.subscriptions.update(held.id, { items: [{ id: held.items.data[0]!.id, quantity: 5 }] });
    await heardChange(app, each => each.items.data[0]?.quantity === 5);
    same(t, await stripe.subscriptions.retrieve(held.id));
    await browser.post('change-email', { newEmail: 'ada@example.org' });
    t.match(await stripe.customers.retrieve(customerOf()), { email: 'ada@example.org' });
    const portal = await browser.post('subscription/billing-portal', { returnUrl: '/account' });
    const page = await (await fetch(portal.url)).text();
    t.match(page, /Pro, a year/);
    t.notMatch(app.err(), /Stripe webhook (?:failed|error|warning)/, 'the plugin complained of nothing');
  });

  function customerOf(): string {
    return row('select stripeCustomerId from user').stripeCustomerId;
  }

  async function current(): Promise<Stripe.Subscription> {
    const { stripeSubscriptionId } = row('select * from subscription order by rowid desc');
    return await stripe.subscriptions.retrieve(stripeSubscriptionId);
  }

  /** The app’s row says what Stripe says. */
  function same(t: Test, held: Stripe.Subscription): void {
    const kept = rows.prepare('select * from subscription where stripeSubscriptionId = ?').get(held.id);
    const [item] = held.items.data as [Stripe.SubscriptionItem];
    t.match(kept, {
      status: held.status,
      stripeCustomerId: held.customer,
      periodStart: instant(item.current_period_start),
      periodEnd: instant(item.current_period_end),
      trialStart: instant(held.trial_start),
      trialEnd: instant(held.trial_end),
      cancelAtPeriodEnd: held.cancel_at_period_end ? 1 : 0,
      cancelAt: instant(held.cancel_at),
      canceledAt: instant(held.canceled_at),
      endedAt: instant(held.ended_at),
      seats: item.quantity,
      billingInterval: item.price.recurring?.interval,
      stripeScheduleId: held.schedule,
    });
  }
}

const DAY_S = 86_400;

/** As the app's database keeps it. */
function instant(at: number | null): string | null {
  return at === null ? null : new Date(at * 1000).toISOString();
}

/** Until the app has heard of its subscription that it changed to be like this. */
async function heardChange(app: Program, like: (held: Stripe.Subscription) => boolean): Promise<void> {
  while (!like(await heard(app, 'customer.subscription.updated')));
}

/** What the next event of this type is about that the app took in, with its signature found right. */
async function heard(app: Program, type: string): Promise<Stripe.Subscription> {
  const { object } = await app.told(`the app to hear ${type}`, ({ event }) => event === type);
  return object as Stripe.Subscription;
}

async function catalog(
  stripe: Stripe,
): Promise<{ readonly pro: string; readonly annual: string; readonly team: string }> {
  const price = async (name: string, unit_amount: number, interval: 'month' | 'year'): Promise<string> => {
    const made = await stripe.prices.create({
      currency: 'usd',
      unit_amount,
      recurring: { interval },
      product_data: { name },
    });
    return made.id;
  };
  return {
    pro: await price('Pro', 2000, 'month'),
    annual: await price('Pro, a year', 20000, 'year'),
    team: await price('Team', 5000, 'month'),
  };
}

/** What the portal may switch between. */
async function productsOf(
  stripe: Stripe,
  prices: Readonly<Record<string, string>>,
): Promise<{ product: string; prices: string[] }[]> {
  const held = await Promise.all(Object.values(prices).map(id => stripe.prices.retrieve(id)));
  return held.map(({ id, product }) => ({ product: String(product), prices: [id] }));
}

type Visitor = {
  readonly origin: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the app answers
  post(path: string, body: object): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: what the app answers
  get(path: string): Promise<any>;
  /** Follows where a page of the vendor's sent the browser; where the app sends it on. */
  follow(url: string | null): Promise<string | null>;
};

/** A browser at the app, with its cookies. */
function visitor(origin: string): Visitor {
  const cookies = new Map<string, string>();
  const go = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie, origin },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  const json = async (answer: Response): Promise<unknown> => {
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    origin,
    post: async (path, body) =>
      json(
        await go(`${origin}/api/auth/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    get: async path => json(await go(`${origin}/api/auth/${path}`)),
    follow: async url => (await go(url ?? '')).headers.get('location'),
  };
}
