// Fields that Stripe's answers have and its declarations do not: programs that were written for them read them still.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld } from '../../kit/stripe-world.ts';

type Loose = { readonly [field: string]: unknown };
const loose = (answer: unknown): Loose => answer as Loose;

t.test(
  '[4.1] a subscription of one item shows its plan and quantity as it did before it could have more',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const product = await stripe.products.create({ name: 'Notes' });
    const price = (unit_amount: number): Promise<Stripe.Price> =>
      stripe.prices.create({
        product: product.id,
        currency: 'eur',
        unit_amount,
        recurring: { interval: 'month' },
      });
    const [small, large] = [await price(900), await price(1900)];
    const customer = await stripe.customers.create({ email: 'ada@example.com' });
    const held = await stripe.subscriptions.create({
      customer: customer.id,
      collection_method: 'send_invoice',
      days_until_due: 7,
      items: [{ price: small.id, quantity: 3 }],
    });
    t.match(loose(held), { plan: { object: 'plan', id: small.id, amount: 900 }, quantity: 3 });
    t.notOk('aggregate_usage' in (loose(held)['plan'] as Loose), 'as plans are today');
    const older = await stripe.subscriptions.retrieve(held.id, {}, { apiVersion: '2020-08-27' });
    t.match(loose(older), { plan: { id: small.id, aggregate_usage: null } }, 'as plans were then');
    const two = await stripe.subscriptions.update(held.id, { items: [{ price: large.id }] });
    t.match(loose(two), { plan: null, quantity: null }, 'of two it shows neither');
  },
);

t.test('[4.1] the lines of an invoice are counted, however many it shows', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const lines = 12;
  for (let at = 0; at < lines; at += 1)
    await stripe.invoiceItems.create({ customer: customer.id, currency: 'eur', amount: 100 + at });
  const draft = await stripe.invoices.create({
    customer: customer.id,
    currency: 'eur',
    pending_invoice_items_behavior: 'include',
  });
  t.match(loose(draft.lines), { has_more: true, total_count: lines });
  t.equal(draft.lines.data.length, 10);
});

t.test('[4.1] a charge names its dispute', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const paid = await stripe.charges.create({ amount: 2000, currency: 'usd', source: 'tok_visa' });
  t.match(loose(paid), { destination: null, dispute: null, order: null });
  const disputed = await stripe.charges.create({
    amount: 2000,
    currency: 'usd',
    source: 'tok_createDispute',
  });
  const [dispute] = (await stripe.disputes.list({ charge: disputed.id })).data;
  t.match(loose(await stripe.charges.retrieve(disputed.id)), { disputed: true, dispute: dispute?.id });
});

t.test('[4.1] the first bill settles a customer’s currency, and that is told', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  for (const amount of [100, 200]) {
    await stripe.invoiceItems.create({ customer: customer.id, currency: 'eur', amount });
    const draft = await stripe.invoices.create({
      customer: customer.id,
      currency: 'eur',
      pending_invoice_items_behavior: 'include',
    });
    await stripe.invoices.finalizeInvoice(draft.id ?? '');
  }
  const told = (await stripe.events.list({ type: 'customer.updated' })).data;
  t.equal(told.length, 1, 'once');
  t.match(told[0]?.data, { object: { currency: 'eur' }, previous_attributes: { currency: null } });
  t.strictSame(told[0]?.data.previous_attributes, { currency: null });
});

t.test('[4.1] what is offered by the account’s methods names the configuration', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const own = { id: 'pmc_default', parent: null };
  const plain = await stripe.paymentIntents.create({ amount: 100, currency: 'eur' });
  t.match(plain.payment_method_configuration_details, own);
  const made_of = await stripe.paymentMethodConfigurations.create({ name: 'Shop' });
  const asked = await stripe.setupIntents.create({ payment_method_configuration: made_of.id });
  t.match(asked.payment_method_configuration_details, { id: made_of.id, parent: null });
  const named = await stripe.paymentIntents.create(
    { amount: 100, currency: 'eur', ...{ payment_method_types: ['card'] } },
    { apiVersion: '2024-06-20' },
  );
  t.equal(named.payment_method_configuration_details, null);
  await t.rejects(
    stripe.paymentIntents.create({ amount: 100, currency: 'eur', payment_method_configuration: 'pmc_none' }),
    { param: 'payment_method_configuration', code: 'resource_missing' },
  );
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example.com/',
    line_items: [
      { price_data: { currency: 'eur', product_data: { name: 'Tea' }, unit_amount: 300 }, quantity: 1 },
    ],
  });
  t.match(session, {
    adaptive_pricing: { enabled: false },
    branding_settings: { background_color: '#ffffff', border_style: 'rounded', icon: null, logo: null },
    payment_method_configuration_details: own,
  });
});
