// What the versions with a date alone changed, and acacia's first.
import type { FormMap } from '../../kit/form.ts';
import { countedUnder, countedView, type View, viewById, viewsUnder } from '../api/view.ts';
import type { Product } from '../catalog/records.ts';
import type { PaymentIntent } from '../payments/records.ts';
import type { Before, Change, Turning } from './change.ts';
import { each, move, nodeAt, preset, put, take } from './form.ts';
import { unknown } from './gone.ts';

type Hash = { readonly [field: string]: unknown };

/** A threshold and its first filter were beside each other. */
const alert: Before = view => {
  const threshold = view['usage_threshold'];
  const { filters, ...config } = (threshold ?? {}) as Hash;
  view['filter'] = ((filters ?? []) as readonly Hash[])[0] ?? null;
  view['usage_threshold_config'] = threshold === null ? null : config;
};

const alertParams = (form: FormMap): void => {
  move(form, 'usage_threshold_config', 'usage_threshold');
  const filter = take(form, 'filter');
  if (!(filter instanceof Map)) return;
  put(form, 'usage_threshold[filters][0]', filter.set('type', filter.get('type') ?? 'customer'));
};

const portalPause: Before = view => {
  const { subscription_update: update, ...others } = view['features'] as Hash;
  view['features'] = {
    ...others,
    subscription_pause: { enabled: false },
    subscription_update: { products: null, ...(update as Hash) },
  };
};

/** Where neither was said it was a card. */
const cardAlone = (form: FormMap): void => {
  const said = ['allowed_payment_method_types', 'automatic_payment_methods', 'payment_method_types'];
  if (!said.some(name => form.has(name))) put(form, 'payment_method_types[0]', 'card');
};

const disputed: Before = (view, { tx }) => {
  const { id, disputed: is, transfer_data } = view;
  view['destination'] = (transfer_data as Hash | null)?.['destination'] ?? null;
  const first = { where: { charge: String(id) }, limit: 1 };
  view['dispute'] = is === true ? (tx.list('dispute', first).items[0]?.id ?? null) : null;
};

const charges: Before = (view, by) => {
  const { id } = view;
  const { data, more } = chargesOf(view, by);
  view['charges'] = countedView(data, more, `/v1/charges?payment_intent=${id}`);
};

/** Most have one, which they name, or none, and need no list for that. */
function chargesOf(view: View, by: Turning): ReturnType<typeof viewsUnder> {
  const { id, latest_charge: latest } = view;
  if (latest === null) return { data: [], more: false };
  const isAlone = by.kept<PaymentIntent>('payment_intent', view)?.$charges === 1;
  const alone = isAlone ? viewById(by, 'charge', String(latest)) : undefined;
  return alone === undefined
    ? viewsUnder(by, 'charge', { payment_intent: String(id) })
    : { data: [alone], more: false };
}

const refunds: Before = (view, by) => {
  const { id } = view;
  view['refunds'] = countedUnder(by, 'refund', { charge: String(id) }, `/v1/charges/${id}/refunds`);
};

const PRICE_DATA = ['name', 'description', 'images'] as const;

/** An item named what is sold in itself; a subscription's plans and coupon had a place of their own. */
const sessionParams = (form: FormMap): void => {
  for (const line of each(form, 'line_items')) {
    if (!line.has('amount') && !line.has('name')) continue;
    move(line, 'amount', 'price_data[unit_amount]');
    move(line, 'currency', 'price_data[currency]');
    for (const name of PRICE_DATA) move(line, name, `price_data[product_data][${name}]`);
  }
  const lines = each(form, 'line_items').length;
  for (const [at, item] of each(form, 'subscription_data[items]').entries()) {
    move(item, 'plan', 'price');
    preset(item, 'quantity', '1');
    put(form, `line_items[${lines + at}]`, item);
  }
  take(form, 'subscription_data[items]');
  move(form, 'subscription_data[coupon]', 'discounts[0][coupon]');
  const rates = take(form, 'shipping_rates');
  if (rates instanceof Map) {
    for (const [at, rate] of rates) put(form, `shipping_options[${at}][shipping_rate]`, rate);
  }
};

/** A session for a payment made a customer unless it was told not to. */
const customerAlways = (form: FormMap): void => {
  const mode = nodeAt(form, 'mode') ?? 'payment';
  if (mode === 'payment' && !form.has('customer')) preset(form, 'customer_creation', 'always');
};

const pendingIncluded = (form: FormMap): void => {
  const asked = nodeAt(form, 'pending_invoice_items_behavior');
  if (asked === undefined ? !form.has('subscription') : asked === 'include_and_require')
    put(form, 'pending_invoice_items_behavior', 'include');
};

const session: Before = view => {
  view['shipping'] = view['shipping_details'] ?? null;
  view['shipping_rate'] = (view['shipping_cost'] as Hash | null | undefined)?.['shipping_rate'] ?? null;
};

const renderingOptions: Before = view => {
  const rendering = view['rendering'] as Hash | null | undefined;
  view['rendering_options'] =
    rendering == null ? null : { amount_tax_display: rendering['amount_tax_display'] ?? null };
};

export const BEFORE_BASIL: readonly Change[] = [
  {
    since: '2024-09-30.acacia',
    log: 'acacia',
    before: { 'billing.alert': alert },
    params: { 'billing.alerts.create': alertParams },
  },
  {
    since: '2024-04-10',
    log: '2024-04-10',
    before: {
      product: view => {
        view['features'] = view['marketing_features'] ?? [];
      },
    },
    params: {
      'products.create': form => move(form, 'features', 'marketing_features'),
      'products.update': form => move(form, 'features', 'marketing_features'),
    },
  },
  {
    since: '2024-04-10',
    log: '2024-04-10',
    before: {
      'billing_portal.configuration': portalPause,
      invoice: renderingOptions,
    },
    params: {
      'invoices.create': form => move(form, 'rendering_options', 'rendering'),
      'invoices.update': form => move(form, 'rendering_options', 'rendering'),
    },
  },
  {
    since: '2024-04-10',
    log: '2024-04-10/automatic-sync-default-paymentintents',
    params: { 'paymentIntents.create': form => preset(form, 'capture_method', 'automatic') },
  },
  {
    since: '2023-08-16',
    log: '2023-08-16/automatic-payment-methods',
    params: { 'paymentIntents.create': cardAlone, 'setupIntents.create': cardAlone },
  },
  {
    since: '2023-08-16',
    log: '2023-08-16',
    before: {
      charge: disputed,
      product: view => {
        view['attributes'] = [];
      },
    },
    fields: { charge: { destination: '@account', dispute: '@dispute' } },
  },
  {
    since: '2022-11-15',
    log: '2022-11-15/removes-charges-attribute-paymentintent',
    before: { payment_intent: charges },
    fields: { payment_intent: { 'charges?': '+charge' } },
  },
  {
    since: '2022-11-15',
    log: '2022-11-15/deprecates-charges-auto-expand',
    before: { charge: refunds },
  },
  {
    since: '2022-08-01',
    log: '2022-08-01/default-customer-creation-checkout-session',
    params: { 'checkout.sessions.create': customerAlways },
  },
  {
    since: '2022-08-01',
    log: '2022-08-01/replaces-line-item-create-checkout-session',
    before: { 'checkout.session': session },
    fields: { 'checkout.session': { shipping_rate: '@shipping_rate' } },
    params: { 'checkout.sessions.create': sessionParams },
  },
  {
    since: '2022-08-01',
    log: '2022-08-01/removes-include-require-value-invoices',
    params: { 'invoices.create': pendingIncluded },
  },
  {
    // Orders were an API of their own, and products were made for them.
    since: '2022-08-01',
    log: '2022-08-01',
    before: {
      charge: view => {
        view['order'] = null;
      },
      product: (view, by) => {
        const held = by.kept<Product>('product', view);
        view['attributes'] = held?.$attributes ?? [];
        view['caption'] = held?.$caption ?? null;
        view['deactivate_on'] = held?.$deactivate_on ?? [];
      },
    },
    gone: {
      'balanceTransactions.list': unknown('available_on'),
      'products.create': unknown('attributes', 'caption', 'deactivate_on'),
      'products.update': unknown('attributes', 'caption', 'deactivate_on'),
    },
  },
];
