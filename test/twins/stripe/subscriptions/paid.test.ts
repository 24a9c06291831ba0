// What a payment leaves on its subscription, and what discounts do to prorations: the arithmetic of Stripe's guides.
import type Stripe from 'stripe';
import t, { type Test } from 'tap';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

/** A customer without a card subscribes, and pays later. */
async function unpaid(stripe: Stripe, settings: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { price } = await shop(stripe);
  const customer = await stripe.customers.create({ email: 'new@example.com' });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice.payments.data.payment.payment_intent'],
    ...settings,
  });
  const { payments } = subscription.latest_invoice as Stripe.Invoice;
  const intent = payments!.data[0]!.payment.payment_intent as Stripe.PaymentIntent;
  return { customer, subscription, intent };
}

t.test(
  '[4.1] default_incomplete with save_default_payment_method: what pays first pays the renewals',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { customer, subscription, intent } = await unpaid(stripe, {
      payment_settings: { save_default_payment_method: 'on_subscription' },
    });
    t.equal(intent.setup_future_usage, 'off_session');
    const method = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
    await stripe.paymentIntents.confirm(intent.id, { payment_method: method.id });
    const paid = await stripe.subscriptions.retrieve(subscription.id);
    t.match(paid, { status: 'active', default_payment_method: method.id });
    t.equal((await stripe.paymentMethods.retrieve(method.id)).customer, customer.id);
    await made.advance('32d');
    t.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active', 'renewed with it');
    const invoices = await stripe.invoices.list({ subscription: subscription.id });
    t.same(
      invoices.data.map(({ status }) => status),
      ['paid', 'paid'],
    );
  },
);

t.test('[4.1] without that setting the subscription keeps no method of its own', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { subscription, intent } = await unpaid(stripe);
  await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
  t.match(await stripe.subscriptions.retrieve(subscription.id), {
    status: 'active',
    default_payment_method: null,
  });
});

async function upgradeAtHalf(t: Test, coupon: Stripe.CouponCreateParams) {
  const made = await openStripeWorld({ at: '2026-04-01T00:00:00Z' });
  t.teardown(() => made[Symbol.asyncDispose]());
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const product = await stripe.products.create({ name: 'Seat' });
  const monthly = (unit_amount: number) =>
    stripe.prices.create({
      currency: 'usd',
      product: product.id,
      recurring: { interval: 'month' },
      unit_amount,
    });
  const [small, large] = [await monthly(1000), await monthly(2000)];
  const off = await stripe.coupons.create(coupon);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: small.id }],
    discounts: [{ coupon: off.id }],
  });
  await made.advance('15d');
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: subscription.items.data[0]!.id, price: large.id }],
  });
  const upcoming = await stripe.invoices.createPreview({ subscription: subscription.id });
  const lines = upcoming.lines.data.map(({ amount }) => amount).sort((a, b) => a - b);
  return { stripe, customer, lines, total: upcoming.total };
}

t.test('[4.1] prorations are made of what was and will be paid, not of the list price', async t => {
  const quarter = await upgradeAtHalf(t, { percent_off: 25, duration: 'forever' });
  t.same(quarter.lines, [-375, 750, 2000]);
  t.equal(quarter.total, 1875, '−375 + 750 + 2000 less a quarter');
  const items = await quarter.stripe.invoiceItems.list({ customer: quarter.customer.id });
  const [remaining, unused] = items.data;
  t.match(remaining, { description: 'Remaining time on Seat after 16 Apr 2026', discountable: false });
  t.match(unused!.proration_details, { discount_amounts: [{ amount: 125 }] });
  const once = await upgradeAtHalf(t, { percent_off: 25, duration: 'once' });
  t.same(
    once.lines,
    [-375, 1000, 2000],
    'what was used up came off what was paid, and comes off nothing else',
  );
  const amount = await upgradeAtHalf(t, { amount_off: 200, currency: 'usd', duration: 'forever' });
  t.same(amount.lines, [-400, 900, 2000], 'an amount for its share of the period');
  t.equal(amount.total, 2300);
});

t.test('[4.1] a day of one digit has its zero', async t => {
  await using made = await openStripeWorld({ at: '2026-04-01T00:00:00Z' });
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { id, items } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  await stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity: 2 }] });
  const [last] = (await stripe.invoiceItems.list({ customer: customer.id })).data;
  t.match(last?.description, / after 01 Apr 2026$/);
});

t.test(
  '[4.1] an item’s change that cannot be paid is refused, waits, or is left to who confirms it',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { customer, price, product } = await shop(stripe);
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    const [item] = subscription.items.data;
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
    await stripe.subscriptions.update(subscription.id, { default_payment_method: bad.id });
    const more = { quantity: 5, proration_behavior: 'always_invoice' } as const;
    await t.rejects(
      stripe.subscriptionItems.update(item!.id, { ...more, payment_behavior: 'error_if_incomplete' }),
      { code: 'card_declined' },
    );
    const waits = await stripe.subscriptionItems.update(item!.id, {
      ...more,
      payment_behavior: 'pending_if_incomplete',
    });
    t.equal(waits.quantity, 1, 'until its invoice is paid');
    const pending = await stripe.subscriptions.retrieve(subscription.id);
    t.match(pending, { status: 'active', pending_update: { subscription_items: [{ quantity: 5 }] } });

    const other = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
    const left = await stripe.subscriptions.update(other.id, {
      items: [{ id: other.items.data[0]!.id, quantity: 3 }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'default_incomplete',
      expand: ['latest_invoice'],
    });
    t.match(left, { status: 'past_due', latest_invoice: { status: 'open', attempted: false } });
    await stripe.invoices.pay((left.latest_invoice as Stripe.Invoice).id!);
    t.equal((await stripe.subscriptions.retrieve(other.id)).status, 'active');

    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
    const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 19, inclusive: false });
    const extra = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 400,
      recurring: { interval: 'month' },
    });
    const added = await stripe.subscriptionItems.create({
      subscription: other.id,
      price: extra.id,
      discounts: [{ coupon: coupon.id }],
    });
    t.equal(added.discounts.length, 1);
    const taxed = await stripe.subscriptionItems.update(added.id, { tax_rates: [rate.id] });
    t.match(taxed, { tax_rates: [{ id: rate.id }], discounts: added.discounts });
  },
);

t.test('[4.1] a customer is delinquent from a failed renewal until an invoice is paid', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  t.equal(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).delinquent, false);
  const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  await stripe.subscriptions.update(subscription.id, { default_payment_method: bad.id });
  await made.advance('32d');
  t.equal(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).delinquent, true);
  const [told] = await made.events('customer.updated');
  t.same(told?.data.previous_attributes, { delinquent: false });
  const [open] = (await stripe.invoices.list({ subscription: subscription.id, status: 'open' })).data;
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await stripe.invoices.pay(open!.id!, { payment_method: good.id });
  t.equal(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).delinquent, false);
});

t.test(
  '[4.1] what a customer has as credit pays a first invoice, and no payment method is asked for',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { price } = await shop(stripe);
    const items = [{ price: price.id }];
    const rich = await stripe.customers.create({ balance: -2000 });
    t.match(await stripe.subscriptions.create({ customer: rich.id, items, expand: ['latest_invoice'] }), {
      status: 'active',
      latest_invoice: {
        status: 'paid',
        total: 1500,
        amount_due: 0,
        starting_balance: -2000,
        ending_balance: -500,
      },
    });
    await t.rejects(stripe.subscriptions.create({ customer: rich.id, items }), { code: 'resource_missing' });
  },
);

t.test(
  '[4.1] a subscription is paid from the source that it names, before the customer’s own default',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { customer, price } = await shop(stripe);
    const items = [{ price: price.id }];
    const card = await stripe.customers.createSource(customer.id, { source: 'tok_mastercard' });
    const expand = ['latest_invoice.payments.data.payment.payment_intent.latest_charge', 'default_source'];
    const cardOf = (held: Stripe.Subscription): string | null | undefined => {
      const [paid] = (held.latest_invoice as Stripe.Invoice).payments?.data ?? [];
      const intent = paid?.payment.payment_intent as Stripe.PaymentIntent;
      return (intent.latest_charge as Stripe.Charge).payment_method_details?.card?.brand;
    };
    const made1 = await stripe.subscriptions.create({
      customer: customer.id,
      items,
      default_source: card.id,
      expand,
    });
    t.match(made1, { status: 'active', default_source: { id: card.id, object: 'card' } });
    t.equal(cardOf(made1), 'mastercard');
    await made.advance('32d');
    t.equal(cardOf(await stripe.subscriptions.retrieve(made1.id, { expand })), 'mastercard', 'renewals too');
    await stripe.subscriptions.update(made1.id, { default_source: '' });
    await made.advance('31d');
    t.equal(cardOf(await stripe.subscriptions.retrieve(made1.id, { expand })), 'visa');
    const other = await stripe.customers.create({ source: 'tok_visa' });
    const default_source = String(other.default_source);
    const refused = { code: 'resource_missing', param: 'default_source' };
    await t.rejects(stripe.subscriptions.create({ customer: customer.id, items, default_source }), refused);
    await t.rejects(stripe.subscriptions.update(made1.id, { default_source }), refused);
  },
);

t.test('[4.1] an invoice is paid from the source that it names, which must be its customer’s', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const card = await stripe.customers.createSource(customer.id, { source: 'tok_mastercard' });
  const expand = ['payments.data.payment.payment_intent.latest_charge'];
  const paid = async (fields: Stripe.InvoiceUpdateParams): Promise<string | null | undefined> => {
    const { id } = await stripe.invoices.create({ customer: customer.id, auto_advance: false });
    await stripe.invoiceItems.create({ customer: customer.id, invoice: id!, amount: 700, currency: 'usd' });
    await stripe.invoices.update(id!, fields);
    const invoice = await stripe.invoices.pay(id!, { expand });
    t.equal(invoice.default_source, fields.default_source ?? null);
    const intent = invoice.payments?.data[0]?.payment.payment_intent as Stripe.PaymentIntent;
    return (intent.latest_charge as Stripe.Charge).payment_method_details?.card?.brand;
  };
  t.equal(await paid({ default_source: card.id }), 'mastercard');
  t.equal(await paid({}), 'visa');
  const other = await stripe.customers.create({ source: 'tok_visa' });
  await t.rejects(
    stripe.invoices.create({ customer: customer.id, default_source: String(other.default_source) }),
    { code: 'resource_missing', param: 'default_source' },
  );
});
