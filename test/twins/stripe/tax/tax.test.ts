// Tax: what is collected where the account is registered, and what is recorded of it.
import type Stripe from 'stripe';
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.1] tax is calculated where it is collected, recorded, and taken back', async t => {
  await using made = await openStripeWorld();
  const { tax, taxRates } = made.stripe;
  const asked = (country: string): Promise<Stripe.Tax.Calculation> =>
    tax.calculations.create({
      currency: 'eur',
      customer_details: { address: { country, line1: '1', postal_code: '10115' }, address_source: 'billing' },
      line_items: [
        { amount: 10_000, reference: 'A', tax_code: 'txcd_99999999' },
        { amount: 11_900, reference: 'B', tax_behavior: 'inclusive' },
      ],
      shipping_cost: { amount: 500 },
    });
  const none = await asked('DE');
  t.match(none, {
    amount_total: 22_400,
    tax_amount_exclusive: 0,
    tax_breakdown: [{ taxability_reason: 'not_collecting' }, { taxability_reason: 'not_collecting' }],
  });
  t.same(faultsOf(none), []);
  await tax.registrations.create({
    country: 'DE',
    country_options: { de: { type: 'standard', standard: { place_of_supply_scheme: 'standard' } } },
    active_from: Math.floor(Date.parse('2026-01-01') / 1000),
  });
  await t.rejects(asked('DE'), { code: 'wrld_unmodelled_tax_rate' }, 'it knows no rates by itself');
  await taxRates.create({ display_name: 'VAT', percentage: 19, inclusive: false, country: 'DE' });
  const held = await asked('DE');
  t.match(held, { amount_total: 24_395, tax_amount_exclusive: 1_995, tax_amount_inclusive: 1_900 });
  for (const override of ['customer_exempt', 'reverse_charge'] as const) {
    const free = await tax.calculations.create({
      currency: 'eur',
      customer_details: {
        address: { country: 'DE' },
        address_source: 'billing',
        taxability_override: override,
      },
      line_items: [{ amount: 10_000, reference: 'A' }],
    });
    t.match(free, { amount_total: 10_000, tax_breakdown: [{ amount: 0, taxability_reason: override }] });
  }
  const { data } = await tax.calculations.listLineItems(held.id ?? '');
  t.same(
    data.map(({ amount_tax, reference }) => [reference, amount_tax]),
    [
      ['A', 1_900],
      ['B', 1_900],
    ],
  );
  t.same((await tax.calculations.retrieve(held.id ?? '')).tax_breakdown, held.tax_breakdown);

  const sold = await tax.transactions.createFromCalculation({
    calculation: held.id ?? '',
    reference: 'order-1',
    expand: ['line_items'],
  });
  t.match(sold, { type: 'transaction', reference: 'order-1', shipping_cost: { amount_tax: 95 } });
  t.same(faultsOf(sold), []);
  await t.rejects(
    tax.transactions.createFromCalculation({ calculation: held.id ?? '', reference: 'order-1' }),
    { code: 'resource_already_exists' },
  );
  const part = await tax.transactions.createReversal({
    mode: 'partial',
    original_transaction: sold.id,
    reference: 'refund-1',
    flat_amount: -11_900,
    expand: ['line_items'],
  });
  t.match(part, { type: 'reversal', reversal: { original_transaction: sold.id } });
  t.equal(
    part.line_items?.data.reduce((sum, line) => sum + line.amount + line.amount_tax, 0),
    -11_900,
  );
  const whole = await tax.transactions.createReversal({
    mode: 'full',
    original_transaction: sold.id,
    reference: 'refund-2',
  });
  t.match(await tax.transactions.retrieve(whole.id), { shipping_cost: { amount: -500 } });
  t.equal((await tax.transactions.listLineItems(whole.id, { limit: 1 })).has_more, true);
});

t.test('[4.1] the account’s settings for tax are pending until it has a head office', async t => {
  await using made = await openStripeWorld();
  const { settings } = made.stripe.tax;
  t.match(await settings.retrieve(), { status: 'pending', status_details: { pending: {} } });
  const set = await settings.update({
    defaults: { tax_behavior: 'inclusive' },
    head_office: { address: { country: 'DE' } },
  });
  t.match(set, { status: 'active', defaults: { tax_behavior: 'inclusive' } });
  t.same(faultsOf(await settings.retrieve()), []);
  t.equal((await made.events('tax.settings.updated')).length, 1);
});
