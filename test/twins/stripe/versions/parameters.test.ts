// Each change by itself: the parameters that were sent before it and what they are today, and what is refused since. A
// change without a row here fails.
import t from 'tap';
import { decodeForm, type FormMap, formJson } from '../../../../twins/kit/form.ts';
import { StripeRefusal } from '../../../../twins/stripe/api/errors.ts';
import { CHANGES } from '../../../../twins/stripe/versions/changes.ts';

const PAYMENTS = 'basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices';
const PRICING = 'basil/2025-03-31/invoice-pricing-configurations';
const DISCOUNTS = 'basil/2025-03-31/deprecate-singular-coupon-promotion-code';
type Sent = readonly [log: string, operations: string, before: string, today: object];

const ANCHOR = 'endive/2026-09-30/polymorphic-billing-cycle-anchor';
const PREVIEWS = 'basil/2025-03-31/invoice-preview-api-deprecations';
const SENT: readonly Sent[] = [
  [
    ANCHOR,
    'subscriptions.resume subscriptions.update',
    'billing_cycle_anchor=now',
    { billing_cycle_anchor: { type: 'now' } },
  ],
  [
    ANCHOR,
    'invoices.createPreview invoices.listUpcomingLines invoices.retrieveUpcoming',
    'subscription_details[billing_cycle_anchor]=now',
    { subscription_details: { billing_cycle_anchor: { type: 'now' } } },
  ],
  [
    'dahlia/2026-03-25/updates-available-checkout-session-ui-modes',
    'checkout.sessions.create',
    'ui_mode=embedded',
    { ui_mode: 'embedded_page' },
  ],
  [
    'clover/2025-09-30/polymorphic-coupon',
    'promotionCodes.create',
    'coupon=HALF&code=X',
    { promotion: { coupon: 'HALF', type: 'coupon' }, code: 'X' },
  ],
  ['clover', 'subscriptions.create', 'customer=c', { customer: 'c', billing_mode: { type: 'classic' } }],
  ['clover', 'subscriptions.create', 'billing_mode[type]=flexible', { billing_mode: { type: 'flexible' } }],
  [
    PAYMENTS,
    'creditNotes.create creditNotes.listPreviewLineItems creditNotes.preview',
    'refund=re_1',
    { refunds: [{ refund: 're_1' }] },
  ],
  [
    PRICING,
    'invoiceItems.create invoiceItems.update',
    'price=p&unit_amount=5',
    { pricing: { price: 'p' }, unit_amount_decimal: '5' },
  ],
  [
    PRICING,
    'invoices.addLines invoices.updateLines',
    'lines[0][price]=p&lines[1][amount]=2',
    { lines: [{ pricing: { price: 'p' } }, { amount: '2' }] },
  ],
  [PRICING, 'invoices.updateLineItem', 'price=p', { pricing: { price: 'p' } }],
  [DISCOUNTS, 'invoices.createPreview', 'coupon=HALF', { discounts: [{ coupon: 'HALF' }] }],
  [
    DISCOUNTS,
    'subscriptionSchedules.create subscriptionSchedules.update',
    'phases[0][coupon]=HALF',
    { phases: [{ discounts: [{ coupon: 'HALF' }] }] },
  ],
  [
    PREVIEWS,
    'invoices.listUpcomingLines invoices.retrieveUpcoming',
    'customer=c&coupon=HALF&subscription=s&subscription_items[0][plan]=p&subscription_trial_end=now&subscription_details[start_date]=1',
    {
      customer: 'c',
      subscription: 's',
      discounts: [{ coupon: 'HALF' }],
      subscription_details: { start_date: '1', items: [{ price: 'p' }], trial_end: 'now' },
    },
  ],
  [
    'basil/2025-03-31/deprecate-legacy-usage-based-billing',
    'plans.create',
    'usage_type=metered&aggregate_usage=sum',
    { usage_type: 'metered' },
  ],
  [
    'basil/2025-03-31/deprecate-legacy-usage-based-billing',
    'prices.create',
    'recurring[usage_type]=metered&recurring[aggregate_usage]=sum',
    { recurring: { usage_type: 'metered' } },
  ],
  [
    'acacia',
    'billing.alerts.create',
    'filter[customer]=c&usage_threshold_config[gte]=5',
    { usage_threshold: { gte: '5', filters: [{ customer: 'c', type: 'customer' }] } },
  ],
  [
    '2024-04-10',
    'products.create products.update',
    'features[0][name]=a',
    { marketing_features: [{ name: 'a' }] },
  ],
  [
    '2024-04-10',
    'invoices.create invoices.update',
    'rendering_options[amount_tax_display]=x',
    { rendering: { amount_tax_display: 'x' } },
  ],
  [
    '2024-04-10/automatic-sync-default-paymentintents',
    'paymentIntents.create',
    '',
    { capture_method: 'automatic' },
  ],
  [
    '2024-04-10/automatic-sync-default-paymentintents',
    'paymentIntents.create',
    'capture_method=manual',
    { capture_method: 'manual' },
  ],
  [
    '2023-08-16/automatic-payment-methods',
    'paymentIntents.create setupIntents.create',
    '',
    { payment_method_types: ['card'] },
  ],
  [
    '2023-08-16/automatic-payment-methods',
    'paymentIntents.create setupIntents.create',
    'automatic_payment_methods[enabled]=true',
    { automatic_payment_methods: { enabled: 'true' } },
  ],
  [
    '2022-08-01/default-customer-creation-checkout-session',
    'checkout.sessions.create',
    'mode=payment',
    { mode: 'payment', customer_creation: 'always' },
  ],
  [
    '2022-08-01/default-customer-creation-checkout-session',
    'checkout.sessions.create',
    'mode=payment&customer=c',
    { mode: 'payment', customer: 'c' },
  ],
  [
    '2022-08-01/replaces-line-item-create-checkout-session',
    'checkout.sessions.create',
    'line_items[0][name]=T&line_items[0][images][0]=i&line_items[0][amount]=5&line_items[0][currency]=usd&line_items[0][quantity]=2',
    {
      line_items: [
        {
          quantity: '2',
          price_data: { unit_amount: '5', currency: 'usd', product_data: { name: 'T', images: ['i'] } },
        },
      ],
    },
  ],
  [
    '2022-08-01/replaces-line-item-create-checkout-session',
    'checkout.sessions.create',
    'line_items[0][price]=a&subscription_data[items][0][plan]=b&subscription_data[coupon]=HALF&shipping_rates[0]=shr_1',
    {
      line_items: [{ price: 'a' }, { price: 'b', quantity: '1' }],
      subscription_data: {},
      discounts: [{ coupon: 'HALF' }],
      shipping_options: [{ shipping_rate: 'shr_1' }],
    },
  ],
  [
    '2022-08-01/removes-include-require-value-invoices',
    'invoices.create',
    'customer=c',
    { customer: 'c', pending_invoice_items_behavior: 'include' },
  ],
  [
    '2022-08-01/removes-include-require-value-invoices',
    'invoices.create',
    'subscription=s',
    { subscription: 's' },
  ],
];

t.test('[2.2] what was sent before each change is what is sent today', t => {
  for (const [log, operations, before, today] of SENT) {
    for (const operation of operations.split(' ')) {
      const change = CHANGES.find(each => each.log === log && each.params?.[operation] !== undefined);
      const form = formOf(before);
      change?.params?.[operation]?.(form);
      t.same(formJson(form), today, `${log}: ${operation} ${before}`);
    }
  }
  const all = CHANGES.flatMap(({ log, params }) => Object.keys(params ?? {}).map(name => `${log} ${name}`));
  const here = SENT.flatMap(([log, operations]) => operations.split(' ').map(name => `${log} ${name}`));
  t.same([...new Set(here)].sort(), [...new Set(all)].sort());
  t.end();
});

type Refused = readonly [operations: string, sent: string, error: { readonly [field: string]: unknown }];

const UNKNOWN = { code: 'parameter_unknown' };
const NO_TYPES = { code: 'payment_method_types_no_longer_supported', param: 'payment_method_types' };
const REFUSED: readonly Refused[] = [
  [
    'paymentIntents.confirm paymentIntents.create paymentIntents.update setupIntents.create setupIntents.update',
    'payment_method_types[]=card',
    NO_TYPES,
  ],
  ['checkout.sessions.create', 'payment_method_types[]=card', { ...UNKNOWN, param: 'payment_method_types' }],
  ['checkout.sessions.create', 'ui_mode=custom', { param: 'ui_mode' }],
  [
    'subscriptions.resume subscriptions.update',
    'billing_cycle_anchor=now',
    { param: 'billing_cycle_anchor' },
  ],
  [
    'invoices.createPreview',
    'subscription_details[billing_cycle_anchor]=now',
    { param: 'subscription_details[billing_cycle_anchor]' },
  ],
  [
    'subscriptionSchedules.create subscriptionSchedules.update',
    'phases[0][duration]=1&phases[1][iterations]=2',
    { ...UNKNOWN, param: 'phases[1][iterations]' },
  ],
  ['promotionCodes.create', 'coupon=HALF', { ...UNKNOWN, param: 'coupon' }],
  [
    'customers.create customers.update subscriptions.create subscriptions.update',
    'promotion_code=p&coupon=HALF',
    { ...UNKNOWN, param: 'coupon', message: 'Received unknown parameters: coupon, promotion_code' },
  ],
  [
    'products.create products.update',
    'name=Shirt&attributes[]=size&caption=Soft',
    { ...UNKNOWN, param: 'attributes', message: 'Received unknown parameters: attributes, caption' },
  ],
  ['balanceTransactions.list', 'available_on[gte]=1', { ...UNKNOWN, param: 'available_on' }],
];

t.test('[2.2] what is refused since each change, and nothing else', t => {
  for (const [operations, sent, error] of REFUSED) {
    for (const operation of operations.split(' ')) {
      const checks = CHANGES.flatMap(({ gone }) => gone?.[operation] ?? []);
      const ask = (form: FormMap) => () => {
        for (const check of checks) check(form);
      };
      t.doesNotThrow(ask(formOf('customer=c&metadata[coupon]=x')), `${operation}: what it takes`);
      try {
        ask(formOf(sent))();
        t.fail(`${operation}: ${sent}`);
      } catch (thrown) {
        if (!(thrown instanceof StripeRefusal)) throw thrown;
        const { status, message, fields } = thrown;
        t.match({ status, message, ...fields }, { status: 400, ...error }, `${operation}: ${sent}`);
      }
    }
  }
  const all = CHANGES.flatMap(({ gone }) => Object.keys(gone ?? {}));
  const here = REFUSED.flatMap(([operations]) => operations.split(' '));
  t.same([...new Set(here)].sort(), [...new Set(all)].sort());
  t.end();
});

function formOf(text: string): FormMap {
  const decoded = decodeForm(text);
  if (!decoded.ok) throw new Error(decoded.why);
  return decoded.form;
}
