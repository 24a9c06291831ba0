// A merchant's books, kept in a Postgres by Supabase's sync engine, which asks for an API version of 2020: first all there is,
// then what webhooks tell. Every column of every row is compared with what Stripe's SDK answers in that version.
import { join } from 'node:path';
import type Stripe from 'stripe';
import type { Test } from 'tap';
import { freePort } from '../kit/free-port.ts';
import { goOn, openBooks } from './books.ts';
import type { Postgres, Row } from './postgres.ts';
import { PROGRAMS, startProgram } from './program.ts';
import { merchant, moveClock, type Stage } from './stage.ts';

export const VERSION = '2020-08-27';

export async function tellSync(t: Test, stage: Stage, postgres: Postgres): Promise<void> {
  const stripe = merchant();
  const then = merchant(VERSION);
  const port = await freePort();
  const place = `http://127.0.0.1:${port}`;
  const books = await openBooks(stripe);
  const endpoint = await stripe.webhookEndpoints.create({
    url: `${place}/webhooks`,
    enabled_events: EVENTS,
    api_version: VERSION as '2024-06-20',
  });
  await using app = await startProgram(stage.folder, join(PROGRAMS, 'sync-engine.cjs'), {
    PORT: String(port),
    DATABASE_URL: postgres.url,
    STRIPE_WEBHOOK_SECRET: endpoint.secret ?? '',
  });

  await t.test('everything there is', async t => {
    const answer = await fetch(`${place}/sync`, { method: 'POST' });
    const counts = await answer.json();
    t.equal(answer.status, 200, JSON.stringify(counts));
    await sameBooks(t, then, postgres);
  });

  await t.test('and what becomes of it, by webhooks', async t => {
    // A webhook’s moment is in seconds, and must be after that of the rows that it is to replace.
    await moveClock(stage, '1h');
    const { at } = await stage.ask('GET', 'clock');
    await goOn(stripe, books, () => moveClock(stage, '2s'));
    await moveClock(stage, '32d');
    const created = { gte: Math.floor(Date.parse(at) / 1000) };
    const types = new Set<string>(EVENTS);
    const events = await stripe.events.list({ created, limit: 100 }).autoPagingToArray(MAX);
    const due = events.filter(({ type }) => types.has(type));
    for (const { id, type } of due) await app.told(`${type} to be kept`, ({ event }) => event === id);
    t.ok(due.length > 50, `${due.length} webhooks with their signatures`);
    t.ok(new Set(due.map(({ type }) => type)).size > 10, 'of many kinds');
    await sameBooks(t, then, postgres);
    const [renewed] = (await stripe.invoices.list({ subscription: books.subscription, limit: 1 })).data;
    const invoices = await postgres.rows('invoices');
    t.match(
      invoices.find(({ id }) => id === renewed!.id),
      { status: 'paid', billing_reason: 'subscription_cycle', paid: true, subscription: books.subscription },
      'the renewal is there',
    );
    t.notMatch(app.err(), /Error/);
  });
}

/** What the engine takes. */
const EVENTS = (
  'charge.captured charge.expired charge.failed charge.pending charge.refunded charge.succeeded charge.updated ' +
  'charge.dispute.closed charge.dispute.created charge.dispute.funds_reinstated charge.dispute.funds_withdrawn ' +
  'charge.dispute.updated checkout.session.completed checkout.session.expired credit_note.created credit_note.updated ' +
  'credit_note.voided customer.created customer.deleted customer.subscription.created customer.subscription.deleted ' +
  'customer.subscription.trial_will_end customer.subscription.updated customer.updated invoice.created invoice.deleted ' +
  'invoice.finalized invoice.marked_uncollectible invoice.paid invoice.payment_failed invoice.payment_succeeded ' +
  'invoice.sent invoice.updated invoice.voided payment_intent.amount_capturable_updated payment_intent.canceled ' +
  'payment_intent.created payment_intent.payment_failed payment_intent.processing payment_intent.requires_action ' +
  'payment_intent.succeeded payment_method.attached payment_method.detached payment_method.updated plan.created ' +
  'plan.deleted plan.updated price.created price.deleted price.updated product.created product.deleted product.updated ' +
  'radar.early_fraud_warning.created refund.created refund.failed refund.updated setup_intent.canceled ' +
  'setup_intent.created setup_intent.requires_action setup_intent.setup_failed setup_intent.succeeded ' +
  'subscription_schedule.canceled subscription_schedule.created subscription_schedule.released ' +
  'subscription_schedule.updated'
).split(' ') as Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** What the database has of a table beside what Stripe has. */
type Listed = readonly { readonly id: string }[];

async function sameBooks(t: Test, stripe: Stripe, postgres: Postgres): Promise<void> {
  const absent: { [table: string]: readonly string[] } = {};
  for (const [table, list] of Object.entries(TABLES)) {
    const held = await list(stripe);
    const rows = await postgres.rows(table);
    t.strictSame(
      rows.map(({ id }) => id).sort(),
      held.map(({ id }) => id).sort(),
      `${table}: the same records`,
    );
    const differ = new Set<string>();
    const missing = new Set<string>();
    for (const object of held as readonly Row[]) {
      const row = rows.find(({ id }) => id === object['id']) ?? {};
      for (const [column, value] of Object.entries(row)) {
        if (OWN_COLUMNS.has(column)) continue;
        if (!(column in object)) missing.add(column);
        const answered = object[column] ?? null;
        if (!alike(value, answered)) differ.add(`${column}: ${text(value)} for ${text(answered)}`);
      }
    }
    t.strictSame([...differ], [], `${table}: the same in each column`);
    t.ok(held.length > 0, `there are ${table}`);
    if (missing.size > 0) absent[table] = [...missing].sort();
  }
  t.strictSame(absent, ABSENT, 'nothing else that the engine keeps is left out of the answers');
}

/** What the engine adds; and what changes with each invoice, of which no event tells. */
const OWN_COLUMNS = new Set(['updated_at', 'last_synced_at', 'next_invoice_sequence']);

/** What the engine has a column for and this version does not answer, or only of what the books have none of. */
const ABSENT = {
  charges: ['updated'],
  disputes: ['updated'],
  checkout_sessions: [
    'optional_items',
    'presentment_details',
    'redirect_on_completion',
    'return_url',
    'tax_id_collection',
  ],
};

/** A column of text has what is an object at Stripe, or a decimal of the SDK's, as its JSON. */
function alike(value: unknown, answered: unknown): boolean {
  if (text(value) === text(answered) || `"${value}"` === text(answered)) return true;
  return typeof value === 'string' && value.length > 1 && '{"'.includes(value[0]!)
    ? text(JSON.parse(value)) === text(answered)
    : false;
}

/** JSON whatever the order of its fields. */
function text(value: unknown): string {
  return (
    JSON.stringify(value, (_name, each) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ) ?? 'null'
  );
}

const MAX = { limit: 10_000 };

async function subscriptions(stripe: Stripe): Promise<Stripe.Subscription[]> {
  return await stripe.subscriptions.list({ status: 'all', limit: 100 }).autoPagingToArray(MAX);
}

const TABLES: { readonly [table: string]: (stripe: Stripe) => Promise<Listed> } = {
  products: stripe => stripe.products.list({ limit: 100 }).autoPagingToArray(MAX),
  prices: stripe => stripe.prices.list({ limit: 100 }).autoPagingToArray(MAX),
  plans: stripe => stripe.plans.list({ limit: 100 }).autoPagingToArray(MAX),
  customers: async stripe =>
    (await stripe.customers.list({ limit: 100 }).autoPagingToArray(MAX)).map(each => ({
      ...each,
      deleted: false,
    })),
  subscriptions,
  subscription_items: async stripe =>
    (await subscriptions(stripe)).flatMap(({ items }) =>
      items.data.map(item => ({ ...item, deleted: false, price: item.price.id })),
    ),
  subscription_schedules: stripe => stripe.subscriptionSchedules.list({ limit: 100 }).autoPagingToArray(MAX),
  invoices: async stripe => await stripe.invoices.list({ limit: 100 }).autoPagingToArray(MAX),
  charges: stripe => stripe.charges.list({ limit: 100 }).autoPagingToArray(MAX),
  setup_intents: stripe => stripe.setupIntents.list({ limit: 100 }).autoPagingToArray(MAX),
  payment_methods: async stripe => {
    const customers = await stripe.customers.list({ limit: 100 }).autoPagingToArray(MAX);
    const each = await Promise.all(
      customers.map(({ id }) => stripe.paymentMethods.list({ customer: id, limit: 100 })),
    );
    return each.flatMap(({ data }) => data);
  },
  payment_intents: stripe => stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray(MAX),
  tax_ids: stripe => stripe.taxIds.list({ limit: 100 }).autoPagingToArray(MAX),
  credit_notes: stripe => stripe.creditNotes.list({ limit: 100 }).autoPagingToArray(MAX),
  disputes: stripe => stripe.disputes.list({ limit: 100 }).autoPagingToArray(MAX),
  early_fraud_warnings: stripe => stripe.radar.earlyFraudWarnings.list({ limit: 100 }).autoPagingToArray(MAX),
  refunds: stripe => stripe.refunds.list({ limit: 100 }).autoPagingToArray(MAX),
  checkout_sessions: stripe => stripe.checkout.sessions.list({ limit: 100 }).autoPagingToArray(MAX),
  checkout_session_line_items: async stripe => {
    const sessions = await stripe.checkout.sessions.list({ limit: 100 }).autoPagingToArray(MAX);
    const each = await Promise.all(
      sessions.map(async ({ id }) =>
        (await stripe.checkout.sessions.listLineItems(id)).data.map(item => ({
          ...item,
          price: item.price?.id ?? null,
          checkout_session: id,
        })),
      ),
    );
    return each.flat();
  },
};
