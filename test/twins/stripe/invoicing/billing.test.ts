// Invoices beyond their states: what discounts, taxes, credit and changed lines make of their sums.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] discounts and taxes are counted in the invoice', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const coupon = await stripe.coupons.create({ percent_off: 20 });
  const over = await stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 10 });
  const inside = await stripe.taxRates.create({ display_name: 'GST', inclusive: true, percentage: 25 });
  const invoice = await stripe.invoices.create({
    customer: customer.id,
    currency: 'usd',
    discounts: [{ coupon: coupon.id }],
    default_tax_rates: [over.id],
  });
  const add = (amount: number, more: Partial<Stripe.InvoiceItemCreateParams> = {}) =>
    stripe.invoiceItems.create({
      customer: customer.id,
      invoice: invoice.id,
      currency: 'usd',
      amount,
      ...more,
    });
  await add(1000);
  await add(500, { discountable: false, tax_rates: [inside.id] });
  const counted = await stripe.invoices.retrieve(invoice.id, { expand: ['discounts.source.coupon'] });
  t.match(counted, { subtotal: 1500, total: 1500 - 200 + 80, amount_due: 1380, total_excluding_tax: 1200 });
  t.match(counted.total_discount_amounts, [{ amount: 200 }]);
  t.same(
    counted.total_taxes?.map(({ amount, tax_behavior }) => [amount, tax_behavior]),
    [
      [80, 'exclusive'],
      [100, 'inclusive'],
    ],
  );
  t.match(counted.discounts, [{ source: { coupon: { id: coupon.id, percent_off: 20 } } }]);
  t.same(faultsOf(counted), []);
  const paid = await stripe.invoices.pay(invoice.id);
  t.match(paid, { status: 'paid', amount_paid: 1380 });
  t.equal((await stripe.coupons.retrieve(coupon.id)).times_redeemed, 1);
});

t.test('[4.1] a discount of once is on one renewal; one of a customer is on all of theirs', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const once = await stripe.coupons.create({ amount_off: 500, currency: 'usd', duration: 'once' });
  const code = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: once.id },
    code: 'HELLO',
  });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    discounts: [{ promotion_code: code.id }],
    expand: ['latest_invoice'],
  });
  t.match(subscription.latest_invoice, { total: 1000, status: 'paid' });
  t.same(subscription.discounts, [], 'used up');
  t.equal((await made.events('customer.discount.created')).length, 1);
  await made.advance('31d');
  await made.advance('1h');
  const [renewal] = (await stripe.invoices.list({ subscription: subscription.id })).data;
  t.match(renewal, { total: 1500, status: 'paid' });
  t.equal((await stripe.promotionCodes.list({ code: 'HELLO' })).data[0]?.times_redeemed, 1);
  const spent = await stripe.coupons.create({ percent_off: 10, max_redemptions: 1 });
  await stripe.subscriptions.update(subscription.id, { discounts: [{ coupon: spent.id }] });
  t.equal((await stripe.coupons.retrieve(spent.id)).valid, false);
  await t.rejects(stripe.subscriptions.update(subscription.id, { discounts: [{ coupon: spent.id }] }), {
    code: 'coupon_expired',
  });
  t.match(await stripe.subscriptions.deleteDiscount(subscription.id), { object: 'discount', deleted: true });
});

t.test('[4.1] credit notes: less to pay before, credit after', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const open = async (): Promise<Stripe.Invoice> => {
    await stripe.invoiceItems.create({ customer: customer.id, amount: 2000, currency: 'usd' });
    const draft = await stripe.invoices.create({
      customer: customer.id,
      pending_invoice_items_behavior: 'include',
    });
    return stripe.invoices.finalizeInvoice(draft.id);
  };
  const first = await open();
  const note = await stripe.creditNotes.create({
    invoice: first.id,
    lines: [{ type: 'custom_line_item', unit_amount: 500, quantity: 2, description: 'sorry' }],
  });
  t.match(note, { amount: 1000, type: 'pre_payment', status: 'issued', lines: { data: [{ amount: 1000 }] } });
  t.same(faultsOf(note), []);
  t.match(await stripe.invoices.retrieve(first.id), { amount_remaining: 1000, status: 'open' });
  t.match(await stripe.creditNotes.voidCreditNote(note.id), { status: 'void' });
  t.equal((await made.events('credit_note.voided')).length, 1);
  await t.rejects(stripe.creditNotes.create({ invoice: first.id, amount: 9000 }), {
    code: 'amount_too_large',
  });
  t.match(await stripe.creditNotes.preview({ invoice: first.id, amount: 2000 }), { amount: 2000 });
  await stripe.invoices.pay(first.id);
  await stripe.creditNotes.create({ invoice: first.id, amount: 300, credit_amount: 300 });
  const held = (await stripe.customers.retrieve(customer.id)) as Stripe.Customer;
  t.equal(held.balance, -300);
  t.match((await stripe.customers.listBalanceTransactions(customer.id)).data, [
    { amount: -300, type: 'credit_note', ending_balance: -300 },
  ]);
});

t.test('[4.1] lines of a draft are added, changed and removed', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const { id } = await stripe.invoices.create({ customer: customer.id, currency: 'usd' });
  const added = await stripe.invoices.addLines(id, {
    lines: [
      { amount: 300, description: 'a' },
      { amount: 200, quantity: 2, description: 'b' },
    ],
  });
  t.equal(added.total, 500);
  const [a, b] = added.lines.data;
  t.match(await stripe.invoices.updateLineItem(id, b!.id, { amount: 50 }), { amount: 50 });
  const left = await stripe.invoices.removeLines(id, { lines: [{ id: a!.id, behavior: 'delete' }] });
  t.match(left, { total: 50, lines: { data: [{ description: 'b' }] } });
  t.equal((await stripe.invoiceItems.list({ customer: customer.id })).data.length, 1);
  const product = await stripe.products.create({ name: 'Hour' });
  const coupon = await stripe.coupons.create({ percent_off: 50 });
  const vat = await stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 10 });
  const priced = await stripe.invoices.addLines(id, {
    lines: [
      {
        price_data: { currency: 'usd', product: product.id, unit_amount: 400 },
        quantity: 2,
        discounts: [{ coupon: coupon.id }],
        tax_rates: [vat.id],
      },
    ],
    invoice_metadata: { lines: 'more' },
  });
  t.match(priced, { subtotal: 850, total: 50 + 400 + 40, metadata: { lines: 'more' } });
  const hour = priced.lines.data.find(({ description }) => description === 'Hour')!;
  const changed = await stripe.invoices.updateLines(id, {
    lines: [{ id: hour.id, quantity: 1, discounts: '' }],
  });
  t.match(changed, { subtotal: 450, total: 50 + 400 + 40 });
  t.match((await stripe.invoices.listLineItems(id)).data, [{ amount: 50 }, { amount: 400, quantity: 1 }]);
  const freed = await stripe.invoices.removeLines(id, { lines: [{ id: hour.id, behavior: 'unassign' }] });
  t.equal(freed.total, 50);
  t.equal((await stripe.invoiceItems.list({ pending: true })).data.length, 1);
  await stripe.invoices.finalizeInvoice(id);
  await t.rejects(stripe.invoices.addLines(id, { lines: [{ amount: 1 }] }), { code: 'invoice_not_editable' });
});

t.test('[4.1] a promotion code is held to its restrictions', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const { customer: other } = await shop(stripe);
  const coupon = await stripe.coupons.create({ percent_off: 50 });
  const code = (more: Partial<Stripe.PromotionCodeCreateParams>) =>
    stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, ...more });
  const subscribe = (by: Stripe.Customer, promotion_code: string) =>
    stripe.subscriptions.create({
      customer: by.id,
      items: [{ price: price.id }],
      discounts: [{ promotion_code }],
    });
  const theirs = await code({ customer: customer.id });
  await t.rejects(subscribe(other, theirs.id), { message: /another customer/ });
  const dear = await code({ restrictions: { minimum_amount: 2000, minimum_amount_currency: 'usd' } });
  await t.rejects(subscribe(other, dear.id), {
    message: /minimum amount of 2000 usd/,
    param: 'discounts[0][promotion_code]',
  });
  const first = await code({ restrictions: { first_time_transaction: true }, max_redemptions: 2 });
  await subscribe(other, first.id);
  await t.rejects(subscribe(other, first.id), { message: /has prior transactions/ });
  await subscribe(customer, theirs.id);
  const late = await code({ expires_at: Date.parse('2026-01-16T00:00:00Z') / 1000 });
  await made.advance('1d');
  await t.rejects(subscribe(customer, late.id), { code: 'promotion_code_expired' });
  const euros = await stripe.coupons.create({ amount_off: 100, currency: 'eur' });
  await t.rejects(
    stripe.subscriptions.create({
      customer: other.id,
      items: [{ price: price.id }],
      discounts: [{ coupon: euros.id }],
    }),
    { message: /takes off an amount in eur/ },
  );
});

t.test('[4.1] a customer’s discount is exchanged for another', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const [small, large] = await Promise.all(
    [10, 30].map(percent_off => stripe.coupons.create({ percent_off, duration: 'forever' })),
  );
  const customer = await stripe.customers.create({ name: 'Ada' });
  const give = (coupon: string) =>
    made.ask('POST', `/v1/customers/${customer.id}`, { form: `coupon=${coupon}` });
  await give(small!.id);
  await give(large!.id);
  const [event] = await made.events('customer.discount.updated');
  t.match(event?.data, {
    object: { source: { coupon: large!.id } },
    previous_attributes: { source: { coupon: small!.id } },
  });
  t.equal((await made.events('customer.discount.created')).length, 1);
  await stripe.customers.deleteDiscount(customer.id);
  t.equal((await made.events('customer.discount.deleted')).length, 1);
});

t.test('[4.1] credit notes of lines carry their taxes; money goes back to the card', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product } = await shop(stripe);
  const each = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 250 });
  const vat = await stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 20 });
  const coupon = await stripe.coupons.create({ percent_off: 10 });
  await stripe.invoiceItems.create({
    customer: customer.id,
    currency: 'usd',
    quantity: 4,
    pricing: { price: each.id },
    tax_rates: [vat.id],
  });
  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
    discounts: [{ coupon: coupon.id }],
  });
  const open = await stripe.invoices.finalizeInvoice(draft.id);
  t.match(open, { total: 1080, amount_remaining: 1080 });
  const line = { type: 'invoice_line_item' as const, invoice_line_item: open.lines.data[0]!.id };
  const early = await stripe.creditNotes.create({ invoice: open.id, lines: [{ ...line, quantity: 1 }] });
  t.match(early, {
    subtotal: 250,
    discount_amount: 25,
    total: 270,
    total_excluding_tax: 225,
    total_taxes: [{ amount: 45, taxable_amount: 225, tax_rate_details: { tax_rate: vat.id } }],
    type: 'pre_payment',
  });
  t.same(faultsOf(early), []);
  const paid = await stripe.invoices.pay(open.id, { expand: ['payments'] });
  t.match(paid, { amount_paid: 810, status: 'paid' });
  const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
  t.equal(charge?.amount, 810, 'and no more was taken');
  const late = await stripe.creditNotes.create({
    invoice: open.id,
    lines: [{ ...line, quantity: 2 }],
    refund_amount: 500,
    out_of_band_amount: 40,
    reason: 'product_unsatisfactory',
  });
  t.match(late, { total: 540, type: 'post_payment', refunds: [{ amount_refunded: 500, type: 'refund' }] });
  t.equal((await stripe.refunds.list({ charge: charge!.id })).data[0]?.amount, 500);
  t.match(await stripe.invoices.retrieve(open.id), { post_payment_credit_notes_amount: 540, status: 'paid' });
  await t.rejects(stripe.creditNotes.voidCreditNote(late.id), { message: /still open/ });
  t.match((await stripe.creditNotes.listLineItems(late.id)).data, [{ quantity: 2, amount: 500 }]);
  t.match((await stripe.creditNotes.list({ invoice: open.id })).data, [{ id: late.id }, { id: early.id }]);
});

t.test('[4.1] previews: with discounts, extra items, a trial, an end; and nothing is written', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const coupon = await stripe.coupons.create({ percent_off: 50 });
  const vat = await stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 10 });
  const { id, items } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  const [item] = items.data;
  const before = await made.position();
  const preview = stripe.invoices.createPreview.bind(stripe.invoices);
  t.match(await preview({ customer: customer.id }), {
    total: 1500,
    period_end: item!.current_period_end,
  });
  const asked = await preview({
    subscription: id,
    discounts: [{ coupon: coupon.id }],
    invoice_items: [{ amount: 300, currency: 'usd', description: 'Once' }],
    subscription_details: { default_tax_rates: [vat.id] },
  });
  t.match(asked, { subtotal: 1800, total: 990, total_discount_amounts: [{ amount: 900 }] });
  t.same(faultsOf(asked), []);
  const trial = await preview({
    customer: customer.id,
    subscription_details: { items: [{ price: price.id }], trial_end: item!.current_period_end },
  });
  t.match(trial, { total: 0, lines: { data: [{ description: /^Free trial/ }] } });
  const ended = await preview({ subscription: id, subscription_details: { cancel_now: true } });
  t.match(ended, { total: -1500, lines: { data: [{ amount: -1500 }] } });
  const anew = await preview({
    subscription: id,
    subscription_details: { billing_cycle_anchor: { type: 'now' }, items: [{ id: item!.id, quantity: 3 }] },
  });
  t.match(anew, { total: -1500 + 4500 });
  t.equal(await made.position(), before);
  t.equal((await stripe.coupons.retrieve(coupon.id)).times_redeemed, 0);
  await t.rejects(preview({ customer: (await stripe.customers.create()).id }), {
    code: 'invoice_upcoming_none',
  });
});

t.test('[4.1] payments made apart from an invoice pay it, in part and whole', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  await stripe.invoiceItems.create({ customer: customer.id, amount: 2000, currency: 'usd' });
  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
  });
  const { id } = await stripe.invoices.finalizeInvoice(draft.id);
  const pay = (amount: number, confirm: boolean) =>
    stripe.paymentIntents.create({
      amount,
      currency: 'usd',
      customer: customer.id,
      payment_method: 'pm_card_visa',
      confirm,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    });
  const part = await stripe.invoices.attachPayment(id, { payment_intent: (await pay(500, true)).id });
  t.match(part, { status: 'open', amount_paid: 500, amount_remaining: 1500 });
  const later = await pay(1600, false);
  t.match(await stripe.invoices.attachPayment(id, { payment_intent: later.id }), { status: 'open' });
  await stripe.paymentIntents.confirm(later.id);
  const paid = await stripe.invoices.retrieve(id, { expand: ['payments'] });
  t.match(paid, { status: 'paid', amount_paid: 2000, amount_overpaid: 100, amount_remaining: 0 });
  t.same(paid.payments?.data.map(({ status }) => status).toSorted(), ['canceled', 'paid', 'paid']);
  t.equal((await made.events('invoice.overpaid')).length, 1);
  await t.rejects(stripe.invoices.attachPayment(id, { payment_intent: later.id }), {
    code: 'invoice_not_editable',
  });
});

t.test('[4.1] what an invoice takes of a balance is told, and given back when it is void', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  await stripe.customers.createBalanceTransaction(customer.id, { amount: -400, currency: 'usd' });
  await stripe.invoiceItems.create({ customer: customer.id, amount: 1000, currency: 'usd' });
  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
  });
  t.match(await stripe.invoices.finalizeInvoice(draft.id), { amount_due: 600, starting_balance: -400 });
  await stripe.invoices.voidInvoice(draft.id);
  const moved = await stripe.customers.listBalanceTransactions(customer.id);
  t.same(
    moved.data.map(({ amount, type, ending_balance, invoice }) => [type, amount, ending_balance, invoice]),
    [
      ['unapplied_from_invoice', -400, -400, draft.id],
      ['applied_to_invoice', 400, 0, draft.id],
      ['adjustment', -400, -400, null],
    ],
  );
  await stripe.invoiceItems.create({ customer: customer.id, amount: 900, currency: 'eur' });
  const euros = await stripe.invoices.create({
    customer: customer.id,
    currency: 'eur',
    pending_invoice_items_behavior: 'include',
  });
  t.match(
    await stripe.invoices.finalizeInvoice(euros.id),
    { amount_due: 900 },
    'of another currency nothing',
  );
});
