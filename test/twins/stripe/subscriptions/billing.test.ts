// What moves subscriptions besides themselves: schedules, and test clocks.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { callsMeter, openStripeWorld, shop } from '../../../kit/stripe-world.ts';

const DAY = 86_400;

t.test('[4.1] a schedule moves through its phases and lets its subscription go', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const item = (quantity: number) => ({ price: price.id, quantity });
  const schedule = await stripe.subscriptionSchedules.create({
    customer: customer.id,
    start_date: 'now',
    phases: [
      { items: [item(1)], duration: { interval: 'month' } },
      { items: [item(3)], duration: { interval: 'month' } },
    ],
  });
  t.match(schedule, { status: 'active', current_phase: { start_date: schedule.phases[0]!.start_date } });
  t.same(faultsOf(schedule), []);
  const id = schedule.subscription as string;
  t.match(await stripe.subscriptions.retrieve(id), {
    schedule: schedule.id,
    items: { data: [{ quantity: 1 }] },
  });
  const [begun] = await made.events('customer.subscription.created');
  t.match(begun?.data.object, { schedule: schedule.id }, 'from the first that is heard of it');
  await made.advance('32d');
  t.match(await stripe.subscriptions.retrieve(id), { items: { data: [{ quantity: 3 }] } });
  await made.advance('30d');
  t.match(await stripe.subscriptionSchedules.retrieve(schedule.id), {
    status: 'released',
    released_subscription: id,
    subscription: null,
  });
  t.equal((await stripe.subscriptions.retrieve(id)).schedule, null);
  t.equal((await made.events('subscription_schedule.expiring')).length, 1);
});

t.test('[4.1] a test clock has its own time', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const frozen = Date.parse('2030-01-01T00:00:00Z') / 1000;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: frozen });
  const { price } = await shop(stripe);
  const customer = await stripe.customers.create({
    test_clock: clock.id,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const { id, created, test_clock } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  t.same({ created, test_clock }, { created: frozen, test_clock: clock.id });
  await made.advance('40d');
  t.equal((await stripe.invoices.list({ subscription: id })).data.length, 1, 'the world does not move it');
  t.match(await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: frozen + 62 * DAY }), {
    status: 'advancing',
  });
  t.match(await stripe.testHelpers.testClocks.retrieve(clock.id), {
    status: 'ready',
    frozen_time: frozen + 62 * DAY,
  });
  const invoices = (await stripe.invoices.list({ subscription: id })).data;
  t.same(
    invoices.map(({ status, created: at }) => [status, (at - frozen) / DAY]),
    [
      ['paid', 59],
      ['paid', 31],
      ['paid', 0],
    ],
  );
  t.equal((await made.events('test_helpers.test_clock.ready')).length, 1);
  await t.rejects(stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: frozen }), {
    message: /only be advanced forward/,
  });
  t.match(await stripe.testHelpers.testClocks.del(clock.id), { deleted: true });
  t.match(await stripe.customers.retrieve(customer.id), { deleted: true });
});

t.test(
  '[4.1] on a test clock: use is billed, schedules turn, trials and credit end, all in its time',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const frozen = Date.parse('2030-01-01T00:00:00Z') / 1000;
    const { id: test_clock } = await stripe.testHelpers.testClocks.create({ frozen_time: frozen });
    const { price, product } = await shop(stripe);
    const customer = await stripe.customers.create({
      test_clock,
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const meter = await callsMeter(stripe);
    const metered = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 10,
      recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    });
    const { id } = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: metered.id }],
    });
    const trial = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      trial_period_days: 10,
    });
    const grant = await stripe.billing.creditGrants.create({
      customer: customer.id,
      amount: { type: 'monetary', monetary: { currency: 'usd', value: 900 } },
      applicability_config: { scope: { price_type: 'metered' } },
      category: 'paid',
      expires_at: frozen + 5 * DAY,
    });
    const schedule = await stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: frozen + 2 * DAY,
      phases: [{ items: [{ price: price.id }], duration: { interval: 'week', interval_count: 1 } }],
      end_behavior: 'cancel',
    });
    const event = await stripe.billing.meterEvents.create({
      event_name: 'calls',
      payload: { stripe_customer_id: customer.id, value: '25' },
    });
    t.equal(event.timestamp, frozen, 'in its time');
    await made.advance('90d');
    t.match(await stripe.subscriptions.retrieve(trial.id), { status: 'trialing' });
    const advanced = await stripe.testHelpers.testClocks.advance(test_clock, {
      frozen_time: frozen + 32 * DAY,
    });
    t.match(advanced, {
      status: 'advancing',
      status_details: { advancing: { target_frozen_time: frozen + 32 * DAY } },
    });
    await made.advance('1m');
    t.match(await stripe.testHelpers.testClocks.retrieve(test_clock), { status: 'ready' });
    const [bill] = (await stripe.invoices.list({ subscription: id })).data;
    t.match(bill, { total: 250, status: 'paid', created: frozen + 31 * DAY, test_clock });
    t.match(await stripe.subscriptions.retrieve(trial.id), { status: 'active' });
    t.equal((await stripe.subscriptionSchedules.retrieve(schedule.id)).completed_at, frozen + 9 * DAY);
    const [moved] = (
      await stripe.billing.creditBalanceTransactions.list({ credit_grant: grant.id, customer: customer.id })
    ).data;
    t.match(moved, { debit: { type: 'credits_expired' }, created: frozen + 5 * DAY });
    const told = await made.events('customer.subscription.trial_will_end');
    t.equal(told[0]?.created, frozen + 7 * DAY, 'events are of its time');
  },
);

t.test('[4.1] a phase brings its discount, its extra items and its settings', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const half = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  const setup = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 700 });
  const schedule = await stripe.subscriptionSchedules.create({
    customer: customer.id,
    start_date: Date.parse('2026-01-20T00:00:00Z') / 1000,
    end_behavior: 'cancel',
    default_settings: { collection_method: 'send_invoice', invoice_settings: { days_until_due: 7 } },
    phases: [
      {
        items: [{ price: price.id, quantity: 2 }],
        duration: { interval: 'month' },
        discounts: [{ coupon: half.id }],
        add_invoice_items: [{ price: setup.id }],
        metadata: { phase: 'one' },
      },
      {
        items: [{ price: price.id, quantity: 1 }],
        duration: { interval: 'month', interval_count: 2 },
        metadata: { phase: 'two' },
      },
    ],
  });
  t.match(schedule, { status: 'not_started', subscription: null, current_phase: null });
  t.same(faultsOf(schedule), []);
  await made.advance('5d');
  const begun = await stripe.subscriptionSchedules.retrieve(schedule.id, { expand: ['subscription'] });
  const { id } = begun.subscription as Stripe.Subscription;
  t.match(begun, {
    status: 'active',
    subscription: { collection_method: 'send_invoice', days_until_due: 7, metadata: { phase: 'one' } },
  });
  const totals = async () =>
    (await stripe.invoices.list({ subscription: id })).data.map(({ total, status }) => [total, status]);
  t.same(await totals(), [[1850, 'open']], '3,000 and 700, at half the price');
  await made.advance('31d');
  t.match(await stripe.subscriptions.retrieve(id), {
    discounts: [],
    metadata: { phase: 'two' },
    items: { data: [{ quantity: 1 }] },
  });
  t.same((await totals())[0], [1500, 'open'], 'the renewal bills the new phase, with nothing prorated');
  await made.advance('60d');
  t.match(await stripe.subscriptionSchedules.retrieve(schedule.id), { status: 'completed' });
  t.match(await stripe.subscriptions.retrieve(id), { status: 'canceled' });
  for (const type of ['subscription_schedule.expiring', 'subscription_schedule.completed']) {
    t.equal((await made.events(type)).length, 1, type);
  }
});

t.test('[4.1] a schedule of a running subscription is changed, canceled and released', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const subscribe = () =>
    stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const { id } = await subscribe();
  const { id: schedule, phases } = await stripe.subscriptionSchedules.create({ from_subscription: id });
  await t.rejects(stripe.subscriptionSchedules.create({ from_subscription: id }), {
    message: /already attached to a schedule/,
  });
  const first = phases[0]!;
  await made.advance('3d');
  await stripe.subscriptionSchedules.update(schedule, {
    phases: [
      {
        items: [{ price: price.id, quantity: 4 }],
        start_date: first.start_date,
        end_date: first.end_date,
        proration_behavior: 'none',
      },
      { items: [{ price: price.id, quantity: 2 }], duration: { interval: 'month' } },
    ],
    proration_behavior: 'none',
  });
  t.match(await stripe.subscriptions.retrieve(id), { items: { data: [{ quantity: 4 }] } });
  await made.advance('29d');
  const [renewal] = (await stripe.invoices.list({ subscription: id })).data;
  t.match(renewal, { total: 3000, lines: { data: [{ quantity: 2 }] } });
  t.match(await stripe.subscriptionSchedules.release(schedule), { status: 'released', subscription: null });
  const told = (await made.events('customer.subscription.updated')).map(
    ({ data: { previous_attributes } }) => ({
      ...previous_attributes,
    }),
  );
  t.match(told.at(0), { schedule }, 'who hears of the subscription is told that it has none any more');
  t.match(told.at(-1), { schedule: null }, 'and that it had none before');
  await t.rejects(stripe.subscriptionSchedules.cancel(schedule), { message: /in the `released` status/ });
  const other = await subscribe();
  const canceled = await stripe.subscriptionSchedules.cancel(
    (await stripe.subscriptionSchedules.create({ from_subscription: other.id })).id,
  );
  t.match(canceled, { status: 'canceled' });
  t.match(await stripe.subscriptions.retrieve(other.id), { status: 'canceled' });
  const [last] = (await stripe.invoices.list({ subscription: other.id })).data;
  t.match(last, { total: -1500, status: 'paid' }, 'what was not used is given back');
  await t.rejects(
    stripe.subscriptionSchedules.create({
      customer: customer.id,
      start_date: 'now',
      phases: [{ items: [{ price: price.id }], application_fee_percent: 5 }],
    }),
    { code: 'wrld_unmodelled_parameter', param: 'phases[0][application_fee_percent]' },
  );
});

t.test('[4.1] anchors, ends and extra items, as this version of the API has them', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const fee = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 300 });
  const anchored = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    billing_cycle_anchor_config: { day_of_month: 31, hour: 0, minute: 0, second: 0 },
    proration_behavior: 'none',
    add_invoice_items: [{ price: fee.id, quantity: 2 }],
    automatic_tax: { enabled: true },
    expand: ['latest_invoice'],
  });
  t.match(anchored, {
    billing_cycle_anchor: Date.parse('2026-01-31T00:00:00Z') / 1000,
    billing_cycle_anchor_config: { day_of_month: 31, hour: 0 },
    automatic_tax: { enabled: true },
    latest_invoice: { total: 600, status: 'paid', automatic_tax: { status: 'complete' } },
  });
  t.same(faultsOf(anchored), []);
  await made.advance('3d');
  const reset = await stripe.subscriptions.update(anchored.id, { billing_cycle_anchor: { type: 'now' } });
  t.equal(reset.billing_cycle_anchor, Date.parse('2026-01-18T12:00:00Z') / 1000);
  const ending = await stripe.subscriptions.update(anchored.id, { cancel_at: 'min_period_end' });
  t.equal(ending.cancel_at, ending.items.data[0]?.current_period_end);
  await stripe.subscriptions.update(anchored.id, { cancel_at: '', add_invoice_items: [{ price: fee.id }] });
  await made.advance('32d');
  t.match((await stripe.invoices.list({ subscription: anchored.id })).data[0], { total: 1800 });
  await t.rejects(
    stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      add_invoice_items: [{ price: price.id }],
    }),
    { message: /only accepts prices with `type=one_time`/ },
  );
});

t.test('[4.1] a subscription is paused with what was not used given back, and resumed', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    billing_mode: { type: 'classic' },
  });
  t.match(await stripe.subscriptions.migrate(id, { billing_mode: { type: 'flexible' } }), {
    billing_mode: { type: 'flexible', flexible: { proration_discounts: 'included' } },
  });
  const paused = await stripe.subscriptions.pause(id, {
    type: 'subscription',
    bill_for: { unused_time_from: { type: 'now' }, outstanding_usage_through: { type: 'none' } },
    invoicing_behavior: 'invoice',
  });
  t.equal(paused.status, 'paused');
  t.match((await stripe.invoices.list({ subscription: id })).data[0], { total: -1500, status: 'paid' });
  t.equal((await made.events('customer.subscription.paused')).length, 1);
  await made.advance('60d');
  t.equal((await stripe.invoices.list({ subscription: id })).data.length, 2, 'nothing is billed meanwhile');
  t.match(await stripe.subscriptions.resume(id), { status: 'active' });
  await made.advance('1h');
  t.match((await stripe.invoices.list({ subscription: id })).data[0], { total: 1500, amount_due: 0 });
  t.equal((await made.events('customer.subscription.resumed')).length, 1);
});

t.test('[4.1] a pause gives back what its period began with, where it is asked to', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await made.advance('10d');
  await stripe.subscriptions.pause(id, {
    type: 'subscription',
    bill_for: {
      unused_time_from: { type: 'item_current_period_start' },
      outstanding_usage_through: { type: 'none' },
    },
    invoicing_behavior: 'pending_invoice_item',
  });
  const { data } = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
  t.match(data, [{ amount: -1500, proration: true }]);
});

t.test('[4.1] a trial without a card has a setup intent, and what it leaves pays later', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { price } = await shop(stripe);
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const trial = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    trial_period_days: 7,
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: ['pending_setup_intent'],
  });
  const setup = trial.pending_setup_intent as Stripe.SetupIntent;
  t.match(setup, { status: 'requires_payment_method', customer: customer.id, client_secret: /_secret_/ });
  await stripe.setupIntents.confirm(setup.id, {
    payment_method: 'pm_card_visa',
    return_url: 'https://shop.example.com/',
  });
  const ready = await stripe.subscriptions.retrieve(trial.id, { expand: ['default_payment_method'] });
  t.match(ready, { pending_setup_intent: null, default_payment_method: { card: { last4: '4242' } } });
  await made.advance('8d');
  t.match((await stripe.invoices.list({ subscription: trial.id })).data[0], { status: 'paid', total: 1500 });
  t.match(await stripe.subscriptions.retrieve(trial.id), { status: 'active' });
});
