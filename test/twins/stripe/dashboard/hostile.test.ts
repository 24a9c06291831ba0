// The dashboard and what nobody should send it: addresses, queries and forms of any text, and objects with the oddest values
// that the API takes. No page fails, and nothing is changed by what is refused.

import t from 'tap';
import { linksOf, look } from '../../../kit/dashboard.ts';
import { fc } from '../../../kit/property.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

const PATHS = [
  'customers',
  'payments',
  'subscriptions',
  'invoices',
  'products',
  'prices',
  'events',
  'logs',
  'test-clocks',
  'search',
];
const ODD = [
  '',
  '0',
  '-1',
  '1e9',
  'null',
  '__proto__',
  'constructor',
  '%',
  '\u0000',
  "'; DROP TABLE head; --",
  'cus_',
  'a'.repeat(5_000),
  '😀',
  '\ud800',
];
const PARAMS = [
  'query',
  'page',
  'starting_after',
  'ending_before',
  'before',
  'show',
  'method',
  'customer',
  'status',
  'type',
  'active',
  't',
  'limit',
  'expand',
];

const odd = fc.oneof(fc.constantFrom(...ODD), fc.string({ maxLength: 20, unit: 'binary' }));

t.test('[bad input] no address and no query makes a page fail, nor changes anything', async t => {
  await using made = await openStripeWorld();
  await shop(made.stripe);
  const before = await made.position();
  const address = fc.record({
    path: fc.constantFrom(...PATHS),
    id: fc.option(odd),
    query: fc.dictionary(fc.constantFrom(...PARAMS), odd, { maxKeys: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(address, async ({ path, id, query }) => {
      const bare = id === null ? path : `${path}/${encodeURIComponent(id.toWellFormed())}`;
      const target = `/test/${bare}?${new URLSearchParams(query)}`;
      const { status } = await look(made, target);
      if (status >= 500) throw new Error(`${status} of ${target}`);
    }),
    { numRuns: 300 },
  );
  t.equal(await made.position(), before);
});

t.test('[bad input] no form makes a page fail, and what is refused changes nothing', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_768_500_000 });
  const paths = [
    `payments/${(await stripe.paymentIntents.list()).data[0]!.id}`,
    `subscriptions/${subscription.id}`,
    `invoices/${(await stripe.invoices.list()).data[0]!.id}`,
    `test-clocks/${clock.id}`,
    'customers',
  ];
  const form = fc.record(
    {
      do: fc.oneof(fc.constantFrom('refund', 'capture', 'advance', 'charge', 'paid', 'finalize'), odd),
      amount: odd,
      reason: odd,
      until: odd,
      email: odd,
      once: odd,
    },
    { requiredKeys: ['do', 'amount', 'reason', 'until', 'email'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), form, async (path, fields) => {
      const before = await made.position();
      const { status } = await look(made, `/test/${path}`, { form: fields });
      if (status >= 500) throw new Error(`${status} of ${path} with ${JSON.stringify(fields)}`);
      if (status >= 400 && (await made.position()) !== before)
        throw new Error(`${path} was refused and changed something`);
    }),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('[bad input] objects with the oddest values that the API takes have their pages', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  await stripe.products.create({ id: 'an id / of ../ its own?', name: ' ' });
  const form = new URLSearchParams({
    currency: 'usd',
    unit_amount_decimal: '0.000000000001',
    'product_data[name]': '\u202e<x>',
  });
  t.equal((await made.ask('POST', '/v1/prices', { form: form.toString() })).status, 200);
  await stripe.prices.create({ currency: 'bhd', unit_amount: 999_999_990, product_data: { name: 'Dinars' } });
  const late = {
    customer: customer.id,
    collection_method: 'send_invoice',
    due_date: 99_999_999_999_999,
  } as const;
  const invoice = await stripe.invoices.create(late);
  t.equal((await look(made, `/test/invoices/${invoice.id}`)).status, 200);
  for (const frozen_time of [0, 99_999_999_999_999])
    await stripe.testHelpers.testClocks.create({ frozen_time });
  for (const path of PATHS) {
    const target = `/test/${path}`;
    const page = await look(made, target);
    t.equal(page.status, 200, path);
    for (const link of linksOf(target, page).filter(each => each.startsWith(`${target}/`)))
      t.equal((await look(made, link)).status, 200, link);
  }
});
