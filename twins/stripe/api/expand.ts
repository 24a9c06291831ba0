// `expand[]`: replaces ids by their objects, and puts in what Stripe leaves out unless it is asked for.

import { GENERIC_RECORDS } from '../generic/tiers.ts';
import { PAYMENT_EXPANDABLE, refundsView, sourcesView } from '../payments/expandable.ts';
import { RECORDS, type RecordName, select } from '../records.ts';
import { cannotExpand, EXPAND_LEVELS_MAX, isIncludable, tooDeep } from './expand-check.ts';
import { fieldsOf, objectFields, type VendorShape } from './vendor.ts';
import { listView, type Reader, type View } from './view.ts';
import { viewById, viewOf } from './views.ts';

/** A field is a reference to a record type, or a list that only shows when it is expanded, or neither here. */
export type Expandable =
  | { readonly ref: RecordName }
  | { readonly include: (reader: Reader, view: View) => unknown }
  | 'empty';

const INLINE_RECORDS = 10;

const ref = (type: RecordName): Expandable => ({ ref: type });

/** By object, then by path inside it. `empty`: Stripe expands it and this twin never holds one. */
const EXPANDABLE: { readonly [object: string]: { readonly [path: string]: Expandable } } = {
  customer: {
    'invoice_settings.default_payment_method': ref('payment_method'),
    default_source: 'empty',
    cash_balance: 'empty',
    sources: { include: (reader, view) => sourcesView(reader, String(view['id'])) },
    tax_ids: { include: taxIds },
    subscriptions: {
      include: (reader, view) => {
        const found = select(reader, 'subscription', {
          where: { customer: String(view['id']) },
          limit: INLINE_RECORDS,
          keep: body => body['status'] !== 'canceled' && body['status'] !== 'incomplete_expired',
        });
        const data = found.items.map(item => viewOf(reader, 'subscription', item));
        return listView(data, found.more, `/v1/customers/${view['id']}/subscriptions`);
      },
    },
  },
  ...PAYMENT_EXPANDABLE,
  product: { default_price: ref('price'), tax_code: 'empty' },
  price: {
    product: ref('product'),
    currency_options: { include: currencyOptions },
    tiers: { include: tiers },
  },
  plan: { product: ref('product'), tiers: 'empty' },
  payment_method: { customer: ref('customer') },
  payment_intent: {
    customer: ref('customer'),
    payment_method: ref('payment_method'),
    latest_charge: ref('charge'),
    application: 'empty',
    on_behalf_of: ref('account'),
    'transfer_data.destination': ref('account'),
    review: ref('review'),
    source: 'empty',
  },
  charge: {
    customer: ref('customer'),
    payment_intent: ref('payment_intent'),
    balance_transaction: ref('balance_transaction'),
    application: 'empty',
    application_fee: ref('application_fee'),
    on_behalf_of: ref('account'),
    transfer: ref('transfer'),
    'transfer_data.destination': ref('account'),
    payment_method: ref('payment_method'),
    failure_balance_transaction: 'empty',
    review: ref('review'),
    refunds: { include: (reader, view) => refundsView(reader, String(view['id'])) },
  },
  subscription: {
    customer: ref('customer'),
    default_payment_method: ref('payment_method'),
    latest_invoice: ref('invoice'),
    default_source: 'empty',
    pending_setup_intent: ref('setup_intent'),
    application: 'empty',
  },
  subscription_item: {},
  invoice: {
    customer: ref('customer'),
    default_payment_method: ref('payment_method'),
    'parent.subscription_details.subscription': ref('subscription'),
    latest_revision: ref('invoice'),
    payments: {
      include: (reader, view) => {
        const found = select(reader, 'invoice_payment', {
          where: { invoice: String(view['id']) },
          limit: INLINE_RECORDS,
        });
        const data = found.items.map(item => viewOf(reader, 'invoice_payment', item));
        return listView(data, found.more, `/v1/invoice_payments?invoice=${view['id']}`);
      },
    },
    confirmation_secret: { include: confirmationSecret },
    default_source: 'empty',
    account_tax_ids: 'empty',
    total_pretax_credit_amounts: 'empty',
  },
  line_item: {
    'pricing.price_details.price': ref('price'),
    subscription: ref('subscription'),
  },
  invoiceitem: {
    customer: ref('customer'),
    invoice: ref('invoice'),
    'pricing.price_details.price': ref('price'),
  },
  invoice_payment: {
    invoice: ref('invoice'),
    'payment.payment_intent': ref('payment_intent'),
    'payment.charge': ref('charge'),
  },
};

function taxIds(reader: Reader, view: View): View {
  const found = select(reader, 'tax_id', { where: { customer: String(view['id']) }, limit: INLINE_RECORDS });
  const data = found.items.map(item => viewOf(reader, 'tax_id', item));
  return listView(data, found.more, `/v1/customers/${view['id']}/tax_ids`);
}

function currencyOptions(_reader: Reader, view: View): View {
  return {
    [String(view['currency'])]: {
      custom_unit_amount: null,
      tax_behavior: view['tax_behavior'],
      unit_amount: view['unit_amount'],
      unit_amount_decimal: view['unit_amount_decimal'],
    },
  };
}

function tiers(reader: Reader, view: View): unknown {
  return reader.get('price', String(view['id']))?.['$tiers'] ?? undefined;
}

function confirmationSecret(reader: Reader, view: View): View | null {
  const intent = reader.get('invoice', String(view['id']))?.['$payment_intent'];
  const secret = typeof intent === 'string' ? reader.get('payment_intent', intent)?.['client_secret'] : null;
  return typeof secret === 'string' ? { client_secret: secret, type: 'payment_intent' } : null;
}

/** Throws `StripeRefusal` for a path that leads nowhere. */
export function expand(reader: Reader, view: View, paths: readonly string[]): View {
  let expanded: unknown = view;
  for (const path of paths) {
    const segments = path.split('.');
    expanded = follow(reader, expanded, segments, path, 0);
  }
  return expanded as View;
}

function follow(
  reader: Reader,
  value: unknown,
  segments: readonly string[],
  path: string,
  level: number,
): unknown {
  if (segments.length === 0 || value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map(item => follow(reader, item, segments, path, level));
  if (typeof value !== 'object') throw cannotExpand(path);
  const view = value as View;
  if (view['deleted'] === true) return view;
  if ((view['object'] === 'list' || view['object'] === 'search_result') && segments[0] === 'data') {
    return { ...view, data: follow(reader, view['data'], segments.slice(1), path, level) };
  }
  const table = EXPANDABLE[String(view['object'])] ?? {};
  for (let length = Math.min(3, segments.length); length > 0; length -= 1) {
    const field = segments.slice(0, length).join('.');
    const kind = Object.hasOwn(table, field) ? table[field] : undefined;
    if (kind === undefined) continue;
    if (level >= EXPAND_LEVELS_MAX) {
      throw tooDeep(path);
    }
    const rest = segments.slice(length);
    return setIn(view, segments.slice(0, length), held =>
      follow(reader, resolve(reader, view, kind, held), rest, path, level + 1),
    );
  }
  const declared = declaredRef(view, segments);
  if (declared !== null) {
    if (level >= EXPAND_LEVELS_MAX) throw tooDeep(path);
    return setIn(view, segments.slice(0, declared.length), held =>
      follow(
        reader,
        resolve(reader, view, { ref: declared.ref as RecordName }, held),
        segments.slice(declared.length),
        path,
        level + 1,
      ),
    );
  }
  // A hash or an inline list on the way: not expandable itself, but what is in it may be.
  const [first = '', ...rest] = segments;
  if (rest.length === 0 && isIncludable(String(view['object']), first)) return view;
  if (rest.length === 0 || !Object.hasOwn(view, first)) throw cannotExpand(path);
  return { ...view, [first]: follow(reader, view[first], rest, path, level) };
}

/** A reference to what this twin keeps no records of stays the id. */
function isStored(type: string): boolean {
  return Object.hasOwn(RECORDS, type) || Object.hasOwn(GENERIC_RECORDS, type);
}

/** The reference that the vendor declares at a path of an object, and how many segments lead to it. */
function declaredRef(view: View, segments: readonly string[]): { ref: string; length: number } | null {
  let fields = objectFields(String(view['object'])) ?? [];
  for (const [at, segment] of segments.entries()) {
    const field = fields.find(({ name }) => name === segment);
    if (field === undefined) return null;
    const shape = Array.isArray(field.shape) ? (field.shape[0] as VendorShape) : field.shape;
    if (typeof shape === 'string' && shape.startsWith('@')) return { ref: shape.slice(1), length: at + 1 };
    fields = fieldsOf(shape);
  }
  return null;
}

function resolve(reader: Reader, view: View, kind: Expandable, held: unknown): unknown {
  if (kind === 'empty') return held;
  if ('include' in kind) return held ?? kind.include(reader, view);
  if (Array.isArray(held)) return held.map(one => resolve(reader, view, kind, one));
  if (typeof held !== 'string' || !isStored(kind.ref)) return held;
  return viewById(reader, kind.ref, held) ?? held;
}

function setIn(view: View, path: readonly string[], change: (held: unknown) => unknown): View {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    const changed = change(view[first]);
    return changed === undefined ? view : { ...view, [first]: changed };
  }
  const inner = view[first];
  if (typeof inner !== 'object' || inner === null) return view;
  return { ...view, [first]: setIn(inner as View, rest, change) };
}
