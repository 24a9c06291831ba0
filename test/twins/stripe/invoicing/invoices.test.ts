// Invoices and invoice items by hand.
import type Stripe from 'stripe';
import t from 'tap';
import { openStripeWorld, type StripeWorld, shop } from '../../../kit/stripe-world.ts';

async function draft(
  made: StripeWorld,
  customer: string,
  amounts: readonly number[],
): Promise<Stripe.Invoice> {
  for (const amount of amounts) {
    await made.stripe.invoiceItems.create({
      customer,
      amount,
      currency: 'usd',
      description: `item of ${amount}`,
    });
  }
  return await made.stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
}

t.test('[4.1] draft, open, paid', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const invoice = await draft(made, customer.id, [1200, 300]);
  t.match(invoice, {
    status: 'draft',
    total: 1500,
    number: null,
    auto_advance: false,
    billing_reason: 'manual',
  });
  t.same(
    invoice.lines.data.map(({ description, amount }) => [description, amount]),
    [
      ['item of 1200', 1200],
      ['item of 300', 300],
    ],
  );
  t.match(invoice.lines.data[0]?.parent, {
    type: 'invoice_item_details',
    invoice_item_details: { proration: false },
  });
  const open = await stripe.invoices.finalizeInvoice(invoice.id, { expand: ['payments'] });
  t.match(open, {
    status: 'open',
    amount_due: 1500,
    number: /-0001$/,
    hosted_invoice_url: /^https:\/\/invoice\.stripe\.com\//,
  });
  t.match(open.payments?.data, [{ status: 'open', amount_requested: 1500 }]);
  await t.rejects(stripe.invoices.finalizeInvoice(invoice.id), { code: 'invoice_not_editable' });
  await t.rejects(stripe.invoices.update(invoice.id, { description: 'x' }), { code: 'invoice_not_editable' });
  await stripe.invoices.update(invoice.id, { metadata: { ok: 'yes' } });
  const paid = await stripe.invoices.pay(invoice.id);
  t.match(paid, { status: 'paid', amount_paid: 1500, amount_remaining: 0, metadata: { ok: 'yes' } });
  await t.rejects(stripe.invoices.pay(invoice.id), { message: 'Invoice is already paid' });
  t.same(
    (await stripe.charges.list({ customer: customer.id })).data.map(({ amount }) => amount),
    [1500],
  );
});

t.test('[4.1] an invoice that is declined stays open', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe, 'pm_card_chargeCustomerFail');
  const invoice = await draft(made, customer.id, [900]);
  await t.rejects(stripe.invoices.pay(invoice.id), { type: 'StripeCardError', code: 'card_declined' });
  t.match(await stripe.invoices.retrieve(invoice.id), { status: 'open', attempt_count: 1, attempted: true });
  const paid = await stripe.invoices.pay(invoice.id, { payment_method: 'pm_card_visa' });
  t.match(paid, { status: 'paid', attempt_count: 2 });
  const poor = await stripe.customers.create({});
  const unpaid = await draft(made, poor.id, [900]);
  await t.rejects(stripe.invoices.pay(unpaid.id), { message: /no `default_payment_method` set/ });
});

t.test('[4.1] the other ends: void, uncollectible, deleted, sent, paid elsewhere', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const open = async (): Promise<string> =>
    (await stripe.invoices.finalizeInvoice((await draft(made, customer.id, [500])).id)).id;
  const voided = await stripe.invoices.voidInvoice(await open(), {
    expand: ['payments.data.payment.payment_intent'],
  });
  t.match(voided, { status: 'void', amount_remaining: 0 });
  t.match(voided.payments?.data, [
    { status: 'canceled', payment: { payment_intent: { status: 'canceled' } } },
  ]);
  await t.rejects(stripe.invoices.pay(voided.id), { message: /void/ });
  t.match(await stripe.invoices.markUncollectible(await open()), { status: 'uncollectible' });
  const elsewhere = await stripe.invoices.pay(await open(), { paid_out_of_band: true });
  t.match(elsewhere, { status: 'paid', amount_paid: 0, amount_paid_off_stripe: 500 });
  t.equal((await stripe.charges.list()).data.length, 0);
  const deleted = await draft(made, customer.id, [500]);
  t.same(await stripe.invoices.del(deleted.id), { id: deleted.id, object: 'invoice', deleted: true });
  await t.rejects(stripe.invoices.retrieve(deleted.id), { code: 'resource_missing' });
  t.equal((await stripe.invoiceItems.list({ pending: true })).data.length, 1, 'its item waits again');
  const sent = await stripe.invoices.create({
    customer: customer.id,
    collection_method: 'send_invoice',
    days_until_due: 7,
    pending_invoice_items_behavior: 'include',
  });
  t.match(await stripe.invoices.sendInvoice(sent.id), {
    status: 'open',
    due_date: sent.created + 7 * 86_400,
  });
  await t.rejects(stripe.invoices.create({ customer: customer.id, collection_method: 'send_invoice' }), {
    code: 'parameter_missing',
    param: 'days_until_due',
  });
});

t.test('[4.1] items change a draft, and nothing else', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product } = await shop(stripe);
  const invoice = await stripe.invoices.create({ customer: customer.id });
  t.equal(invoice.total, 0, 'pending items are left out unless asked for');
  await t.rejects(stripe.invoices.finalizeInvoice(invoice.id), { code: 'invoice_no_customer_line_items' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 250 });
  const item = await stripe.invoiceItems.create({
    customer: customer.id,
    invoice: invoice.id,
    pricing: { price: price.id },
    quantity: 4,
  });
  t.match(item, {
    amount: 1000,
    quantity: 4,
    pricing: { price_details: { price: price.id, product: product.id } },
  });
  t.equal((await stripe.invoices.retrieve(invoice.id)).total, 1000);
  await stripe.invoiceItems.update(item.id, { quantity: 2 });
  t.equal((await stripe.invoices.retrieve(invoice.id)).total, 500);
  const lines = await stripe.invoices.listLineItems(invoice.id);
  t.match(lines.data, [{ amount: 500, quantity: 2, invoice: invoice.id }]);
  await stripe.invoiceItems.del(item.id);
  t.equal((await stripe.invoices.retrieve(invoice.id)).total, 0);
  await stripe.invoiceItems.create({
    customer: customer.id,
    invoice: invoice.id,
    amount: 100,
    currency: 'usd',
  });
  await stripe.invoices.finalizeInvoice(invoice.id);
  await t.rejects(
    stripe.invoiceItems.create({ customer: customer.id, invoice: invoice.id, amount: 1, currency: 'usd' }),
    { code: 'invoice_not_editable' },
  );
});

t.test('[4.1] an invoice with many lines shows ten and pages the rest', async t => {
  await using made = await openStripeWorld();
  const { customer } = await shop(made.stripe);
  const invoice = await draft(
    made,
    customer.id,
    Array.from({ length: 12 }, (_, n) => 100 + n),
  );
  t.equal(invoice.lines.data.length, 10);
  t.equal(invoice.lines.has_more, true);
  const amounts = await made.stripe.invoices
    .listLineItems(invoice.id, { limit: 5 })
    .autoPagingToArray({ limit: 100 });
  t.same(
    amounts.map(({ amount }) => amount),
    Array.from({ length: 12 }, (_, n) => 100 + n),
    'as they were added',
  );
});

t.test('[4.1] a customer’s balance is settled with the next invoice', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  await stripe.customers.update(customer.id, { balance: -400 });
  const part = await stripe.invoices.pay((await draft(made, customer.id, [1000])).id);
  t.match(part, {
    total: 1000,
    starting_balance: -400,
    ending_balance: 0,
    amount_due: 600,
    amount_paid: 600,
  });
  await stripe.customers.update(customer.id, { balance: -5000 });
  const whole = await stripe.invoices.finalizeInvoice((await draft(made, customer.id, [1000])).id);
  t.match(whole, { status: 'paid', amount_due: 0, ending_balance: -4000 });
});

t.test('[4.1] lists by customer, status and subscription', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const other = await stripe.customers.create({ name: 'Bob' });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const mine = await draft(made, customer.id, [100]);
  const theirs = await draft(made, other.id, [100]);
  const ids = async (params: Stripe.InvoiceListParams): Promise<string[]> =>
    (await stripe.invoices.list(params)).data.map(({ id }) => id);
  t.same(await ids({ status: 'draft' }), [theirs.id, mine.id]);
  t.same(await ids({ status: 'draft', customer: customer.id }), [mine.id]);
  t.same(await ids({ subscription: subscription.id }), [subscription.latest_invoice]);
  t.same((await stripe.invoices.search({ query: 'status:"draft" AND total<200' })).data.length, 2);
});

t.test('[4.1] previews write nothing', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const position = await made.position();
  const fresh = await stripe.invoices.createPreview({
    customer: customer.id,
    subscription_details: { items: [{ price: price.id, quantity: 2 }] },
  });
  t.match(fresh, { total: 3000, status: 'draft' });
  const next = await stripe.invoices.createPreview({ subscription: subscription.id });
  t.match(next, {
    total: 1500,
    lines: { data: [{ period: { start: subscription.items.data[0]!.current_period_end } }] },
  });
  const changed = await stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: { items: [{ id: subscription.items.data[0]!.id, quantity: 2 }] },
  });
  t.equal(changed.total, -1500 + 3000 + 3000, 'the whole period is still to come');
  t.equal(await made.position(), position);
  await stripe.subscriptions.cancel(subscription.id);
  await t.rejects(stripe.invoices.createPreview({ subscription: subscription.id }), {
    code: 'invoice_upcoming_none',
    statusCode: 404,
  });
});

t.test('[4.1] an invoice has the number, the date and the rendering that it is given', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { id: customer } = await stripe.customers.create({ invoice_prefix: 'ADA1' });
  const invoice = async (more: Stripe.InvoiceCreateParams) => {
    const { id } = await stripe.invoices.create({ customer, ...more });
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 500, currency: 'eur' });
    return id;
  };
  const effective_at = 1_760_000_000;
  const own = await invoice({
    number: '2026-0001',
    effective_at,
    rendering: { amount_tax_display: 'include_inclusive_tax' },
  });
  await stripe.invoices.update(own, { rendering: { pdf: { page_size: 'a4' } } });
  t.match(await stripe.invoices.finalizeInvoice(own), {
    number: '2026-0001',
    effective_at,
    rendering: { amount_tax_display: 'include_inclusive_tax', pdf: { page_size: 'a4' }, template: null },
  });
  const next = await invoice({ number: '2026-0002' });
  await stripe.invoices.update(next, { number: '' });
  const { number, rendering } = await stripe.invoices.finalizeInvoice(next);
  t.same([number, rendering], ['ADA1-0001', null], 'numbers of one’s own are not counted');
  const before = await made.ask('POST', '/v1/invoices', {
    headers: {
      authorization: 'Bearer sk_test_wrld',
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': '2023-10-16',
    },
    form: `customer=${customer}&rendering_options[amount_tax_display]=exclude_tax`,
  });
  t.match(before.body, { rendering_options: { amount_tax_display: 'exclude_tax' } });
});
