// What a merchant of some years has at Stripe: something of each kind that the sync engine keeps, more of some than one page.
import type Stripe from 'stripe';
import { submit } from './stage.ts';

export type Books = {
  readonly customer: Stripe.Customer;
  readonly product: Stripe.Product;
  readonly price: Stripe.Price;
  readonly paid: Stripe.PaymentIntent;
  /** Billed by the month. */
  readonly subscription: string;
};

/** More than the hundred of a page. */
const CUSTOMERS = 103;

export async function openBooks(stripe: Stripe): Promise<Books> {
  const customer = await stripe.customers.create({
    email: 'ada@example.com',
    name: 'Ada',
    phone: '+4712345678',
    description: 'the first',
    address: { line1: 'Storgata 1', city: 'Oslo', country: 'NO', postal_code: '0155' },
    shipping: { name: 'Ada', address: { line1: 'Storgata 1', city: 'Oslo', country: 'NO' } },
    preferred_locales: ['nb', 'en'],
    metadata: { since: '2019' },
    payment_method: 'pm_card_visa',
    invoice_settings: {
      default_payment_method: 'pm_card_visa',
      custom_fields: [{ name: 'Project', value: 'One' }],
    },
    tax_id_data: [{ type: 'no_vat', value: '123456789MVA' }],
  });
  const product = await stripe.products.create({
    name: 'Plan',
    description: 'of many',
    images: ['https://example.com/plan.png'],
    unit_label: 'seat',
    metadata: { tier: 'one' },
  });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1500,
    nickname: 'by the month',
    lookup_key: 'plan_monthly',
    recurring: { interval: 'month' },
  });
  await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: 10, unit_amount: 1000 },
      { up_to: 'inf', unit_amount: 900 },
    ],
    recurring: { interval: 'year' },
  });
  await stripe.plans.create({
    amount: 500,
    currency: 'usd',
    interval: 'week',
    nickname: 'an old one',
    product: { name: 'Weekly' },
  });
  // The merchant’s own.
  await stripe.taxIds.create({ type: 'no_vat', value: '987654321MVA' });
  const subscription = await subscribed(stripe, customer, price);
  await invoiced(stripe, customer);
  const paid = await charged(stripe, customer);
  await bought(stripe, price);
  const { data } = await stripe.customers.list({ limit: 100 });
  for (let made = data.length; made < CUSTOMERS; made++)
    await stripe.customers.create({ email: `${made}@example.com` });
  return { customer, product, price, paid, subscription };
}

async function subscribed(stripe: Stripe, customer: Stripe.Customer, price: Stripe.Price): Promise<string> {
  const rate = await stripe.taxRates.create({ display_name: 'MVA', percentage: 25, inclusive: false });
  const coupon = await stripe.coupons.create({
    percent_off: 10,
    duration: 'repeating',
    duration_in_months: 3,
  });
  const items = [{ price: price.id, quantity: 2 }];
  const { id } = await stripe.subscriptions.create({
    customer: customer.id,
    items,
    default_tax_rates: [rate.id],
    discounts: [{ coupon: coupon.id }],
    metadata: { seats: 'two' },
  });
  await stripe.subscriptions.create({ customer: customer.id, items, trial_period_days: 30 });
  const short = await stripe.subscriptions.create({ customer: customer.id, items });
  await stripe.subscriptions.cancel(short.id, { prorate: true });
  const ending = await stripe.subscriptions.create({ customer: customer.id, items });
  await stripe.subscriptions.update(ending.id, { cancel_at_period_end: true });
  const planned = await stripe.subscriptions.create({ customer: customer.id, items });
  await stripe.subscriptionSchedules.create({ from_subscription: planned.id });
  return id;
}

async function invoiced(stripe: Stripe, customer: Stripe.Customer): Promise<void> {
  const invoice = async (amount: number): Promise<string> => {
    const made = await stripe.invoices.create({
      customer: customer.id,
      collection_method: 'send_invoice',
      days_until_due: 30,
      footer: 'Thank you',
      custom_fields: [{ name: 'Order', value: '7' }],
    });
    await stripe.invoiceItems.create({
      customer: customer.id,
      invoice: made.id!,
      amount,
      currency: 'usd',
      description: 'Work',
    });
    return made.id!;
  };
  await invoice(100);
  const open = await invoice(200);
  await stripe.invoices.finalizeInvoice(open);
  const paid = await invoice(4000);
  await stripe.invoices.finalizeInvoice(paid);
  await stripe.invoices.pay(paid);
  await stripe.creditNotes.create({ invoice: paid, amount: 1000, refund_amount: 1000, memo: 'Sorry' });
  const voided = await invoice(300);
  await stripe.invoices.finalizeInvoice(voided);
  await stripe.invoices.voidInvoice(voided);
}

async function charged(stripe: Stripe, customer: Stripe.Customer): Promise<Stripe.PaymentIntent> {
  const pay = (payment_method: string, more: object = {}): Promise<Stripe.PaymentIntent> =>
    stripe.paymentIntents.create({
      amount: 2000,
      currency: 'usd',
      payment_method,
      allowed_payment_method_types: ['card'],
      confirm: true,
      ...more,
    });
  const paid = await pay('pm_card_visa', { customer: customer.id, receipt_email: 'ada@example.com' });
  const back = await pay('pm_card_mastercard', { description: 'given back' });
  await stripe.refunds.create({ payment_intent: back.id, amount: 500, reason: 'requested_by_customer' });
  await pay('pm_card_createDispute');
  await pay('pm_card_createIssuerFraudRecord');
  await pay('pm_card_visa_chargeDeclined').catch(() => undefined);
  await pay('pm_card_visa', { capture_method: 'manual' });
  await stripe.charges.create({
    amount: 700,
    currency: 'usd',
    source: 'tok_visa',
    description: 'the old way',
  });
  await stripe.setupIntents.create({
    customer: customer.id,
    payment_method: 'pm_card_visa',
    allowed_payment_method_types: ['card'],
    confirm: true,
  });
  return paid;
}

async function bought(stripe: Stripe, price: Stripe.Price): Promise<void> {
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: price.id, quantity: 3 }],
    success_url: 'https://example.com/thanks',
    metadata: { cart: '9' },
  });
  await submit(session.url!, {
    email: 'eve@example.com',
    billingName: 'Eve',
    cardNumber: '4242424242424242',
    cardExpiry: '12 / 40',
    cardCvc: '123',
  });
  await stripe.checkout.sessions.create({
    mode: 'setup',
    currency: 'usd',
    success_url: 'https://example.com/thanks',
  });
}

/** A day at work. `later`: the engine keeps the first of what it hears of a second. */
export async function goOn(
  stripe: Stripe,
  { customer, product, price, paid, subscription }: Books,
  later: () => Promise<void>,
): Promise<void> {
  await stripe.products.update(product.id, { name: 'Plan, renamed', marketing_features: [{ name: 'More' }] });
  const once = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 800 });
  await stripe.customers.update(customer.id, { name: 'Ada L.', phone: '' });
  const fleeting = await stripe.products.create({ name: 'For a moment' });
  await later();
  await stripe.prices.update(once.id, { nickname: 'renamed', metadata: { seen: 'yes' } });
  await stripe.products.del(fleeting.id);
  const plan = await stripe.plans.create({
    amount: 900,
    currency: 'usd',
    interval: 'month',
    product: product.id,
  });
  const [item] = (await stripe.subscriptionItems.list({ subscription })).data;
  await stripe.subscriptions.update(subscription, { items: [{ id: item!.id, quantity: 4 }] });
  const eve = await stripe.customers.create({
    email: 'eve@example.org',
    payment_method: 'pm_card_mastercard',
    invoice_settings: { default_payment_method: 'pm_card_mastercard' },
  });
  const second = await stripe.subscriptions.create({
    customer: eve.id,
    items: [{ price: price.id }, { price: plan.id, quantity: 3 }],
  });
  await later();
  await stripe.subscriptionSchedules.release(
    (await stripe.subscriptionSchedules.create({ from_subscription: second.id })).id,
  );
  await stripe.refunds.create({ payment_intent: paid.id });
  const kept = await stripe.paymentMethods.attach('pm_card_amex', { customer: eve.id });
  await later();
  await stripe.paymentMethods.update(kept.id, { metadata: { seen: 'yes' } });
  const intent = await stripe.setupIntents.create({
    customer: eve.id,
    allowed_payment_method_types: ['card'],
  });
  await later();
  await stripe.setupIntents.cancel(intent.id);
  const held = await stripe.paymentIntents.create({
    amount: 1200,
    currency: 'eur',
    customer: eve.id,
    payment_method: kept.id,
    allowed_payment_method_types: ['card'],
    capture_method: 'manual',
    confirm: true,
  });
  await later();
  await stripe.paymentIntents.capture(held.id, { amount_to_capture: 1000 });
  const [dispute] = (await stripe.disputes.list()).data;
  await stripe.disputes.close(dispute!.id);
  await stripe.creditNotes.create({
    invoice: String(second.latest_invoice),
    amount: 100,
    credit_amount: 100,
  });
}
