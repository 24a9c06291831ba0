// Subscriptions as a caller makes and changes them.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] how a first payment goes decides the status, as payment_behavior asks', async t => {
  for (const [card, behaviour, status] of [
    ['pm_card_visa', 'allow_incomplete', 'active'],
    ['pm_card_chargeCustomerFail', 'allow_incomplete', 'incomplete'],
    ['pm_card_authenticationRequired', 'allow_incomplete', 'incomplete'],
    ['pm_card_visa', 'default_incomplete', 'incomplete'],
  ] as const) {
    await using made = await openStripeWorld();
    const { customer, price } = await shop(made.stripe, card);
    const subscription = await made.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      payment_behavior: behaviour,
    });
    t.equal(subscription.status, status, `${behaviour} with ${card}`);
    const [told] = await made.events('customer.subscription.created');
    t.match(told?.data.object, { status }, 'and is told of as it came out');
  }
});

t.test('[4.1] default_incomplete waits for its intent to be confirmed', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments.data.payment.payment_intent'],
  });
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  const intent = invoice.payments?.data[0]?.payment.payment_intent as Stripe.PaymentIntent;
  t.equal(invoice.confirmation_secret?.client_secret, intent.client_secret);
  t.equal(intent.status, 'requires_confirmation');
  await stripe.paymentIntents.confirm(intent.id);
  t.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active');
  t.match(await stripe.invoices.retrieve(invoice.id), { status: 'paid', amount_paid: 1500 });
  const [update] = await made.events('customer.subscription.updated');
  t.same(update?.data.previous_attributes, { status: 'incomplete' });
});

t.test('[4.1] error_if_incomplete makes nothing; so does having nothing to pay with', async t => {
  await using made = await openStripeWorld();
  const { customer, price } = await shop(made.stripe, 'pm_card_chargeCustomerFail');
  const poor = await made.stripe.customers.create({});
  const before = await made.position();
  await t.rejects(
    made.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      payment_behavior: 'error_if_incomplete',
    }),
    { type: 'StripeCardError', code: 'card_declined', decline_code: 'generic_decline' },
  );
  await t.rejects(made.stripe.subscriptions.create({ customer: poor.id, items: [{ price: price.id }] }), {
    statusCode: 400,
    code: 'resource_missing',
    message: /^This customer has no attached payment source or default payment method\./,
  });
  t.equal(await made.position(), before);
});

t.test('[4.1] items must go together', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const yearly = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 9000,
    recurring: { interval: 'year' },
  });
  const once = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 500 });
  const create = (items: Stripe.SubscriptionCreateParams.Item[]): Promise<Stripe.Subscription> =>
    stripe.subscriptions.create({ customer: customer.id, items });
  await t.rejects(create([{ price: price.id }, { price: yearly.id }]), {
    message: /mismatch in interval field/,
  });
  await t.rejects(create([{ price: price.id }, { price: price.id }]), { message: /same plan/ });
  await t.rejects(create([{ price: once.id }]), { param: 'items[0][price]', message: /type=recurring/ });
  await t.rejects(create([{ price: 'price_x' }]), {
    param: 'items[0][price]',
    message: "No such price: 'price_x'",
  });
  await t.rejects(create([]), { code: 'parameter_missing', param: 'items' });
  await stripe.prices.update(price.id, { active: false });
  await t.rejects(create([{ price: price.id }]), { message: /inactive/ });
  const made2 = await create([
    {
      price_data: { currency: 'usd', product: product.id, unit_amount: 250, recurring: { interval: 'week' } },
      quantity: 2,
    },
  ]);
  t.match(made2.items.data[0], {
    quantity: 2,
    price: { unit_amount: 250, recurring: { interval: 'week' } },
    plan: { amount: 250 },
  });
});

t.test('[4.1] a change in mid-period is prorated onto the next invoice', async t => {
  await using made = await openStripeWorld({ at: '2026-03-01T00:00:00.000Z' });
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const made1 = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await made.advance('372h'); // half of March
  const item = made1.items.data[0]!;
  const changed = await stripe.subscriptions.update(made1.id, { items: [{ id: item.id, quantity: 3 }] });
  t.equal(changed.items.data[0]?.quantity, 3);
  const pending = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
  t.same(
    pending.data.map(({ amount }) => amount).sort((a, b) => a - b),
    [-750, 2250],
  );
  t.ok(pending.data.every(({ proration }) => proration));
  const preview = await stripe.invoices.createPreview({ subscription: made1.id });
  t.match(preview, { total: 4500 + 1500, status: 'draft', billing_reason: 'upcoming' });
  t.match(preview.id, /^upcoming_in_/);
  await made.advance('372h');
  await made.advance('1h');
  const [renewal] = (await stripe.invoices.list({ subscription: made1.id })).data;
  t.match(renewal, { status: 'paid', amount_paid: 6000 });
  t.same(
    renewal?.lines.data.map(line => line.parent?.type),
    Array(3).fill('subscription_item_details'),
  );
  t.equal((await stripe.invoiceItems.list({ pending: true })).data.length, 0, 'taken up');
});

t.test(
  '[4.1] always_invoice bills a change at once; none not at all; another interval starts anew',
  async t => {
    await using made = await openStripeWorld({ at: '2026-03-01T00:00:00.000Z' });
    const { stripe } = made;
    const { customer, product, price } = await shop(stripe);
    const made1 = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
    const item = made1.items.data[0]!.id;
    await made.advance('372h');
    await stripe.subscriptions.update(made1.id, {
      items: [{ id: item, quantity: 2 }],
      proration_behavior: 'always_invoice',
    });
    const [now] = (await stripe.invoices.list({ subscription: made1.id })).data;
    t.match(now, { billing_reason: 'subscription_update', status: 'paid', total: 750 });
    await stripe.subscriptionItems.update(item, { quantity: 5, proration_behavior: 'none' });
    t.equal((await stripe.invoiceItems.list({ pending: true })).data.length, 0);
    const yearly = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 12_000,
      recurring: { interval: 'year' },
    });
    const moved = await stripe.subscriptions.update(made1.id, {
      items: [{ id: item, price: yearly.id, quantity: 1 }],
    });
    t.equal(moved.billing_cycle_anchor, Date.parse('2026-03-16T12:00:00Z') / 1000);
    t.equal(moved.items.data[0]?.current_period_end, Date.parse('2027-03-16T12:00:00Z') / 1000);
    const [start] = (await stripe.invoices.list({ subscription: made1.id })).data;
    t.match(start, { status: 'paid', total: 12_000 - 3750 });
  },
);

t.test('[4.1] items of their own: add, list, remove, and never the last', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const seat = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 100,
    recurring: { interval: 'month' },
  });
  const added = await stripe.subscriptionItems.create({
    subscription: subscription.id,
    price: seat.id,
    quantity: 4,
  });
  t.match(added, { object: 'subscription_item', quantity: 4, subscription: subscription.id });
  t.equal((await stripe.subscriptionItems.list({ subscription: subscription.id })).data.length, 2);
  t.same(await stripe.subscriptionItems.del(added.id), {
    id: added.id,
    object: 'subscription_item',
    deleted: true,
  });
  await t.rejects(stripe.subscriptionItems.del(subscription.items.data[0]!.id), {
    message: /at least one active plan/,
  });
});

t.test('[4.1] lists: by customer, by price, by status; canceled ones only when asked for', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const create = (): Promise<Stripe.Subscription> =>
    stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const [kept, gone] = [await create(), await create()];
  const canceled = await stripe.subscriptions.cancel(gone.id, { cancellation_details: { comment: 'bye' } });
  t.match(canceled, {
    status: 'canceled',
    cancellation_details: { comment: 'bye', reason: 'cancellation_requested' },
  });
  const ids = async (params: Stripe.SubscriptionListParams): Promise<string[]> =>
    (await stripe.subscriptions.list(params)).data.map(({ id }) => id);
  t.same(await ids({}), [kept.id]);
  t.same(await ids({ status: 'all' }), [gone.id, kept.id]);
  t.same(await ids({ status: 'canceled' }), [gone.id]);
  t.same(await ids({ status: 'ended', customer: customer.id }), [gone.id]);
  t.same(await ids({ price: price.id }), [kept.id]);
  t.same(await ids({ customer: customer.id, collection_method: 'send_invoice' }), []);
  await t.rejects(stripe.subscriptions.cancel(gone.id), { code: 'resource_missing' });
  await t.rejects(stripe.subscriptions.update(gone.id, { description: 'x' }), {
    code: 'invalid_canceled_subscription_fields',
  });
  await stripe.subscriptions.update(gone.id, { metadata: { why: 'moved' } });
});

t.test('[4.1] canceling with a last invoice gives the unused time back', async t => {
  await using made = await openStripeWorld({ at: '2026-03-01T00:00:00.000Z' });
  const { customer, price } = await shop(made.stripe);
  const { id } = await made.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  await made.advance('372h');
  await made.stripe.subscriptions.cancel(id, { invoice_now: true, prorate: true });
  const [last] = (await made.stripe.invoices.list({ subscription: id })).data;
  t.match(last, { total: -750, amount_due: 0, status: 'paid' });
  t.equal(
    ((await made.stripe.customers.retrieve(customer.id)) as Stripe.Customer).balance,
    -750,
    'as credit',
  );
});

t.test('[4.1] a trial that is given, ended by hand, and a later anchor', async t => {
  await using made = await openStripeWorld({ at: '2026-03-01T00:00:00.000Z' });
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const trial = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    trial_end: Date.parse('2026-03-20T00:00:00Z') / 1000,
  });
  await made.advance('1d');
  const begun = await stripe.subscriptions.update(trial.id, { trial_end: 'now' });
  t.match(begun, { status: 'active', billing_cycle_anchor: Date.parse('2026-03-02T00:00:00Z') / 1000 });
  t.match((await stripe.invoices.list({ subscription: trial.id })).data[0], { status: 'paid', total: 1500 });
  const anchored = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    billing_cycle_anchor: Date.parse('2026-03-17T12:00:00Z') / 1000,
  });
  const [part] = (await stripe.invoices.list({ subscription: anchored.id })).data;
  t.equal(part?.total, Math.round((1500 * 15.5) / 28), 'the part of the period before the anchor');
});

t.test('[4.1] a change that cannot be paid is refused, or waits for its invoice', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const large = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 4500,
    recurring: { interval: 'month' },
  });
  const { id, items } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const item = items.data[0]!.id;
  const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  const payWith = (default_payment_method: string) =>
    stripe.customers.update(customer.id, { invoice_settings: { default_payment_method } });
  await payWith(bad.id);
  const change = (payment_behavior: Stripe.SubscriptionUpdateParams.PaymentBehavior) =>
    stripe.subscriptions.update(id, {
      items: [{ id: item, price: large.id }],
      proration_behavior: 'always_invoice',
      payment_behavior,
    });
  const before = await made.position();
  await t.rejects(change('error_if_incomplete'), { code: 'card_declined', statusCode: 402 });
  t.equal(await made.position(), before, 'and nothing is written');
  const waiting = await change('pending_if_incomplete');
  t.match(waiting, {
    status: 'active',
    pending_update: { subscription_items: [{ price: { id: large.id } }] },
    items: { data: [{ price: { id: price.id } }] },
  });
  t.match(await stripe.invoices.retrieve(waiting.latest_invoice as string), { status: 'open', total: 3000 });
  await made.advance('1d');
  t.equal((await stripe.subscriptions.retrieve(id)).pending_update, null);
  t.match(await stripe.invoices.retrieve(waiting.latest_invoice as string), { status: 'void' });
  t.equal((await made.events('customer.subscription.pending_update_expired')).length, 1);
  const again = await change('pending_if_incomplete');
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await stripe.invoices.pay(again.latest_invoice as string, { payment_method: good.id });
  t.match(await stripe.subscriptions.retrieve(id), {
    pending_update: null,
    items: { data: [{ price: { id: large.id } }] },
  });
  t.equal((await made.events('customer.subscription.pending_update_applied')).length, 1);
  await made.advance('31d');
  await t.rejects(
    stripe.subscriptions.update(id, { description: 'x', payment_behavior: 'pending_if_incomplete' }),
    { param: 'description', message: /cannot change `description`/ },
  );
});

t.test('[4.1] a price in several currencies is billed in the one that is asked for', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product } = await shop(stripe);
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
    currency_options: { eur: { unit_amount: 900, tax_behavior: 'inclusive' } },
    expand: ['currency_options'],
  });
  t.match(price.currency_options, {
    usd: { unit_amount: 1000 },
    eur: {
      unit_amount: 900,
      unit_amount_decimal: '900',
      tax_behavior: 'inclusive',
      custom_unit_amount: null,
    },
  });
  t.notOk('currency_options' in (await stripe.prices.retrieve(price.id)), 'unless it is expanded');
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id, quantity: 2 }],
    currency: 'eur',
    expand: ['latest_invoice'],
  });
  t.match(subscription, { currency: 'eur', latest_invoice: { currency: 'eur', total: 1800 } });
  await stripe.prices.update(price.id, { currency_options: { gbp: { unit_amount: 800 } } });
  const large = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 5000,
    recurring: { interval: 'month' },
    currency_options: { eur: { unit_amount: 4000 } },
  });
  const item = subscription.items.data[0]!.id;
  const changed = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item, price: large.id, quantity: 1 }],
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice'],
  });
  t.match(changed, { currency: 'eur', latest_invoice: { currency: 'eur', total: 4000 - 1800 } });
  await made.advance('32d');
  const [renewed] = (await stripe.invoices.list({ customer: customer.id })).data;
  t.match(renewed, { currency: 'eur', total: 4000, billing_reason: 'subscription_cycle' });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    currency: 'gbp',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://a.example.com/',
  });
  t.match(session, { currency: 'gbp', amount_total: 800 });
  const before = await made.position();
  await t.rejects(
    stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }], currency: 'nok' }),
    { param: 'currency', message: /only supports `usd`, `eur`, `gbp`.*expected currency: `nok`/ },
  );
  await t.rejects(
    stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 1,
      currency_options: { kroner: { unit_amount: 1 } },
    }),
    { param: 'currency_options[kroner]', message: /Invalid currency/ },
  );
  t.equal(await made.position(), before, 'and nothing is written');
  await made.ask('POST', `/v1/prices/${price.id}`, { form: 'currency_options=' });
  const left = await stripe.prices.retrieve(price.id, { expand: ['currency_options'] });
  t.same(Object.keys(left.currency_options ?? {}), ['usd'], 'an empty value takes the others away');
});

t.test('[4.1] a subscription that began earlier bills the time since', async t => {
  // The world stands at noon on 15 January 2026: from 20 November it is 25 of 30 days, and a whole period.
  const from = Date.parse('2025-11-20T12:00:00Z') / 1000;
  const lines = (subscription: Stripe.Subscription): number[] =>
    (subscription.latest_invoice as Stripe.Invoice).lines.data
      .map(({ amount }) => amount)
      .sort((a, b) => a - b);
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const create = (more: Partial<Stripe.SubscriptionCreateParams>): Promise<Stripe.Subscription> =>
    stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      backdate_start_date: from,
      expand: ['latest_invoice'],
      ...more,
    });
  const now = await create({});
  t.equal(now.start_date, from);
  t.same(lines(now), [1250, 1500, 1500], 'a line for each natural period, and the one that begins');
  t.equal(now.billing_cycle_anchor, now.created);
  // In the classic mode it is counted from the start: a month to 20 December, and 26 of the 31 days after it.
  const classic = await create({ billing_mode: { type: 'classic' } });
  t.same(lines(classic), [1500, Math.round(1500 * (1 + 26 / 31))]);
  const free = await create({ proration_behavior: 'none' });
  t.equal(free.start_date, from);
  t.same(lines(free), [1500]);
  const anchor = Date.parse('2026-02-01T12:00:00Z') / 1000;
  const anchored = await create({ billing_cycle_anchor: anchor });
  t.same(lines(anchored), [Math.round((1500 * 11) / 30), 1500, 1500], 'up to the anchor, and no further');
  t.equal(anchored.items.data[0]?.current_period_end, anchor);
  const trial = await create({ trial_period_days: 7 });
  t.equal(trial.status, 'trialing');
  const billed = lines(trial).filter(amount => amount > 0);
  t.equal(billed.length, 3, 'by periods that end with the trial; the trial itself costs nothing');
  const before = await made.position();
  await t.rejects(create({ backdate_start_date: now.created + 60 }), {
    param: 'backdate_start_date',
    message: /in the past/,
  });
  await t.rejects(create({ backdate_start_date: 1 }), { message: /at most 250 line items/ });
  t.equal(await made.position(), before, 'and nothing is written');
});
