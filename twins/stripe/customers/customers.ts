// Customers.
import { byWord } from '../../kit/tx.ts';
import { type Act, all, find, need, save } from '../api/act.ts';
import { EMPTY_ADDRESS, fullAddress } from '../api/address.ts';
import { invalid, missing } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  addressParam,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  required,
  text,
  unset,
} from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { type View, viewOf } from '../api/view.ts';
import { checkCoupon, customerDiscount, type DiscountAsk } from '../catalog/discounts.ts';
import { tell, update } from '../events/events.ts';
import { balanceSet } from '../invoicing/customer-balance.ts';
import { attachTo, ownedMethod, refuseUnsaveable } from '../payments/methods.ts';
import { addSource, checkSource, dropSource, needSourceOf } from '../payments/sources.ts';
import { tokenParam } from '../payments/tokens.ts';
import { cancelNow } from '../subscriptions/end.ts';
import type { Customer } from './records.ts';
import { checkTaxId, openTaxIds } from './tax-ids.ts';
import { taxLocation } from './tax-location.ts';

const writable = {
  address: unset(addressParam()),
  balance: integer(),
  /** A parameter until 2025-09-30; the discount is made all the same. */
  coupon: unset(text()),
  promotion_code: unset(text()),
  business_name: unset(text(150)),
  description: unset(text()),
  email: unset(text(512)),
  individual_name: unset(text(150)),
  invoice_prefix: text(12),
  invoice_settings: hash({
    custom_fields: unset(list(hash({ name: required(text(40)), value: required(text(140)) }))),
    default_payment_method: unset(text()),
    footer: unset(text()),
    rendering_options: unset(
      hash({
        amount_tax_display: unset(choice('exclude_tax', 'include_inclusive_tax')),
        template: text(),
      }),
    ),
  }),
  metadata: metadata(),
  name: unset(text()),
  next_invoice_sequence: integer(1),
  phone: unset(text(20)),
  preferred_locales: list(text()),
  shipping: unset(hash({ address: required(addressParam()), name: required(text()), phone: unset(text()) })),
  tax: hash({ ip_address: unset(text()), validate_location: choice('auto', 'deferred', 'immediately') }),
  tax_exempt: unset(choice('exempt', 'none', 'reverse')),
} as const;

const UNMODELLED = ['cash_balance', 'validate'];

type Written = Decoded<typeof writable>;

function withFields(held: Customer, given: Written): Customer {
  const {
    address,
    shipping,
    invoice_settings: settings,
    metadata: tags,
    coupon,
    promotion_code,
    tax,
    ...scalars
  } = given;
  const name = scalars.name;
  return {
    ...held,
    ...(scalars as Partial<Customer>),
    ...(tax?.ip_address === undefined ? {} : { $ip: tax.ip_address }),
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address: fullAddress(address) }),
    ...(shipping === undefined
      ? {}
      : {
          shipping:
            shipping === null
              ? null
              : {
                  address: fullAddress(shipping.address) ?? EMPTY_ADDRESS,
                  name: shipping.name,
                  phone: shipping.phone ?? null,
                },
        }),
    invoice_settings: {
      ...held.invoice_settings,
      ...(settings?.custom_fields === undefined
        ? {}
        : { custom_fields: settings.custom_fields === null ? null : [...settings.custom_fields] }),
      ...(settings?.default_payment_method === undefined
        ? {}
        : { default_payment_method: settings.default_payment_method }),
      ...(settings?.footer === undefined ? {} : { footer: settings.footer }),
      ...(settings?.rendering_options === undefined
        ? {}
        : {
            rendering_options:
              settings.rendering_options === null
                ? null
                : { amount_tax_display: null, template: null, ...settings.rendering_options },
          }),
    },
    metadata: mergeMetadata(held.metadata, tags),
    ...(scalars.tax_exempt === null ? { tax_exempt: 'none' as const } : {}),
    preferred_locales:
      scalars.preferred_locales === undefined
        ? (held.preferred_locales ?? [])
        : [...scalars.preferred_locales],
  };
}

function blank(act: Act): Customer {
  return {
    id: act.tx.recordId('cus_', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: act.at,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: act.tx.hex(4).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** A customer that a checkout makes; saved and told. */
export function newCustomer(
  act: Act,
  given: Pick<Customer, 'email' | 'name'> & Partial<Pick<Customer, 'address' | 'phone' | 'shipping'>>,
): Customer {
  const made = { ...blank(act), ...given };
  save(act, 'customer', made);
  tell(act, 'customer.created', 'customer', made);
  return made;
}

/** Throws for a location that would not do to find a tax by, where that is to be known at once. */
function checkLocation(asked: Written['tax'], customer: Customer): void {
  if (asked?.validate_location !== 'immediately' || taxLocation(customer) !== null) return;
  throw invalid(
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.",
    { code: 'customer_tax_location_invalid', param: 'tax[validate_location]' },
  );
}

function checkEmail(email: string | null | undefined): void {
  if (typeof email === 'string' && !/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw invalid(`Invalid email address: ${email}`, { code: 'email_invalid', param: 'email' });
  }
}

const create = operation(
  'customers.create',
  'POST /v1/customers',
  {
    ...writable,
    payment_method: text(),
    source: tokenParam(),
    tax_id_data: list(hash({ type: required(text()), value: required(text()) })),
    test_clock: text(),
  },
  ({ act, params }) => {
    const { payment_method, source, tax_id_data, test_clock, ...given } = params;
    checkEmail(given.email);
    const discount = discountAsk(act, given, null);
    if (test_clock !== undefined) need(act, 'test_helpers.test_clock', test_clock, { param: 'test_clock' });
    const customer = { ...withFields(blank(act), given), test_clock: test_clock ?? null };
    checkLocation(given.tax, customer);
    for (const [at, { type, value }] of (tax_id_data ?? []).entries())
      checkTaxId(type, value, `tax_id_data[${at}][value]`);
    const method =
      payment_method === undefined ? null : ownedMethod(act, payment_method, null, 'payment_method');
    if (method !== null) refuseUnsaveable(method);
    if (source !== undefined) checkSource(act, source);
    const chosen = given.invoice_settings?.default_payment_method;
    // The usual call names one test card twice: both names mean the method just attached.
    const default_payment_method =
      typeof chosen !== 'string'
        ? null
        : method !== null && chosen === payment_method
          ? method.id
          : ownedMethod(act, chosen, customer.id, 'invoice_settings[default_payment_method]').id;
    const whole = {
      ...customer,
      invoice_settings: { ...customer.invoice_settings, default_payment_method },
    };
    act.tx.kind('customer.created');
    const saved = discount === null ? whole : customerDiscount(act, whole, discount);
    const paying = source === undefined ? null : addSource(act, saved, source);
    const held = paying === null ? saved : { ...saved, default_source: paying.id };
    save(act, 'customer', held);
    tell(act, 'customer.created', 'customer', held);
    balanceSet(act, 0, saved);
    openTaxIds(act, saved.id, tax_id_data ?? []);
    if (method !== null) attachTo(act, method, whole.id);
    return viewOf(act, 'customer', held);
  },
  UNMODELLED,
);

/** The discount that the parameters ask for; null where they ask for none, or to end it. */
function discountAsk(act: Act, given: Written, customer: string | null): DiscountAsk | null {
  const ask =
    typeof given.promotion_code === 'string'
      ? { promotion_code: given.promotion_code }
      : typeof given.coupon === 'string'
        ? { coupon: given.coupon }
        : null;
  if (ask !== null) checkCoupon(act, ask, customer);
  return ask;
}

const retrieve = operation('customers.retrieve', 'GET /v1/customers/{customer}', {}, ({ act, path }) => {
  const id = path['customer'] ?? '';
  // A deleted customer is still answered, as deleted.
  const held = act.tx.get('customer', id);
  if (held?.['deleted'] === true) return held as View;
  return viewOf(act, 'customer', need(act, 'customer', id, { param: 'id', inPath: true }));
});

const change = operation(
  'customers.update',
  'POST /v1/customers/{customer}',
  { ...writable, default_source: text(), source: tokenParam() },
  ({ act, path, params }) => {
    const held = need(act, 'customer', path['customer'] ?? '', { param: 'id', inPath: true });
    const { default_source, source, ...given } = params;
    checkEmail(params.email);
    const chosen = params.invoice_settings?.default_payment_method;
    const discount = discountAsk(act, params, held.id);
    if (source !== undefined) checkSource(act, source);
    if (default_source !== undefined) needSourceOf(act, held.id, default_source);
    const touched = params.coupon !== undefined || params.promotion_code !== undefined;
    let next = {
      ...withFields(held, given),
      ...(default_source === undefined ? {} : { default_source }),
    };
    checkLocation(given.tax, next);
    if (typeof chosen === 'string') {
      const method = ownedMethod(act, chosen, held.id, 'invoice_settings[default_payment_method]');
      next.invoice_settings = { ...next.invoice_settings, default_payment_method: method.id };
    }
    act.tx.kind('customer.updated');
    if (touched && (discount !== null || held.discount != null)) next = customerDiscount(act, next, discount);
    balanceSet(act, held.balance, next);
    if (source !== undefined) {
      // A new source takes the old default's place; whoever wants both asks for it under the customer's sources.
      if (held.default_source !== null) dropSource(act, held.id, String(held.default_source));
      next = { ...next, default_source: addSource(act, next, source).id };
    }
    return viewOf(act, 'customer', update(act, 'customer', held, next, 'customer.updated'));
  },
  UNMODELLED,
);

const del = operation('customers.del', 'DELETE /v1/customers/{customer}', {}, ({ act, path }) => {
  const held = need(act, 'customer', path['customer'] ?? '', { param: 'id', inPath: true });
  act.tx.kind('customer.deleted');
  for (const subscription of all(
    act,
    'subscription',
    { customer: held.id },
    ({ ended_at }) => ended_at === null,
  )) {
    cancelNow(act, subscription, 'cancellation_requested');
  }
  for (const method of all(act, 'payment_method', { customer: held.id })) {
    save(act, 'payment_method', { ...method, customer: null, $detached: true });
  }
  tell(act, 'customer.deleted', 'customer', held);
  const gone = { id: held.id, object: 'customer', deleted: true } as const;
  act.tx.put('customer', held.id, gone);
  return gone;
});

const listAll = operation(
  'customers.list',
  'GET /v1/customers',
  { ...createdParams, email: text(512), test_clock: text() },
  ({ act, params }) => {
    const { email, test_clock } = params;
    const where =
      test_clock !== undefined ? { test_clock } : email !== undefined ? byWord('email', email) : undefined;
    return page(act, 'customer', params, '/v1/customers', {
      ...(where === undefined ? {} : { where }),
      // Those of a test clock are only in the list of that clock.
      keep: held =>
        (email === undefined || held.email === email) &&
        (test_clock !== undefined || held.test_clock == null),
    });
  },
);

const find_ = operation('customers.search', 'GET /v1/customers/search', searchParams, ({ act, params }) =>
  search(act, 'customer', params, '/v1/customers/search', ['created', 'email', 'metadata', 'name', 'phone']),
);

const methods = operation(
  'customers.listPaymentMethods',
  'GET /v1/customers/{customer}/payment_methods',
  { ...createdParams, type: text(), allow_redisplay: choice('always', 'limited', 'unspecified') },
  ({ act, path, params }) => {
    const customer = need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    return page(act, 'payment_method', params, `/v1/customers/${customer.id}/payment_methods`, {
      where: { customer: customer.id },
      keep: method =>
        (params.type === undefined || method.type === params.type) &&
        (params.allow_redisplay === undefined || method.allow_redisplay === params.allow_redisplay),
    });
  },
);

const method = operation(
  'customers.retrievePaymentMethod',
  'GET /v1/customers/{customer}/payment_methods/{payment_method}',
  {},
  ({ act, path }) => {
    const customer = need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    const id = path['payment_method'] ?? '';
    const held = find(act, 'payment_method', id);
    if (held?.customer !== customer.id) {
      throw missing('PaymentMethod', id, { param: 'payment_method', inPath: true });
    }
    return viewOf(act, 'payment_method', held);
  },
);

export const customerOperations = [create, retrieve, change, del, listAll, find_, methods, method];
