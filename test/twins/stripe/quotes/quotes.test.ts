// Quotes: from a draft to what they make when they are accepted.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] a quote becomes a subscription when it is accepted', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const quote = await stripe.quotes.create({
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 2 }],
  });
  t.match(quote, { status: 'draft', amount_total: 3000, computed: { recurring: { interval: 'month' } } });
  t.same(faultsOf(quote), []);
  await t.rejects(stripe.quotes.accept(quote.id), { message: /status of 'draft'/ });
  t.match(await stripe.quotes.finalizeQuote(quote.id), { status: 'open', number: /^QT-/ });
  const accepted = await stripe.quotes.accept(quote.id, { expand: ['subscription'] });
  t.match(accepted, { status: 'accepted', subscription: { status: 'active', customer: customer.id } });
  t.match((await stripe.quotes.listLineItems(quote.id)).data, [{ quantity: 2, amount_total: 3000 }]);
  for (const type of ['quote.created', 'quote.finalized', 'quote.accepted']) {
    t.equal((await made.events(type)).length, 1, type);
  }
});

t.test('[4.1] a quote counts discounts and taxes, and what it makes has them too', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  const vat = await stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 10 });
  const setup = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 400 });
  const quote = await stripe.quotes.create({
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 2 }, { price: setup.id }],
    discounts: [{ coupon: coupon.id }],
    default_tax_rates: [vat.id],
    subscription_data: { trial_period_days: 5, metadata: { from: 'quote' } },
  });
  t.match(quote, {
    amount_subtotal: 3400,
    amount_total: 1870,
    total_details: { amount_discount: 1700, amount_tax: 170 },
    computed: { recurring: { amount_total: 1650 }, upfront: { amount_total: 220 } },
  });
  t.same(faultsOf(quote), []);
  t.equal((await stripe.coupons.retrieve(coupon.id)).times_redeemed, 0, 'an offer redeems nothing');
  const lines = await stripe.quotes.listLineItems(quote.id, { limit: 1 });
  t.match(lines, {
    has_more: true,
    data: [{ amount_subtotal: 3000, amount_discount: 1500, amount_tax: 150 }],
  });
  const upfront = await stripe.quotes.listComputedUpfrontLineItems(quote.id);
  t.match(upfront.data, [{ amount_total: 220 }]);
  await stripe.quotes.finalizeQuote(quote.id);
  await t.rejects(stripe.quotes.update(quote.id, { description: 'x' }), { message: /status of 'open'/ });
  const accepted = await stripe.quotes.accept(quote.id, { expand: ['subscription', 'invoice'] });
  t.match(accepted, {
    subscription: { status: 'trialing', metadata: { from: 'quote' }, default_tax_rates: [{ id: vat.id }] },
    invoice: { total: 220 },
  });
  t.equal((await stripe.coupons.retrieve(coupon.id)).times_redeemed, 1);
  await made.advance('6d');
  const { id } = accepted.subscription as Stripe.Subscription;
  t.match((await stripe.invoices.list({ subscription: id })).data[0], { total: 1650, status: 'paid' });
});

t.test('[4.1] a quote makes an invoice, or a subscription that begins later; or it runs out', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price, product } = await shop(stripe);
  const once = await stripe.quotes.create({
    customer: customer.id,
    collection_method: 'send_invoice',
    invoice_settings: { days_until_due: 5, footer: 'Thanks' },
    line_items: [{ price_data: { product: product.id, currency: 'usd', unit_amount: 900 }, quantity: 3 }],
  });
  await stripe.quotes.finalizeQuote(once.id);
  const { invoice } = await stripe.quotes.accept(once.id, { expand: ['invoice'] });
  t.match(invoice, {
    status: 'draft',
    total: 2700,
    footer: 'Thanks',
    collection_method: 'send_invoice',
    parent: { type: 'quote_details', quote_details: { quote: once.id } },
  });
  const later = await stripe.quotes.create({
    customer: customer.id,
    line_items: [{ price: price.id }],
    subscription_data: { effective_date: Date.parse('2026-02-01T00:00:00Z') / 1000 },
  });
  await stripe.quotes.finalizeQuote(later.id);
  const { subscription_schedule: schedule, subscription } = await stripe.quotes.accept(later.id);
  t.equal(subscription, null);
  t.match(await stripe.subscriptionSchedules.retrieve(schedule as string), { status: 'not_started' });
  const copy = await stripe.quotes.create({ from_quote: { quote: once.id, is_revision: true } });
  t.match(copy, { amount_total: 2700, customer: customer.id, from_quote: { is_revision: true } });
  await stripe.quotes.update(copy.id, { expires_at: Date.parse('2026-01-17T00:00:00Z') / 1000 });
  await made.advance('20d');
  t.match(await stripe.quotes.retrieve(copy.id), { status: 'canceled' });
  t.match(await stripe.subscriptionSchedules.retrieve(schedule as string), { status: 'active' });
  await t.rejects(stripe.quotes.create({ customer: customer.id, line_items: [{ price: 'price_none' }] }), {
    code: 'resource_missing',
    param: 'line_items[0][price]',
  });
});
