// Which version a request, an endpoint and an event are in, and which are refused.
import t from 'tap';
import { API_VERSION, apiVersions } from '../../../../twins/stripe/api/version.ts';
import { CHANGES } from '../../../../twins/stripe/versions/changes.ts';
import { VERSIONS } from '../../../../twins/stripe/versions/versions.ts';
import { callerIn } from '../../../kit/stripe-version.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[2.2] every version of the vendor’s list is answered, and says so', async t => {
  await using made = await openStripeWorld();
  t.ok(apiVersions().size > 100);
  t.equal([...apiVersions()].at(-1), API_VERSION, 'the newest is what the products speak');
  t.equal(VERSIONS.older(API_VERSION), null, 'to which nothing is turned');
  const customer = await made.stripe.customers.create({ name: 'Ada' });
  for (const version of apiVersions()) {
    const { status, headers } = await callerIn(made, version).ask('GET', `/v1/customers/${customer.id}`);
    t.equal(status, 200, version);
    t.equal(headers['stripe-version'], version);
  }
  const bare = await made.ask('GET', '/v1/customers');
  t.equal(bare.headers['stripe-version'], API_VERSION, 'without one it is the account’s');
});

t.test('[2.2] changes are in the order in which they are undone, of versions that there are', t => {
  const since = CHANGES.map(change => change.since);
  t.same(since, [...since].sort().reverse());
  for (const change of CHANGES) {
    t.ok(apiVersions().has(change.since), change.since);
    t.match(
      change.log,
      new RegExp(`^(${change.since.slice(0, 10)}|[a-z]+($|/${change.since.slice(0, 10)}/))`),
    );
  }
  t.end();
});

t.test('[2.2] a version that never was is refused in Stripe’s words, and nothing is done', async t => {
  await using made = await openStripeWorld();
  const before = await made.position();
  const beta =
    'Invalid Stripe API version: 2020-08-27;link_beta=v1. You do not have permission to pass this beta header: ' +
    'link_beta. If you have any questions, we can help at https://support.stripe.com/.';
  for (const [version, message] of [
    ['2019-2-19', 'Invalid Stripe API version: 2019-2-19'],
    ['2027-01-27.fuchsia', 'Invalid Stripe API version: 2027-01-27.fuchsia'],
    ['2025-03-31', 'Invalid Stripe API version: 2025-03-31'],
    ['__proto__', 'Invalid Stripe API version: __proto__'],
    ['x'.repeat(5_000), `Invalid Stripe API version: ${'x'.repeat(100)}`],
    ['2020-08-27;link_beta=v1', beta],
  ] as const) {
    const { status, body, headers } = await callerIn(made, version).ask('POST', '/v1/customers', 'name=Ada');
    t.equal(status, 400, version.slice(0, 30));
    t.match(body.error, { type: 'invalid_request_error', message });
    t.equal(headers['stripe-version'], API_VERSION);
  }
  const endpoint = await made.ask('POST', '/v1/webhook_endpoints', {
    form: 'url=https://a.test/&enabled_events[]=*&api_version=2019-2-19',
  });
  t.equal(endpoint.status, 400);
  t.match(endpoint.body.error, { param: 'api_version', message: 'Invalid Stripe API version: 2019-2-19' });
  t.equal(await made.position(), before);
});

t.test('[4.9] each endpoint hears in its own version; the event itself is in the account’s', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  for (const version of ['2020-08-27', '2024-06-20', API_VERSION, null] as const) {
    const own = version === null ? {} : { api_version: version as '2020-08-27' };
    await stripe.webhookEndpoints.create({
      url: `https://${version ?? 'account'}.test/`,
      enabled_events: ['customer.subscription.updated', 'invoice.paid', 'payment_intent.succeeded'],
      ...own,
    });
  }
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  await made.advance('31d');
  await made.advance('1h');
  await made.world.settled();
  const heard = (version: string, type: string) =>
    made.sent
      .filter(({ url }) => url === `https://${version}.test/`)
      .map(({ body }) => JSON.parse(body))
      .filter(event => event.type === type)
      .at(-1);
  for (const version of ['2020-08-27', '2024-06-20']) {
    const { api_version, data } = heard(version, 'invoice.paid');
    t.equal(api_version, version);
    t.match(data.object, {
      paid: true,
      subscription: subscription.id,
      charge: /^ch_/,
      payment_intent: /^pi_/,
    });
    const moved = heard(version, 'customer.subscription.updated').data;
    t.equal(moved.object.current_period_start - moved.previous_attributes.current_period_start, 31 * 86_400);
    t.equal(moved.object.current_period_start, moved.previous_attributes.current_period_end);
  }
  const { charges } = heard('2020-08-27', 'payment_intent.succeeded').data.object;
  t.match(charges, { object: 'list', data: [{ object: 'charge', paid: true, refunds: { data: [] } }] });
  t.notOk('charges' in heard('2024-06-20', 'payment_intent.succeeded').data.object);
  for (const version of [API_VERSION, 'account']) {
    const { api_version, data } = heard(version, 'invoice.paid');
    t.equal(api_version, API_VERSION);
    t.notOk('paid' in data.object);
  }
  const [kept] = (await callerIn(made, '2020-08-27').get('/v1/events?type=invoice.paid')).data;
  t.equal(kept.api_version, API_VERSION);
  t.notOk('paid' in kept.data.object, 'whoever reads it');
});

t.test(
  '[2.2] what a version has no more is refused for who names it, and taken of who names none',
  async t => {
    await using made = await openStripeWorld();
    const { customer, price } = await shop(made.stripe);
    const coupon = await made.stripe.coupons.create({ percent_off: 10, duration: 'forever' });
    const before = await made.position();
    const form = `customer=${customer.id}&items[0][price]=${price.id}&coupon=${coupon.id}`;
    for (const version of ['2025-03-31.basil', API_VERSION]) {
      const { status, body } = await callerIn(made, version).ask('POST', '/v1/subscriptions', form);
      t.equal(status, 400, version);
      t.match(body.error, { code: 'parameter_unknown', message: 'Received unknown parameter: coupon' });
    }
    t.equal(await made.position(), before, 'nothing was stored');
    const old = await callerIn(made, '2024-06-20').post('/v1/subscriptions', form);
    t.match(old.discount, { object: 'discount', coupon: { id: coupon.id, percent_off: 10 } });
    const none = await made.ask('POST', '/v1/subscriptions', { form });
    t.equal(none.status, 200);
    t.equal(none.body.discounts.length, 1);
    const types = 'amount=900&currency=usd&payment_method_types[]=card';
    const named = await callerIn(made, API_VERSION).ask('POST', '/v1/payment_intents', types);
    t.equal(named.body.error.code, 'payment_method_types_no_longer_supported');
  },
);

t.test('[2.2] usage records are billed where they were, and unknown where they are gone', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const old = callerIn(made, '2024-06-20');
  const plan = await old.post(
    '/v1/plans',
    `product=${product.id}&currency=usd&interval=month&amount=3&usage_type=metered&aggregate_usage=sum`,
  );
  t.match(plan, { usage_type: 'metered', aggregate_usage: 'sum', meter: null });
  const max = `product=${product.id}&currency=usd&unit_amount=3&recurring[interval]=month&recurring[usage_type]=metered`;
  const refused = await old.ask('POST', '/v1/prices', `${max}&recurring[aggregate_usage]=max`);
  t.match(refused, { status: 400, body: { error: { code: 'wrld_unmodelled_parameter' } } });
  const subscription = await old.post(
    '/v1/subscriptions',
    `customer=${customer.id}&items[0][plan]=${plan.id}`,
  );
  const [item] = subscription.items.data;
  const path = `/v1/subscription_items/${item.id}/usage_records`;
  const start = subscription.current_period_start;
  t.match(await old.post(path, `quantity=100&timestamp=${start}`), {
    object: 'usage_record',
    quantity: 100,
    subscription_item: item.id,
    timestamp: start,
  });
  await old.post(path, `quantity=20&timestamp=now&action=increment`);
  const list = await old.get(`/v1/subscription_items/${item.id}/usage_record_summaries`);
  t.match(list, {
    object: 'list',
    has_more: false,
    data: [{ total_usage: 120, subscription_item: item.id }],
  });
  await old.post(path, `quantity=50&timestamp=${start}&action=set`);
  const [summary] = (await old.get(`/v1/subscription_items/${item.id}/usage_record_summaries`)).data;
  t.equal(summary.total_usage, 50, 'what was told of that instant is set');
  const before = await made.position();
  for (const form of [
    'timestamp=1',
    'quantity=-1',
    `quantity=1&timestamp=${start + 60}`,
    'quantity=1&timestamp=1',
  ])
    t.equal((await old.ask('POST', path, form)).status, 400, form);
  const plain = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const licensed = `/v1/subscription_items/${plain.items.data[0]?.id}/usage_records`;
  t.match((await old.ask('POST', licensed, 'quantity=1')).body.error.message, /not metered/);
  t.equal(await made.position(), before + 1, 'and nothing is written but the other subscription');
  await made.advance('31d');
  await made.advance('1h');
  const [bill] = (await stripe.invoices.list({ subscription: subscription.id })).data;
  t.match(bill, { total: 150, lines: { data: [{ quantity: 50, amount: 150 }] } });
  const after = await old.get(`/v1/subscription_items/${item.id}/usage_record_summaries`);
  t.match(after.data, [{ total_usage: 0 }, { total_usage: 50, period: { start: null } }]);
  const second = await old.post(
    '/v1/plans',
    `currency=usd&amount=5&interval=month&usage_type=metered&product=${product.id}`,
  );
  const more = await old.post('/v1/subscription_items', `subscription=${subscription.id}&plan=${second.id}`);
  await old.post(`/v1/subscription_items/${more.id}/usage_records`, 'quantity=7&timestamp=now');
  const kept = await old.ask('DELETE', `/v1/subscription_items/${more.id}`);
  t.match(kept.body.error, { param: 'clear_usage', message: /because it has usage/ });
  t.match((await old.ask('DELETE', `/v1/subscription_items/${more.id}?clear_usage=true`)).body, {
    deleted: true,
  });
  const gone = await callerIn(made, '2025-03-31.basil').ask('POST', path, 'quantity=5');
  t.equal(gone.status, 404);
  t.match(gone.body.error.message, `Unrecognized request URL (POST: ${path})`);
});
