// Paging, filters, expansion and search.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] paging: newest first, cursors both ways, has_more', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.unshift((await stripe.customers.create({ name: `c${n}` })).id);
  const first = await stripe.customers.list({ limit: 3 });
  t.match(first, { object: 'list', url: '/v1/customers', has_more: true });
  t.same(
    first.data.map(({ id }) => id),
    ids.slice(0, 3),
  );
  const second = await stripe.customers.list({ limit: 3, starting_after: ids[2]! });
  t.same(
    second.data.map(({ id }) => id),
    ids.slice(3, 6),
  );
  const last = await stripe.customers.list({ limit: 3, starting_after: ids[5]! });
  t.match(last, { has_more: false });
  const back = await stripe.customers.list({ limit: 2, ending_before: ids[4]! });
  t.same(
    back.data.map(({ id }) => id),
    ids.slice(2, 4),
    'the page just before the cursor, still newest first',
  );
  t.equal(back.has_more, true);
  t.same(
    (await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 })).map(({ id }) => id),
    ids,
  );
  t.equal((await stripe.customers.list()).data.length, 7, 'ten when nothing is said');
  await t.rejects(stripe.customers.list({ starting_after: 'cus_x' }), {
    param: 'starting_after',
    code: 'resource_missing',
  });
  await t.rejects(stripe.customers.list({ starting_after: ids[0]!, ending_before: ids[1]! }), {
    code: 'parameters_exclusive',
  });
});

t.test('[4.1] filters on the time of creation, and on fields', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const made1: Stripe.Customer[] = [];
  for (const email of ['a@x.io', 'b@x.io', 'a@x.io']) {
    made1.push(await stripe.customers.create({ email }));
    await made.advance('1h');
  }
  const [a, b, c] = made1 as [Stripe.Customer, Stripe.Customer, Stripe.Customer];
  const ids = async (params: Stripe.CustomerListParams): Promise<string[]> =>
    (await stripe.customers.list(params)).data.map(({ id }) => id);
  t.same(await ids({ created: { gte: b.created } }), [c.id, b.id]);
  t.same(await ids({ created: { gt: b.created } }), [c.id]);
  t.same(await ids({ created: { lt: b.created } }), [a.id]);
  t.same(await ids({ created: { gt: a.created, lte: b.created } }), [b.id]);
  t.same(await ids({ created: b.created }), [b.id]);
  t.same(await ids({ email: 'a@x.io' }), [c.id, a.id]);
  const { product, price } = await shop(stripe);
  const keyed = await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    unit_amount: 1,
    lookup_key: 'std',
  });
  const prices = async (params: Stripe.PriceListParams): Promise<string[]> =>
    (await stripe.prices.list(params)).data.map(({ id }) => id);
  t.same(await prices({ lookup_keys: ['std'] }), [keyed.id]);
  t.same(await prices({ type: 'recurring' }), [price.id]);
  t.same(await prices({ currency: 'eur' }), [keyed.id]);
  t.same(await prices({ recurring: { interval: 'month' } }), [price.id]);
  await t.rejects(
    stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 1, lookup_key: 'std' }),
    {
      code: 'resource_already_exists',
    },
  );
  const moved = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 2,
    lookup_key: 'std',
    transfer_lookup_key: true,
  });
  t.same(await prices({ lookup_keys: ['std'] }), [moved.id]);
});

t.test('[4.1] expansion: references, lists, four levels, and what cannot be', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    expand: [
      'customer',
      'latest_invoice.payments.data.payment.payment_intent.latest_charge',
      'items.data.price.product',
    ],
  });
  t.equal((subscription.customer as Stripe.Customer).name, 'Ada');
  t.match(subscription.items.data[0]?.price.product, { id: product.id });
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  const intent = invoice.payments?.data[0]?.payment.payment_intent as Stripe.PaymentIntent;
  t.equal((intent.latest_charge as Stripe.Charge).status, 'succeeded', 'the fourth level');
  const listed = await stripe.subscriptions.list({ expand: ['data.customer', 'data.latest_invoice'] });
  t.match(listed.data[0], {
    customer: { object: 'customer' },
    latest_invoice: { object: 'invoice', status: 'paid' },
  });
  const whole = await stripe.customers.retrieve(customer.id, {
    expand: ['subscriptions', 'sources', 'tax_ids', 'invoice_settings.default_payment_method'],
  });
  t.match(whole, {
    subscriptions: { object: 'list', data: [{ id: subscription.id }] },
    sources: { data: [] },
    tax_ids: { data: [] },
    invoice_settings: { default_payment_method: { object: 'payment_method' } },
  });
  t.notOk('subscriptions' in (await stripe.customers.retrieve(customer.id)), 'and not unless asked for');
  const found = await stripe.subscriptions.search({ query: 'status:"active"', expand: ['data.customer'] });
  t.match(found.data[0], { customer: { object: 'customer' } });
  const deep =
    'latest_invoice.parent.subscription_details.subscription.latest_invoice.customer.subscriptions';
  await t.rejects(stripe.subscriptions.retrieve(subscription.id, { expand: [deep] }), {
    message: /^You cannot expand more than 4 levels of a property\./,
  });
  await t.rejects(stripe.customers.retrieve(customer.id, { expand: ['name'] }), {
    message: 'This property cannot be expanded (name).',
  });
  await t.rejects(stripe.customers.list({ expand: ['data.nothing'] }), {
    message: /cannot be expanded \(data\.nothing\)/,
  });
});

t.test('[4.1] search: fields, metadata, numbers, joins, pages', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  for (let n = 0; n < 5; n += 1) {
    await stripe.customers.create({
      name: `Ada ${n}`,
      email: `a${n}@x.io`,
      metadata: { tier: n < 2 ? 'gold' : 'it’s "plain"' },
    });
  }
  const names = async (query: string): Promise<(string | null | undefined)[]> =>
    (await stripe.customers.search({ query })).data.map(({ name }) => name);
  t.same(await names("name:'ada 3'"), ['Ada 3'], 'case does not matter');
  t.same(await names('metadata["tier"]:"gold"'), ['Ada 1', 'Ada 0']);
  t.same(await names("metadata['tier']:'gold' AND email:'a0@x.io'"), ['Ada 0']);
  t.same(await names('name:"Ada 1" OR name:"Ada 2"'), ['Ada 2', 'Ada 1']);
  t.same((await names('name~"ada"')).length, 5);
  t.same((await names('-metadata["tier"]:"gold"')).length, 3);
  t.same(await names('metadata["tier"]:"it’s \\"plain\\"" AND -name:"Ada 4" AND -name:"Ada 3"'), ['Ada 2']);
  t.same((await names('phone:null')).length, 5);
  const first = await stripe.customers.search({ query: 'created>0', limit: 2 });
  t.match(first, { object: 'search_result', has_more: true, url: '/v1/customers/search' });
  const next = await stripe.customers.search({ query: 'created>0', limit: 2, page: first.next_page! });
  t.same(
    next.data.map(({ name }) => name),
    ['Ada 2', 'Ada 1'],
  );
  const every = await stripe.customers
    .search({ query: 'created>0', limit: 2 })
    .autoPagingToArray({ limit: 50 });
  t.equal(every.length, 5);
  await t.rejects(stripe.customers.search({ query: 'colour:"red"' }), {
    message: /unsupported search field/,
  });
  await t.rejects(stripe.customers.search({ query: 'name="x"' }), { message: /unable to parse/ });
  await t.rejects(stripe.customers.search({ query: 'name:"a" AND name:"b" OR name:"c"' }), {
    message: /AND and OR/,
  });
});

t.test('[4.1] products and prices', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const product = await stripe.products.create({
    id: 'gold',
    name: 'Gold',
    images: ['https://x.io/1.png'],
    default_price_data: { currency: 'USD', unit_amount: 300, recurring: { interval: 'month' } },
    expand: ['default_price'],
  });
  t.match(product, { id: 'gold', default_price: { unit_amount: 300, currency: 'usd', product: 'gold' } });
  await t.rejects(stripe.products.create({ id: 'gold', name: 'Again' }), { code: 'resource_already_exists' });
  const updated = await stripe.products.update('gold', { images: '', description: 'shiny', active: false });
  t.match(updated, { images: [], description: 'shiny', active: false });
  t.same((await stripe.products.list({ active: true })).data, []);
  await t.rejects(stripe.products.del('gold'), { message: /one or more user-created prices/ });
  const bare = await stripe.products.create({ name: 'Bare' });
  t.same(await stripe.products.del(bare.id), { id: bare.id, object: 'product', deleted: true });
  await t.rejects(stripe.products.retrieve(bare.id), { message: `No such product: '${bare.id}'` });
  const tiered = await stripe.prices.create({
    currency: 'usd',
    product_data: { name: 'Calls' },
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: 10, unit_amount: 100 },
      { up_to: 'inf', unit_amount_decimal: '12.5' as never, flat_amount: 500 },
    ],
    recurring: { interval: 'month' },
    expand: ['tiers'],
  });
  t.match(tiered.tiers, [{ up_to: 10 }, { up_to: null }]);
  t.notOk('tiers' in (await stripe.prices.retrieve(tiered.id)), 'shown when they are asked for');
  const { customer } = await shop(stripe);
  const preview = await stripe.invoices.createPreview({
    customer: customer.id,
    subscription_details: { items: [{ price: tiered.id, quantity: 14 }] },
  });
  t.equal(preview.total, 10 * 100 + 500 + 4 * 12.5);
  await t.rejects(stripe.prices.create({ currency: 'usd', product: 'gold' }), { code: 'parameter_missing' });
});

t.test('[4.1] a path that leads nowhere is refused before anything is done', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const before = await made.position();
  for (const expand of [['nothing'], ['email'], ['default_source.nothing.more'], ['data.subscriptions']]) {
    await t.rejects(stripe.customers.create({ email: 'ada@example.com', expand }), {
      message: /cannot be expanded/,
      statusCode: 400,
    } as never);
  }
  t.equal(await made.position(), before);
  const { subscriptions } = await stripe.customers.create({
    expand: ['subscriptions', 'subscriptions.data.latest_invoice'],
  });
  t.same(subscriptions?.data, []);
});

t.test('[4.1] what is of a test clock is in lists of that clock, or of its customer, alone', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer: plain, price } = await shop(stripe);
  const { id: test_clock } = await stripe.testHelpers.testClocks.create({ frozen_time: 1_893_456_000 });
  const clocked = await stripe.customers.create({ test_clock, payment_method: 'pm_card_visa' });
  const items = [{ price: price.id }];
  const own = await stripe.subscriptions.create({ customer: plain.id, items });
  const there = await stripe.subscriptions.create({ customer: clocked.id, items, trial_period_days: 5 });
  const quote = await stripe.quotes.create({ customer: clocked.id, line_items: items });
  const ids = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);
  t.same(ids(await stripe.customers.list()), [plain.id]);
  t.same(ids(await stripe.customers.list({ test_clock })), [clocked.id]);
  t.same(ids(await stripe.subscriptions.list()), [own.id]);
  t.same(ids(await stripe.subscriptions.list({ test_clock })), [there.id]);
  t.same(ids(await stripe.subscriptions.list({ customer: clocked.id })), [there.id]);
  t.same(ids(await stripe.quotes.list()), []);
  t.same(ids(await stripe.quotes.list({ test_clock })), [quote.id]);
  t.same(ids(await stripe.quotes.list({ customer: clocked.id })), [quote.id]);
});

t.test('[4.1] a reference that may be one of several objects is expanded to the one that it is', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const ada = await stripe.customers.create({ source: 'tok_visa' });
  const payer = await stripe.customers.retrieve(ada.id, { expand: ['default_source'] });
  t.match(payer, { default_source: { object: 'card', last4: '4242', customer: ada.id } });
  const charge = await stripe.charges.create({ amount: 2000, currency: 'usd', source: 'tok_bypassPending' });
  await stripe.refunds.create({ charge: charge.id, amount: 500 });
  await stripe.payouts.create({ amount: 100, currency: 'usd' });
  const { data } = await stripe.balanceTransactions.list({ expand: ['data.source.charge'] });
  t.match(
    data.map(({ source }) => source),
    [{ object: 'payout' }, { object: 'refund', charge: { id: charge.id } }, { object: 'charge' }],
    'and a path goes on in those of them that have it',
  );
  await t.rejects(stripe.balanceTransactions.list({ expand: ['data.source.nothing'] }), {
    message: 'This property cannot be expanded (data.source.nothing).',
  });
});

t.test('[4.1] what a customer shows only when it is asked for', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const expand = ['cash_balance', 'invoice_credit_balance', 'tax'];
  const ada = await stripe.customers.create({ tax: { ip_address: '203.0.113.7' }, expand });
  t.match(ada, {
    cash_balance: null,
    invoice_credit_balance: {},
    tax: { automatic_tax: 'unrecognized_location', ip_address: '203.0.113.7', location: null },
  });
  await stripe.customers.createBalanceTransaction(ada.id, { amount: -500, currency: 'usd' });
  await stripe.testHelpers.customers.fundCashBalance(ada.id, { amount: 700, currency: 'usd' });
  await stripe.customers.update(ada.id, { address: { country: 'DE' } });
  t.match(await stripe.customers.retrieve(ada.id, { expand }), {
    cash_balance: { object: 'cash_balance', available: { usd: 700 } },
    invoice_credit_balance: { usd: -500 },
    tax: { automatic_tax: 'supported', location: { country: 'DE', source: 'billing_address' } },
  });
  await t.rejects(
    stripe.customers.retrieve(ada.id, { expand: ['subscriptions.data.items.data.tax_ids'] }),
    { message: 'This property cannot be expanded (subscriptions.data.items.data.tax_ids).' },
    'a path is followed whether or not there is anything on it',
  );
});

t.test('[4.1] a search says how many it finds on all its pages, where that is expanded', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  for (const name of ['Ada', 'Ada', 'Ada', 'Grace']) await stripe.customers.create({ name });
  const ask = { query: 'name:"Ada"', limit: 1, expand: ['total_count', 'data.default_source'] };
  const first = await stripe.customers.search(ask);
  t.match(first, { total_count: 3, has_more: true });
  const next = await stripe.customers.search({ ...ask, page: first.next_page! });
  t.match(next, { total_count: 3, has_more: true });
  t.notOk('total_count' in (await stripe.customers.search({ query: 'name:"Ada"' })));
});

t.test('[4.1] a subscription of one price has its plan, which is expanded as the items’ are', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  for (const version of ['2020-08-27', '2024-06-20', '2026-10-28.endive']) {
    const { status, body } = await made.ask('GET', '/v1/subscriptions?expand[]=data.plan.product', {
      headers: { authorization: 'Bearer sk_test_wrld', 'stripe-version': version },
    });
    t.equal(status, 200, version);
    t.match(body.data[0].plan, { id: price.id, product: { id: product.id, object: 'product' } }, version);
  }
});

t.test(
  '[4.1] a list says how many there are on all its pages, to callers of versions before basil',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    for (const name of ['Ada', 'Grace', 'Edith']) await stripe.customers.create({ name });
    const { id } = await stripe.customers.create({ email: 'ada@example.com', source: 'tok_visa' });
    const ask = (path: string, version?: string) =>
      made.ask('GET', path, {
        headers: {
          authorization: 'Bearer sk_test_wrld',
          ...(version === undefined ? {} : { 'stripe-version': version }),
        },
      });
    for (const version of ['2020-08-27', '2024-06-20', undefined]) {
      const who = version ?? 'no version named';
      const page = await ask('/v1/customers?limit=1&include[]=total_count', version);
      t.match(page.body, { total_count: 4, has_more: true, data: [{ id }] }, who);
      const next = `/v1/customers?limit=2&starting_after=${id}&expand[]=total_count&expand[]=data.sources`;
      t.match(
        (await ask(next, version)).body,
        { total_count: 4, data: [{ sources: { data: [] } }, {}] },
        who,
      );
      const one = await ask('/v1/customers?email=ada@example.com&include[]=total_count', version);
      t.equal(one.body.total_count, 1, who);
      const cards = await ask(`/v1/customers/${id}/sources?object=card&include[]=total_count`, version);
      t.equal(cards.body.total_count, 1, who);
    }
    t.notOk('total_count' in (await ask('/v1/customers', '2020-08-27')).body);
    for (const param of ['include', 'expand']) {
      const { status, body } = await ask(`/v1/customers?${param}[]=total_count`, '2025-03-31.basil');
      t.same([status, body.error.code, body.error.param], [400, 'property_forbidden', param]);
    }
    t.equal((await ask('/v1/customers?include[]=nothing')).body.error.code, 'parameter_unknown');
  },
);
