// The billing side beyond subscriptions: discounts, taxes, credit, quotes, schedules, the portal, meters, test clocks.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../kit/stripe-schema.ts';
import { openStripeWorld, shop } from '../../kit/stripe-world.ts';

const DAY = 86_400;

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

t.test('[4.1] a schedule moves through its phases and lets its subscription go', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const item = (quantity: number) => ({ price: price.id, quantity });
  const schedule = await stripe.subscriptionSchedules.create({
    customer: customer.id,
    start_date: 'now',
    phases: [
      { items: [item(1)], duration: { interval: 'month' } },
      { items: [item(3)], duration: { interval: 'month' } },
    ],
  });
  t.match(schedule, { status: 'active', current_phase: { start_date: schedule.phases[0]!.start_date } });
  t.same(faultsOf(schedule), []);
  const id = schedule.subscription as string;
  t.match(await stripe.subscriptions.retrieve(id), {
    schedule: schedule.id,
    items: { data: [{ quantity: 1 }] },
  });
  await made.advance('32d');
  t.match(await stripe.subscriptions.retrieve(id), { items: { data: [{ quantity: 3 }] } });
  await made.advance('30d');
  t.match(await stripe.subscriptionSchedules.retrieve(schedule.id), {
    status: 'released',
    released_subscription: id,
    subscription: null,
  });
  t.equal((await stripe.subscriptions.retrieve(id)).schedule, null);
  t.equal((await made.events('subscription_schedule.expiring')).length, 1);
});

t.test('[4.1] a test clock has its own time', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const frozen = Date.parse('2030-01-01T00:00:00Z') / 1000;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: frozen });
  const { price } = await shop(stripe);
  const customer = await stripe.customers.create({
    test_clock: clock.id,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const { id, created, test_clock } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
  });
  t.same({ created, test_clock }, { created: frozen, test_clock: clock.id });
  await made.advance('40d');
  t.equal((await stripe.invoices.list({ subscription: id })).data.length, 1, 'the world does not move it');
  t.match(await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: frozen + 62 * DAY }), {
    status: 'advancing',
  });
  t.match(await stripe.testHelpers.testClocks.retrieve(clock.id), {
    status: 'ready',
    frozen_time: frozen + 62 * DAY,
  });
  const invoices = (await stripe.invoices.list({ subscription: id })).data;
  t.same(
    invoices.map(({ status, created: at }) => [status, (at - frozen) / DAY]),
    [
      ['paid', 59],
      ['paid', 31],
      ['paid', 0],
    ],
  );
  t.equal((await made.events('test_helpers.test_clock.ready')).length, 1);
  await t.rejects(stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: frozen }), {
    message: /only be advanced forward/,
  });
  t.match(await stripe.testHelpers.testClocks.del(clock.id), { deleted: true });
  t.match(await stripe.customers.retrieve(customer.id), { deleted: true });
});

t.test('[4.1] meters add up what was used', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const meter = await stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'calls',
    default_aggregation: { formula: 'sum' },
  });
  const use = (value: string, identifier: string) =>
    stripe.billing.meterEvents.create({
      event_name: 'calls',
      identifier,
      payload: { stripe_customer_id: customer.id, value },
    });
  await use('3', 'a');
  await use('3', 'a');
  await use('4', 'b');
  const now = Math.floor(Date.parse('2026-01-15T12:00:00Z') / 1000);
  const summary = await stripe.billing.meters.listEventSummaries(meter.id, {
    customer: customer.id,
    start_time: now - 3_600,
    end_time: now + 3_600,
  });
  t.match(summary.data, [{ aggregated_value: 7, meter: meter.id }]);
  const { product } = await shop(stripe);
  const metered = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 200,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
  });
  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: metered.id }] });
  await made.advance('31d');
  await made.advance('1h');
  const [bill] = (await stripe.invoices.list({ subscription: id })).data;
  t.match(bill, { total: 1400, status: 'paid', lines: { data: [{ quantity: 7, amount: 1400 }] } });
  await t.rejects(use('many', 'c'), { code: 'meter_event_invalid_value' });
  await t.rejects(
    stripe.billing.meters.create({
      display_name: 'x',
      event_name: 'calls',
      default_aggregation: { formula: 'sum' },
    }),
    { code: 'resource_already_exists' },
  );
  t.match(await stripe.billing.meters.deactivate(meter.id), { status: 'inactive' });
  const session = await stripe.v2.billing.meterEventSession.create();
  t.match(session.authentication_token, /^mes_test_/);
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
});

t.test('[4.1] credit grants: a balance that is granted, and what is left of it', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const grant = await stripe.billing.creditGrants.create({
    customer: customer.id,
    amount: { type: 'monetary', monetary: { currency: 'usd', value: 900 } },
    applicability_config: { scope: { price_type: 'metered' } },
    category: 'promotional',
  });
  t.same(faultsOf(grant), []);
  const left = async (): Promise<number | undefined> =>
    (
      await stripe.billing.creditBalanceSummaries.retrieve({
        customer: customer.id,
        filter: { type: 'applicability_scope', applicability_scope: { price_type: 'metered' } },
      })
    ).balances[0]?.available_balance.monetary?.value;
  t.equal(await left(), 900);
  t.ok((await stripe.billing.creditGrants.voidGrant(grant.id)).voided_at);
  t.equal(await left(), 0);
  await t.rejects(stripe.billing.creditGrants.expire(grant.id), {
    message: /already expired or been voided/,
  });
  const moved = await stripe.billing.creditBalanceTransactions.list({ customer: customer.id });
  t.same(
    moved.data.map(({ type }) => type),
    ['debit', 'credit'],
  );
});

t.test('[4.1] the portal: configurations, sessions, and the default made for them', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const session = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    return_url: 'https://shop.example.com/',
    expand: ['configuration'],
  });
  t.match(session, {
    url: /^https:\/\/billing\.stripe\.com\/p\/session\//,
    configuration: { is_default: true },
  });
  const own = await stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
  });
  t.match(own.features.subscription_cancel, {
    enabled: true,
    mode: 'immediately',
    proration_behavior: 'none',
  });
  t.same(faultsOf(own), []);
  t.equal((await stripe.billingPortal.configurations.list({ is_default: true })).data.length, 1);
});

t.test('[4.1] the hosted pages: an invoice is paid, a subscription is canceled', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, price } = await shop(stripe);
  const visit = async (url: string, form?: string): Promise<{ status: number; body: string }> => {
    const { hostname, pathname, search } = new URL(url);
    const reply = await made.world.call('stripe', {
      method: form === undefined ? 'GET' : 'POST',
      host: hostname,
      via: 'host',
      path: pathname,
      query: search.slice(1),
      headers: {},
      body: new TextEncoder().encode(form ?? ''),
      caller: null,
      scope: 'write',
      trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
    });
    return { status: reply.status, body: String(reply.body) };
  };
  await stripe.invoiceItems.create({
    customer: customer.id,
    amount: 2500,
    currency: 'usd',
    description: '<b>Work</b>',
  });
  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
  });
  const { hosted_invoice_url: page } = await stripe.invoices.finalizeInvoice(draft.id);
  const shown = await visit(page!);
  t.match(shown, { status: 200, body: /25\.00 USD/ });
  t.notMatch(shown.body, /<b>Work/, 'text is text');
  t.match(await visit(page!, 'number=4000000000000002'), { status: 402, body: /declined/ });
  t.match(await visit(page!, 'number=4242424242424242'), { status: 200, body: /was paid/ });
  t.match(await stripe.invoices.retrieve(draft.id), { status: 'paid', amount_paid: 2500 });

  const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const portal = await stripe.billingPortal.sessions.create({ customer: customer.id });
  t.match(await visit(portal.url), { status: 200, body: /Cancel subscription/ });
  t.match(await visit(portal.url, `subscription=${id}&do=cancel`), {
    status: 200,
    body: /ends on 2026-02-15/,
  });
  t.match(await stripe.subscriptions.retrieve(id), { cancel_at_period_end: true, status: 'active' });
  await visit(portal.url, `subscription=${id}&do=keep`);
  t.equal((await stripe.subscriptions.retrieve(id)).cancel_at_period_end, false);
});

t.test('[4.1] the generic tier keeps what it was told, and says no more than it knows', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const feature = await stripe.entitlements.features.create({ name: 'SSO', lookup_key: 'sso' });
  t.match(feature, { object: 'entitlements.feature', active: true, lookup_key: 'sso' });
  t.same(faultsOf(feature), []);
  const { product } = await shop(stripe);
  const attached = await stripe.products.createFeature(product.id, { entitlement_feature: feature.id });
  t.match(attached, { object: 'product_feature', entitlement_feature: { id: feature.id } });
  t.equal((await stripe.products.listFeatures(product.id)).data.length, 1);
  const other = await stripe.products.create({ name: 'Other' });
  t.equal((await stripe.products.listFeatures(other.id)).data.length, 0);
  const rate = await stripe.shippingRates.create({
    display_name: 'Ground',
    type: 'fixed_amount',
    fixed_amount: { amount: 500, currency: 'usd' },
  });
  t.match(await stripe.shippingRates.retrieve(rate.id), { fixed_amount: { amount: 500, currency: 'usd' } });
  t.match(await stripe.shippingRates.update(rate.id, { active: false }), { active: false });
  t.equal((await stripe.shippingRates.list({ active: true })).data.length, 0);
  const value = await stripe.radar.valueLists.create({ alias: 'bad', name: 'Bad' });
  await stripe.radar.valueListItems.create({ value_list: value.id, value: 'x' });
  t.equal((await stripe.radar.valueListItems.list({ value_list: value.id })).data.length, 1);
  t.match(await stripe.radar.valueLists.del(value.id), { deleted: true });
  await t.rejects(stripe.radar.valueLists.retrieve(value.id), { code: 'resource_missing', statusCode: 404 });
  await t.rejects(stripe.countrySpecs.list(), { code: 'wrld_unmodelled_operation' });
});
