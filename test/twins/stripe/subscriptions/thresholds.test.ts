// Billing thresholds by the vendor's own SDK: use that reaches one is billed before the period's end.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

type Plan = {
  readonly customer: string;
  readonly metered: string;
  readonly seat: string;
  use(value: number): Promise<unknown>;
};

async function plan({ stripe }: StripeWorld): Promise<Plan> {
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const meter = await stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'calls',
    default_aggregation: { formula: 'sum' },
  });
  const price = (more: Partial<Stripe.PriceCreateParams>, recurring: object) =>
    stripe.prices.create({
      currency: 'usd',
      product_data: { name: 'Calls' },
      recurring: { interval: 'month', ...recurring },
      ...more,
    });
  const metered = await price({ unit_amount: 10 }, { usage_type: 'metered', meter: meter.id });
  const seat = await price({ unit_amount: 3000 }, {});
  return {
    customer: customer.id,
    metered: metered.id,
    seat: seat.id,
    use: value =>
      stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer.id, value: String(value) },
      }),
  };
}

const invoicesOf = async ({ stripe }: StripeWorld, subscription: string): Promise<Stripe.Invoice[]> =>
  (await stripe.invoices.list({ subscription, limit: 100 })).data.reverse();
const told = (
  invoices: readonly Stripe.Invoice[],
): readonly (readonly [string | null, number, string | null])[] =>
  invoices.map(({ billing_reason, total, status }) => [billing_reason, total, status]);

t.test('[4.9 clock] an amount that is reached is billed early, and the rest at the period’s end', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, metered, use } = await plan(made);
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: metered }],
    billing_thresholds: { amount_gte: 1000 },
  });
  t.same(subscription.billing_thresholds, { amount_gte: 1000, reset_billing_cycle_anchor: false });
  await made.advance('24h');
  await use(99);
  await made.advance('1h');
  t.equal((await invoicesOf(made, subscription.id)).length, 1, 'one unit is missing');
  await use(21);
  await use(30);
  await made.advance('1m');
  const [, early] = await invoicesOf(made, subscription.id);
  t.match(early, {
    billing_reason: 'subscription_threshold',
    status: 'draft',
    total: 1500,
    auto_advance: true,
  });
  t.match((await stripe.subscriptions.retrieve(subscription.id)).latest_invoice, early?.id);
  const [newest] = await made.events('invoice.created');
  t.match(newest, { data: { object: { id: early?.id, billing_reason: 'subscription_threshold' } } });
  await made.advance('1h');
  t.match(await stripe.invoices.retrieve(early!.id!), { status: 'paid', amount_paid: 1500 });
  await use(70);
  await made.advance('1h');
  t.equal((await invoicesOf(made, subscription.id)).length, 2, 'what was billed counts no more');
  await made.advance('32d');
  t.same(told(await invoicesOf(made, subscription.id)), [
    ['subscription_create', 0, 'paid'],
    ['subscription_threshold', 1500, 'paid'],
    ['subscription_cycle', 700, 'paid'],
  ]);
});

t.test('[4.9 clock] an item’s units are billed once they are reached, and again', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, metered, seat, use } = await plan(made);
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: metered, billing_thresholds: { usage_gte: 100 } }, { price: seat }],
  });
  const [item] = subscription.items.data;
  t.same(item!.billing_thresholds, { usage_gte: 100 });
  for (const value of [100, 99, 150]) {
    await use(value);
    await made.advance('2m');
  }
  await made.advance('2h');
  t.same(told(await invoicesOf(made, subscription.id)), [
    ['subscription_create', 3000, 'paid'],
    ['subscription_threshold', 1000, 'paid'],
    ['subscription_threshold', 2490, 'paid'],
  ]);
  t.same(
    (await stripe.subscriptionItems.update(item!.id, { billing_thresholds: '' })).billing_thresholds,
    null,
  );
  await use(500);
  await made.advance('2h');
  t.equal(
    (await invoicesOf(made, subscription.id)).length,
    3,
    'a threshold that is taken away bills nothing',
  );
  await made.advance('32d');
  t.same(told(await invoicesOf(made, subscription.id)).at(-1), ['subscription_cycle', 8000, 'paid']);
});

t.test('[4.9 clock] the period begins anew with the invoice where that is asked for', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, metered, seat, use } = await plan(made);
  const plain = await stripe.subscriptions.create({ customer, items: [{ price: metered }, { price: seat }] });
  const changed = await stripe.subscriptions.update(plain.id, {
    billing_thresholds: { amount_gte: 1000, reset_billing_cycle_anchor: true },
  });
  t.same(changed.billing_thresholds, { amount_gte: 1000, reset_billing_cycle_anchor: true });
  await made.advance('15d');
  await use(200);
  await made.advance('2h');
  const [, early] = await invoicesOf(made, plain.id);
  const lines = early!.lines.data.map(({ amount }) => amount).sort((a, b) => a - b);
  t.equal(lines.length, 3, 'the use, what is given back of the seat, and its new period');
  t.ok(lines[0]! < 0 && lines[0]! > -3000);
  t.same(lines.slice(1), [2000, 3000]);
  t.match(early, { billing_reason: 'subscription_threshold', status: 'paid' });
  const after = await stripe.subscriptions.retrieve(plain.id);
  t.ok(after.billing_cycle_anchor > plain.billing_cycle_anchor);
  t.equal(after.items.data[0]!.current_period_start, after.billing_cycle_anchor);
  const cleared = await stripe.subscriptions.update(plain.id, { billing_thresholds: '' });
  t.equal(cleared.billing_thresholds, null);
});

t.test('[4.1] a threshold that nothing can reach is refused, and nothing is stored', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, seat } = await plan(made);
  const before = await made.position();
  const asked = stripe.subscriptions.create({
    customer,
    items: [{ price: seat, billing_thresholds: { usage_gte: 5 } }],
  });
  t.match(await asked.catch((error: unknown) => error), {
    statusCode: 400,
    param: 'items[0][billing_thresholds]',
  });
  t.equal(await made.position(), before);
});
