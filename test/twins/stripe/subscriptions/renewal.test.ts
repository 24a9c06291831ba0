// What happens to subscriptions as the world's clock moves.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const day = (seconds: number | null | undefined): string =>
  new Date((seconds ?? 0) * 1000).toISOString().slice(0, 10);

async function statusOf(made: StripeWorld, id: string): Promise<string> {
  return (await made.stripe.subscriptions.retrieve(id)).status;
}

async function invoicesOf(made: StripeWorld, subscription: string): Promise<Stripe.Invoice[]> {
  return (await made.stripe.invoices.list({ subscription, limit: 100 })).data;
}

t.test('[4.9 clock] a renewal is a draft for an hour, then finalized and paid', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const { id, items } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id, quantity: 3 }],
  });
  const end = items.data[0]!.current_period_end;
  t.equal(end, at('2026-02-15T12:00:00Z'));
  await made.advance('31d');
  const [draft] = await invoicesOf(made, id);
  t.match(draft, { status: 'draft', amount_due: 4500, automatically_finalizes_at: end + 3600, number: null });
  t.match(draft?.lines.data[0]?.period, { start: end, end: at('2026-03-15T12:00:00Z') });
  t.same(
    [draft?.period_start, draft?.period_end],
    [at('2026-01-15T12:00:00Z'), end],
    'the period that ended',
  );
  const during = await made.stripe.subscriptions.retrieve(id);
  t.equal(during.status, 'active');
  t.equal(during.items.data[0]?.current_period_end, at('2026-03-15T12:00:00Z'));
  t.equal(during.latest_invoice, draft?.id);
  await made.advance('1h');
  const [paid] = await invoicesOf(made, id);
  t.match(paid, { id: draft?.id, status: 'paid', amount_paid: 4500, attempt_count: 1, number: /-0002$/ });
  const payments = await made.stripe.invoicePayments.list({
    invoice: paid!.id,
    expand: ['data.payment.payment_intent'],
  });
  t.match(payments.data[0], {
    status: 'paid',
    amount_paid: 4500,
    payment: { payment_intent: { status: 'succeeded' } },
  });
  const [upcoming] = await made.events('invoice.upcoming');
  t.equal(day(upcoming?.created), '2026-02-08', 'a week ahead');
  t.match(upcoming?.data.object, { amount_due: 4500, id: undefined });
});

t.test('[4.9 clock] a year ahead in one step makes every renewal, each at its own time', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const { id } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  await made.advance('366d');
  const invoices = await invoicesOf(made, id);
  t.equal(invoices.length, 13);
  t.same(
    invoices.slice(0, 3).map(invoice => day(invoice.created)),
    ['2027-01-15', '2026-12-15', '2026-11-15'],
  );
  t.ok(invoices.every(({ status }) => status === 'paid'));
});

t.test(
  '[4.9 clock] an anchor on the 31st bills on the last day of short months, and on the 31st again',
  async t => {
    await using made = await openStripeWorld({ at: '2026-01-31T09:30:00.000Z' });
    const { customer, price } = await shop(made.stripe);
    const { id } = await made.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    const ends: string[] = [];
    for (const step of ['1d', '28d', '31d', '30d']) {
      const subscription = await made.stripe.subscriptions.retrieve(id);
      ends.push(new Date(subscription.items.data[0]!.current_period_end * 1000).toISOString());
      await made.advance(step);
    }
    t.same(ends, [
      '2026-02-28T09:30:00.000Z',
      '2026-02-28T09:30:00.000Z',
      '2026-03-31T09:30:00.000Z',
      '2026-04-30T09:30:00.000Z',
    ]);
  },
);

t.test('[4.9 clock] trials: a notice three days ahead, then the first real invoice', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const trial = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    trial_period_days: 14,
  });
  t.match(trial, {
    status: 'trialing',
    trial_end: at('2026-01-29T12:00:00Z'),
    billing_cycle_anchor: trial.trial_end,
  });
  const [free] = await invoicesOf(made, trial.id);
  t.match(free, { status: 'paid', amount_due: 0, billing_reason: 'subscription_create' });
  t.match(free?.lines.data[0], { amount: 0, description: 'Free trial for 1 × Plan' });
  await made.advance('14d');
  const [notice] = await made.events('customer.subscription.trial_will_end');
  t.equal(day(notice?.created), '2026-01-26');
  t.equal(await statusOf(made, trial.id), 'active');
  await made.advance('1h');
  t.match((await invoicesOf(made, trial.id))[0], { status: 'paid', amount_paid: 1500 });
  const [update] = await made.events('customer.subscription.updated');
  t.match(update?.data.previous_attributes, { status: 'trialing' });
});

t.test('[4.9 clock] a trial that ends with nothing to pay with does what it was told to', async t => {
  for (const [behaviour, status, event] of [
    ['cancel', 'canceled', 'customer.subscription.deleted'],
    ['pause', 'paused', 'customer.subscription.paused'],
    ['create_invoice', 'past_due', 'invoice.payment_failed'],
  ] as const) {
    await using made = await openStripeWorld();
    const { price } = await shop(made.stripe);
    const poor = await made.stripe.customers.create({ name: 'Bob' });
    const { id } = await made.stripe.subscriptions.create({
      customer: poor.id,
      items: [{ price: price.id }],
      trial_period_days: 2,
      trial_settings: { end_behavior: { missing_payment_method: behaviour } },
    });
    t.equal(
      (await made.events('customer.subscription.trial_will_end')).length,
      1,
      'a short trial is told of at once',
    );
    await made.advance('2d');
    await made.advance('1h');
    t.equal(await statusOf(made, id), status, behaviour);
    t.equal((await made.events(event)).length, 1, event);
  }
});

t.test('[4.9 clock] dunning: past due, three retries, then canceled', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: failing.id } });
  await made.advance('31d');
  await made.advance('1h');
  t.equal(await statusOf(made, id), 'past_due');
  const [late] = await invoicesOf(made, id);
  t.match(late, { status: 'open', attempt_count: 1 });
  t.equal(day(late?.next_payment_attempt), '2026-02-18');
  await made.advance('3d');
  t.match((await invoicesOf(made, id))[0], { attempt_count: 2 });
  await made.advance('5d');
  t.match((await invoicesOf(made, id))[0], { attempt_count: 3 });
  t.equal(await statusOf(made, id), 'past_due');
  await made.advance('7d');
  const canceled = await stripe.subscriptions.retrieve(id);
  t.match(canceled, { status: 'canceled', cancellation_details: { reason: 'payment_failed' } });
  t.match((await invoicesOf(made, id))[0], { status: 'open', attempt_count: 4, next_payment_attempt: null });
  t.equal((await made.events('invoice.payment_failed')).length, 4);
  await made.advance('60d');
  t.equal((await invoicesOf(made, id)).length, 2, 'what is canceled renews no more');
});

t.test('[4.9 clock] dunning ends when a card works again', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const good = (await stripe.paymentMethods.list({ customer: customer.id })).data[0]!;
  const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: failing.id } });
  await made.advance('31d');
  await made.advance('1h');
  t.equal(await statusOf(made, id), 'past_due');
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: good.id } });
  await made.advance('3d');
  t.equal(await statusOf(made, id), 'active');
  t.match((await invoicesOf(made, id))[0], { status: 'paid', attempt_count: 2 });
});

t.test('[4.9 clock] cancel at period end, and taking it back', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const make = async (): Promise<string> =>
    (await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] })).id;
  const [ends, stays] = [await make(), await make()];
  const told = await stripe.subscriptions.update(ends, { cancel_at_period_end: true });
  t.match(told, { status: 'active', cancel_at: at('2026-02-15T12:00:00Z'), cancel_at_period_end: true });
  await stripe.subscriptions.update(stays, { cancel_at_period_end: true });
  const back = await stripe.subscriptions.update(stays, { cancel_at_period_end: false });
  t.match(back, { cancel_at: null, canceled_at: null, cancellation_details: { reason: null } });
  await made.advance('31d');
  const ended = await stripe.subscriptions.retrieve(ends);
  t.match(ended, {
    status: 'canceled',
    ended_at: at('2026-02-15T12:00:00Z'),
    canceled_at: at('2026-01-15T12:00:00Z'),
  });
  t.equal((await invoicesOf(made, ends)).length, 1, 'no invoice for a period that does not come');
  t.equal(await statusOf(made, stays), 'active');
  t.equal((await made.events('customer.subscription.deleted')).length, 1);
});

t.test('[4.9 clock] a first payment outstanding for 23 hours expires', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe, 'pm_card_chargeCustomerFail');
  const { id, status } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  t.equal(status, 'incomplete');
  await made.advance('22h');
  t.equal(await statusOf(made, id), 'incomplete');
  await made.advance('1h');
  t.equal(await statusOf(made, id), 'incomplete_expired');
  t.match(await invoicesOf(made, id), [{ status: 'void' }]);
});

t.test('[4.9 clock] invoices that are sent: open until they are due, then overdue', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const { id, status } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    collection_method: 'send_invoice',
    days_until_due: 7,
  });
  t.equal(status, 'active');
  t.match(await invoicesOf(made, id), [{ status: 'draft', collection_method: 'send_invoice' }]);
  await made.advance('1h');
  t.match(await invoicesOf(made, id), [{ status: 'open' }]);
  t.equal((await made.events('invoice.sent')).length, 1);
  await made.advance('7d');
  t.equal((await made.events('invoice.overdue')).length, 1);
  t.equal(await statusOf(made, id), 'past_due');
  const [open] = await invoicesOf(made, id);
  await made.stripe.invoices.pay(open!.id, { paid_out_of_band: true });
  t.equal(await statusOf(made, id), 'active');
});

t.test('[4.9 clock] a paused collection makes invoices and asks nobody to pay, until it resumes', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe);
  const { id } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  await made.stripe.subscriptions.update(id, {
    pause_collection: { behavior: 'void', resumes_at: at('2026-03-01T00:00:00Z') },
  });
  await made.advance('31d');
  await made.advance('1h');
  t.match((await invoicesOf(made, id))[0], { status: 'void' });
  await made.advance('20d');
  t.equal((await made.stripe.subscriptions.retrieve(id)).pause_collection, null);
  await made.advance('20d');
  t.match((await invoicesOf(made, id))[0], { status: 'paid' });
});

t.test(
  '[4.9 clock] invoices of one’s own that advance are finalized after an hour and collected',
  async t => {
    await using made = await openStripeWorld();
    const { customer } = await shop(made.stripe);
    await made.stripe.invoiceItems.create({ customer: customer.id, amount: 700, currency: 'usd' });
    const { id } = await made.stripe.invoices.create({
      customer: customer.id,
      auto_advance: true,
      pending_invoice_items_behavior: 'include',
    });
    await made.advance('1h');
    t.match(await made.stripe.invoices.retrieve(id), { status: 'paid', amount_paid: 700 });
  },
);
