// What programs hear of prices and plans, which are one thing with two names.
import t from 'tap';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const monthly = { currency: 'eur', unit_amount: 1900, recurring: { interval: 'month' } } as const;

/** The types of what was told since the last look, oldest first. */
function teller(made: StripeWorld): () => Promise<readonly string[]> {
  let heard = 0;
  return async () => {
    const all = (await made.stripe.events.list({ limit: 100 })).data.toReversed();
    const fresh = all.slice(heard);
    heard = all.length;
    return fresh.map(({ type }) => type);
  };
}

t.test('[4.1] a recurring price is told of as a plan too, a price paid once is not', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const told = teller(made);
  const product = await stripe.products.create({ name: 'Notes' });
  const price = await stripe.prices.create({ ...monthly, product: product.id });
  t.strictSame(await told(), ['product.created', 'plan.created', 'price.created']);
  await stripe.prices.update(price.id, { nickname: 'monthly' });
  t.strictSame(await told(), ['plan.updated', 'price.updated']);
  const [event] = (await stripe.events.list({ type: 'plan.updated' })).data;
  t.match(event?.data, {
    object: { object: 'plan', id: price.id, nickname: 'monthly' },
    previous_attributes: { nickname: null },
  });
  await stripe.prices.update(price.id, { lookup_key: 'std' });
  t.strictSame(await told(), ['price.updated'], 'a plan has no lookup key');
  await stripe.plans.update(price.id, { nickname: 'by the month' });
  t.strictSame(await told(), ['plan.updated', 'price.updated'], 'by either name');
  await stripe.plans.update(price.id, { nickname: 'by the month' });
  t.strictSame(await told(), [], 'nothing changed');
  const once = await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 500 });
  await stripe.prices.update(once.id, { nickname: 'once' });
  t.strictSame(await told(), ['price.created', 'price.updated']);
  const plan = await stripe.plans.create({
    currency: 'eur',
    interval: 'year',
    amount: 19_000,
    product: product.id,
  });
  await stripe.plans.del(plan.id);
  t.strictSame(await told(), ['plan.created', 'price.created', 'plan.deleted', 'price.deleted']);
});

t.test('[4.1] prices that are made on the way are told of, wherever they are', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const product = await stripe.products.create({ name: 'Notes' });
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const told = teller(made);
  const once = { currency: 'eur', product: product.id, unit_amount: 700 };
  const prices = async () => (await told()).filter(type => /^(?:price|plan)\./.test(type));
  await prices();
  await stripe.invoiceItems.create({ customer: customer.id, price_data: once, quantity: 2 });
  t.strictSame(await prices(), ['price.created'], 'an invoice item');
  await stripe.quotes.create({ customer: customer.id, line_items: [{ price_data: once }] });
  t.strictSame(await prices(), ['price.created'], 'a quote');
  await stripe.subscriptions.create({
    customer: customer.id,
    collection_method: 'send_invoice',
    days_until_due: 7,
    items: [
      {
        price_data: {
          currency: 'eur',
          product: product.id,
          unit_amount: 1900,
          recurring: { interval: 'month' },
        },
      },
    ],
    add_invoice_items: [{ price_data: once }],
  });
  t.strictSame(
    (await prices()).toSorted(),
    ['plan.created', 'price.created', 'price.created'],
    'a subscription',
  );
  const { entries } = (await made.world.log('stripe', 0))!;
  t.equal(entries.at(-1)?.kind, 'customer.subscription.created', 'the entry is of what was asked for');
});
