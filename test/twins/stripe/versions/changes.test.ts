// Each change by itself: today's object, and what it was before. A change without a row here fails.
import t from 'tap';
import type { RecordBody } from '../../../../twins/kit/tx.ts';
import { type View, viewById } from '../../../../twins/stripe/api/view.ts';
import { RECORDS, type RecordName } from '../../../../twins/stripe/records.ts';
import type { Turning } from '../../../../twins/stripe/versions/change.ts';
import { CHANGES } from '../../../../twins/stripe/versions/changes.ts';

const STORED: { readonly [type: string]: readonly RecordBody[] } = {
  charge: [{ id: 'ch_1', object: 'charge', payment_intent: 'pi_1' }],
  coupon: [{ id: 'HALF', object: 'coupon', percent_off: 50, redeem_by: null, max_redemptions: null }],
  discount: [{ id: 'di_1', object: 'discount', $coupon: 'HALF', source: { coupon: 'HALF', type: 'coupon' } }],
  dispute: [{ id: 'dp_1', object: 'dispute', charge: 'ch_1' }],
  invoice: [{ id: 'in_1', object: 'invoice', $payment_intent: 'pi_1' }],
  line_item: [{ id: 'il_1', object: 'line_item', $tax_rates: ['txr_1'] }],
  payment_intent: [
    {
      id: 'pi_1',
      object: 'payment_intent',
      $invoice: 'in_1',
      latest_charge: 'ch_1',
      application_fee_amount: 5,
    },
  ],
  price: [
    { id: 'price_1', object: 'price', recurring: { interval: 'month', interval_count: 1 }, unit_amount: 700 },
    { id: 'price_2', object: 'price', recurring: null, unit_amount: 300 },
  ],
  product: [{ id: 'prod_1', object: 'product', $attributes: ['size'], $caption: 'Soft' }],
  refund: [{ id: 're_1', object: 'refund', charge: 'ch_1' }],
  tax_rate: [{ id: 'txr_1', object: 'tax_rate', percentage: 10 }],
};

function recordOf(type: string, id: string): RecordBody | undefined {
  return STORED[type]?.find(record => record.id === id);
}

/** Reads those and nothing else. */
const BY: Turning = {
  records: RECORDS,
  tx: {
    now: 0,
    get: recordOf,
    list: (type: string, { where = {} }: { where?: { [field: string]: string } }) => ({
      items: (STORED[type] ?? []).filter(record =>
        Object.entries(where).every(([field, value]) => record[field] === value),
      ),
      more: false,
    }),
  },
  kept: (type: string, { id }: View) => recordOf(type, String(id)),
  record: recordOf,
  found: (type: RecordName, id: unknown) => viewById(BY, type, String(id)) ?? null,
} as unknown as Turning;

type Shown = readonly [log: string, object: string, today: View, before: View];

const TAX = {
  amount: 10,
  tax_behavior: 'inclusive',
  tax_rate_details: { tax_rate: 'txr_1' },
  taxability_reason: 'standard_rated',
  taxable_amount: 100,
};
const TAX_BEFORE = {
  amount: 10,
  inclusive: true,
  tax_rate: 'txr_1',
  taxability_reason: 'standard_rated',
  taxable_amount: 100,
};
const PARENT = 'basil/2025-03-31/adds-new-parent-field-to-invoicing-objects';
const PAYMENTS = 'basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices';
const PRICING = 'basil/2025-03-31/invoice-pricing-configurations';
const TAXES = 'basil/2025-03-31/invoice-tax-configurations';
const DISCOUNTS = 'basil/2025-03-31/deprecate-singular-coupon-promotion-code';
const HALF = { id: 'HALF', percent_off: 50, valid: true };

const SHOWN: readonly Shown[] = [
  [
    'dahlia/2026-03-25/updates-available-checkout-session-ui-modes',
    'checkout.session',
    { ui_mode: 'elements' },
    { ui_mode: 'custom' },
  ],
  [
    'clover/2025-09-30/polymorphic-coupon',
    'promotion_code',
    { promotion: { coupon: 'HALF' } },
    { coupon: HALF },
  ],
  [
    'clover/2025-09-30/add-discount-source-property',
    'discount',
    { source: { coupon: 'HALF' } },
    { coupon: HALF },
  ],
  [
    PARENT,
    'invoice',
    { parent: { subscription_details: { metadata: { a: '1' }, subscription: 'sub_1' } } },
    { quote: null, subscription: 'sub_1', subscription_details: { metadata: { a: '1' } } },
  ],
  [PARENT, 'invoice', { parent: null }, { subscription: null, subscription_details: { metadata: null } }],
  [
    PARENT,
    'line_item',
    {
      parent: {
        subscription_item_details: { invoice_item: null, proration: false, subscription_item: 'si_1' },
      },
    },
    {
      type: 'subscription',
      proration: false,
      subscription_item: 'si_1',
      proration_details: { credited_items: null },
    },
  ],
  [
    PARENT,
    'line_item',
    {
      parent: {
        subscription_item_details: { invoice_item: 'ii_1', proration: true, subscription_item: 'si_1' },
      },
    },
    { type: 'invoiceitem', proration: true, subscription_item: 'si_1', invoice_item: 'ii_1' },
  ],
  [
    PARENT,
    'invoiceitem',
    { parent: { subscription_details: { subscription: 'sub_1' } } },
    { subscription: 'sub_1' },
  ],
  [PAYMENTS, 'charge', { payment_intent: 'pi_1' }, { invoice: 'in_1' }],
  [PAYMENTS, 'payment_intent', { id: 'pi_1' }, { invoice: 'in_1' }],
  [PAYMENTS, 'credit_note', { refunds: [{ refund: 're_1' }] }, { refund: 're_1' }],
  [
    PAYMENTS,
    'invoice',
    { id: 'in_1', status: 'paid', amount_paid_off_stripe: 0 },
    {
      paid: true,
      paid_out_of_band: false,
      payment_intent: 'pi_1',
      charge: 'ch_1',
      application_fee_amount: 5,
    },
  ],
  [
    PAYMENTS,
    'invoice',
    { id: 'in_2', status: 'paid', amount_paid_off_stripe: 100 },
    { paid: true, paid_out_of_band: true, payment_intent: null, charge: null },
  ],
  [
    PRICING,
    'line_item',
    { pricing: { price_details: { price: 'price_1' } } },
    { price: { id: 'price_1' }, plan: { object: 'plan', id: 'price_1', amount: 700 } },
  ],
  [
    PRICING,
    'line_item',
    { pricing: { price_details: { price: 'price_2' } } },
    { price: { id: 'price_2' }, plan: null },
  ],
  [
    PRICING,
    'invoiceitem',
    { amount: 900, quantity: 3, pricing: null },
    { price: null, plan: null, unit_amount: 300, unit_amount_decimal: '300' },
  ],
  [
    PRICING,
    'invoiceitem',
    { amount: 1, quantity: 2, pricing: { unit_amount_decimal: '0.5', price_details: { price: 'price_2' } } },
    { price: { id: 'price_2' }, unit_amount: null, unit_amount_decimal: '0.5' },
  ],
  [TAXES, 'invoice', { total_taxes: [TAX, TAX] }, { tax: 20, total_tax_amounts: [TAX_BEFORE, TAX_BEFORE] }],
  [TAXES, 'invoice', { total_taxes: [] }, { tax: null, total_tax_amounts: [] }],
  [TAXES, 'credit_note', { total_taxes: [TAX] }, { tax_amounts: [TAX_BEFORE] }],
  [
    TAXES,
    'line_item',
    { id: 'il_1', amount: 110, quantity: 2, taxes: [TAX] },
    {
      amount_excluding_tax: 100,
      unit_amount_excluding_tax: '50',
      tax_amounts: [TAX_BEFORE],
      tax_rates: [{ id: 'txr_1', percentage: 10 }],
    },
  ],
  [TAXES, 'credit_note_line_item', { amount: 110, quantity: 1, taxes: [TAX] }, { amount_excluding_tax: 100 }],
  [
    'basil/2025-03-31/deprecate-subscription-current-period-start-and-end',
    'subscription',
    { items: { data: [{ current_period_end: 2, current_period_start: 1 }] } },
    { current_period_end: 2, current_period_start: 1 },
  ],
  [DISCOUNTS, 'subscription', { discounts: ['di_1'] }, { discount: { id: 'di_1' } }],
  [DISCOUNTS, 'invoice', { discounts: [] }, { discount: null }],
  [
    DISCOUNTS,
    'subscription_schedule',
    { phases: [{ discounts: [{ coupon: null, discount: 'di_1' }] }, { discounts: [] }] },
    { phases: [{ coupon: 'HALF' }, { coupon: null }] },
  ],
  [
    'basil',
    'checkout.session',
    { collected_information: { shipping_details: { name: 'Ada' } } },
    { shipping_details: { name: 'Ada' } },
  ],
  ['basil/2025-03-31/deprecate-legacy-usage-based-billing', 'plan', {}, { aggregate_usage: null }],
  [
    'basil/2025-03-31/deprecate-legacy-usage-based-billing',
    'price',
    { recurring: { interval: 'month' } },
    { recurring: { interval: 'month', aggregate_usage: null } },
  ],
  [
    'acacia',
    'billing.alert',
    { usage_threshold: { filters: [{ customer: 'cus_1' }], gte: 5 } },
    { filter: { customer: 'cus_1' }, usage_threshold_config: { gte: 5 } },
  ],
  ['2024-04-10', 'product', { marketing_features: [{ name: 'a' }] }, { features: [{ name: 'a' }] }],
  [
    '2024-04-10',
    'billing_portal.configuration',
    { features: { a: 1, subscription_update: { enabled: true } } },
    {
      features: {
        a: 1,
        subscription_pause: { enabled: false },
        subscription_update: { enabled: true, products: null },
      },
    },
  ],
  ['2024-04-10', 'invoice', { rendering: null }, { rendering_options: null }],
  [
    '2024-04-10',
    'invoice',
    { rendering: { amount_tax_display: 'x' } },
    { rendering_options: { amount_tax_display: 'x' } },
  ],
  [
    '2023-08-16',
    'charge',
    { id: 'ch_1', disputed: true, transfer_data: null },
    { dispute: 'dp_1', destination: null },
  ],
  [
    '2023-08-16',
    'charge',
    { id: 'ch_1', disputed: false, transfer_data: { destination: 'acct_1' } },
    { dispute: null, destination: 'acct_1' },
  ],
  ['2023-08-16', 'product', {}, { attributes: [] }],
  ['2022-08-01', 'charge', {}, { order: null }],
  ['2022-08-01', 'product', { id: 'prod_1' }, { attributes: ['size'], caption: 'Soft', deactivate_on: [] }],
  [
    '2022-11-15/removes-charges-attribute-paymentintent',
    'payment_intent',
    { id: 'pi_1', latest_charge: null },
    { charges: { object: 'list', data: [], total_count: 0 } },
  ],
  [
    '2022-11-15/removes-charges-attribute-paymentintent',
    'payment_intent',
    { id: 'pi_1', latest_charge: 'ch_1' },
    { charges: { object: 'list', data: [{ id: 'ch_1' }], has_more: false, total_count: 1 } },
  ],
  [
    '2022-11-15/deprecates-charges-auto-expand',
    'charge',
    { id: 'ch_1' },
    { refunds: { object: 'list', data: [{ id: 're_1' }], url: '/v1/charges/ch_1/refunds' } },
  ],
  [
    '2022-08-01/replaces-line-item-create-checkout-session',
    'checkout.session',
    { shipping_details: { name: 'Ada' }, shipping_cost: { shipping_rate: 'shr_1' } },
    { shipping: { name: 'Ada' }, shipping_rate: 'shr_1' },
  ],
];

t.test('[2.2] what an object showed before each change', t => {
  for (const [log, object, today, before] of SHOWN) {
    const change = CHANGES.find(each => each.log === log && each.before?.[object] !== undefined);
    const held = structuredClone(today);
    const shown = { ...today };
    change?.before?.[object]?.(shown, BY);
    const written = Object.entries(shown).filter(([name, value]) => value !== today[name]);
    t.match(Object.fromEntries(written), before, `${log}: ${object}`);
    t.same(today, held, 'and what is in today’s stays as it is');
  }
  const all = CHANGES.flatMap(({ log, before }) =>
    Object.keys(before ?? {}).map(object => `${log} ${object}`),
  );
  t.same([...new Set(SHOWN.map(([log, object]) => `${log} ${object}`))].sort(), [...new Set(all)].sort());
  t.end();
});
