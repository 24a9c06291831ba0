// What is billed by use: meters, their events, and the credit that pays for it.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { callsMeter, openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] meters add up what was used', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer } = await shop(stripe);
  const meter = await callsMeter(stripe);
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
  const price = await stripe.prices.create({
    ...{ currency: 'usd', unit_amount: 100, product_data: { name: 'Licence' } },
    recurring: { interval: 'month' },
  });
  await stripe.billing.creditGrants.create({
    customer: customer.id,
    amount: { type: 'monetary', monetary: { currency: 'usd', value: 50 } },
    applicability_config: { scope: { prices: [{ id: price.id }] } },
    category: 'promotional',
  });
  t.equal(await left(), 900, 'what one price alone is granted is no metered one’s');
  t.ok((await stripe.billing.creditGrants.voidGrant(grant.id)).voided_at);
  t.equal(await left(), 0);
  await t.rejects(stripe.billing.creditGrants.expire(grant.id), {
    message: /already expired or been voided/,
  });
  const moved = await stripe.billing.creditBalanceTransactions.list({ customer: customer.id });
  t.same(
    moved.data.map(({ type }) => type),
    ['debit', 'credit', 'credit'],
  );
});

t.test('[4.1] credit grants pay for use, in their order, and come back from a void invoice', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const { customer, product } = await shop(stripe);
  const meter = await callsMeter(stripe);
  const metered = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 100,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
  });
  const grantOf = (value: number, more: Partial<Stripe.Billing.CreditGrantCreateParams> = {}) =>
    stripe.billing.creditGrants.create({
      customer: customer.id,
      amount: { type: 'monetary', monetary: { currency: 'usd', value } },
      applicability_config: { scope: { price_type: 'metered' } },
      category: 'paid',
      ...more,
    });
  const paid = await grantOf(1000);
  const gift = await grantOf(300, { category: 'promotional' });
  const soon = await grantOf(200, { expires_at: Date.parse('2026-01-20T00:00:00Z') / 1000 });
  const { id } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: metered.id }],
    collection_method: 'send_invoice',
    days_until_due: 10,
  });
  await made.advance('6d');
  await stripe.billing.meterEvents.create({
    event_name: 'calls',
    payload: { stripe_customer_id: customer.id, value: '5' },
  });
  const moved = async (grant: { id: string }) =>
    (
      await stripe.billing.creditBalanceTransactions.list({ credit_grant: grant.id, customer: customer.id })
    ).data.map(({ credit, debit }) => [
      credit?.type ?? debit?.type,
      (credit ?? debit)?.amount.monetary?.value,
    ]);
  t.same(await moved(soon), [
    ['credits_expired', 200],
    ['credits_granted', 200],
  ]);
  t.match(await stripe.invoices.createPreview({ subscription: id }), {
    subtotal: 500,
    total: 0,
    lines: { data: [{ quantity: 5 }] },
  });
  await made.advance('26d');
  const [bill] = (await stripe.invoices.list({ subscription: id })).data;
  t.match(bill, { status: 'paid', subtotal: 500, total: 0, amount_due: 0 });
  t.same(faultsOf(bill!), []);
  t.same(
    bill!.total_pretax_credit_amounts?.map(({ amount, type }) => [amount, type]),
    [
      [300, 'credit_balance_transaction'],
      [200, 'credit_balance_transaction'],
    ],
  );
  t.same((await moved(gift))[0], ['credits_applied', 300]);
  t.same((await moved(paid))[0], ['credits_applied', 200]);
  await stripe.billing.meterEvents.create({
    event_name: 'calls',
    payload: { stripe_customer_id: customer.id, value: '20' },
  });
  await made.advance('31d');
  const [second] = (await stripe.invoices.list({ subscription: id })).data;
  t.match(second, { status: 'open', subtotal: 2000, total: 1200 });
  await stripe.invoices.voidInvoice(second!.id);
  t.same((await moved(paid))[0], ['credits_application_invoice_voided', 800]);
});

t.test(
  '[4.1] an alert is told once for a customer whose use reaches it; previews count use as of now',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const { customer, product } = await shop(stripe);
    const meter = await callsMeter(stripe);
    const tiered = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      tiers: [
        { up_to: 10, unit_amount: 5 },
        { up_to: 'inf', unit_amount: 2 },
      ],
      recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    });
    const alert = await stripe.billing.alerts.create({
      alert_type: 'usage_threshold',
      title: 'Much',
      usage_threshold: { gte: 12, meter: meter.id, recurrence: 'one_time' },
    });
    t.same(faultsOf(alert), []);
    const { id } = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: tiered.id }],
    });
    const use = (value: string) =>
      stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer.id, value },
      });
    await made.advance('1d');
    await use('10');
    t.equal((await made.events('billing.alert.triggered')).length, 0);
    await use('5');
    await use('1');
    const [event, ...more] = await made.events('billing.alert.triggered');
    t.same(more, []);
    t.match(event?.data.object, { alert: { id: alert.id }, customer: customer.id, value: 15 });
    t.match(await stripe.invoices.createPreview({ subscription: id }), {
      total: 10 * 5 + 6 * 2,
      lines: { data: [{ quantity: 16 }] },
    });
    t.match(await stripe.billing.alerts.archive(alert.id), { status: 'archived' });
    await t.rejects(stripe.billing.alerts.activate(alert.id), { message: /archived/ });
    t.equal((await stripe.billing.alerts.list({ meter: meter.id })).data.length, 1);
    await made.advance('31d');
    t.match((await stripe.invoices.list({ subscription: id })).data[0], { total: 62, status: 'paid' });
  },
);
