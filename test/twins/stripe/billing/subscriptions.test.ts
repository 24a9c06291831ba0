// What moves subscriptions besides themselves: schedules, and test clocks.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

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
