// Tax rates, and the tax ids of customers and of the account itself.
import type { Stripe } from 'stripe';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import type { View } from '../api/view.ts';
import { viewOf } from '../api/views.ts';
import type { TaxId, TaxRate } from '../billing/records.ts';
import { tell, update } from '../events/events.ts';
import { type Act, need, remove, save } from '../records.ts';
import { tagged } from './coupons.ts';

const create = vendor<Stripe.TaxRateCreateParams>('taxRates.create', ({ act, params }) => {
  if (params.percentage < 0 || params.percentage > 100) {
    throw invalid('The percentage must be between 0 and 100.', { param: 'percentage' });
  }
  const rate = whole<TaxRate>('tax_rate', {
    id: act.tx.id('txr_', 24),
    active: params.active ?? true,
    country: params.country ?? null,
    created: act.at,
    description: params.description ?? null,
    display_name: params.display_name,
    inclusive: params.inclusive,
    jurisdiction: params.jurisdiction ?? null,
    metadata: tagged(null, params.metadata),
    percentage: params.percentage,
    rate_type: 'percentage',
    state: params.state ?? null,
    tax_type: params.tax_type ?? null,
  });
  save(act, 'tax_rate', rate);
  tell(act, 'tax_rate.created', 'tax_rate', rate);
  return viewOf(act.tx, 'tax_rate', rate);
});

const inPath = { param: 'tax_rate', inPath: true } as const;

const retrieve = vendor<object>('taxRates.retrieve', ({ act, path }) =>
  viewOf(act.tx, 'tax_rate', need(act, 'tax_rate', path['id'] ?? '', inPath)),
);

const change = vendor<Stripe.TaxRateUpdateParams>('taxRates.update', ({ act, path, params }) => {
  const held = need(act, 'tax_rate', path['id'] ?? '', inPath);
  const { expand: _none, metadata, ...fields } = params;
  const next = { ...held, ...fields, metadata: tagged(held.metadata, metadata) } as TaxRate;
  return viewOf(act.tx, 'tax_rate', update(act, 'tax_rate', held, next, 'tax_rate.updated'));
});

const listAll = vendor<Stripe.TaxRateListParams>('taxRates.list', ({ act, params }) => {
  const { active, inclusive } = params;
  const where =
    active !== undefined
      ? { active: String(active) }
      : inclusive !== undefined
        ? { inclusive: String(inclusive) }
        : undefined;
  return page(act, 'tax_rate', params, '/v1/tax_rates', {
    ...(where === undefined ? {} : { where }),
    keep: held => inclusive === undefined || held.inclusive === inclusive,
  });
});

/** The rates that parameters name. Throws `StripeRefusal` for one that is not there. */
export function ratesOf(
  act: Act,
  ids: readonly string[] | null | undefined,
  param: string,
): readonly TaxRate[] {
  return (ids ?? []).map((id, at) => {
    const rate = need(act, 'tax_rate', id, { param: `${param}[${at}]` });
    if (!rate.active) throw invalid(`The tax rate ${id} is not active.`, { param: `${param}[${at}]` });
    return rate;
  });
}

function newTaxId(act: Act, type: string, value: string, customer: string | null): TaxId {
  const made = whole<TaxId>('tax_id', {
    id: act.tx.id('txi_', 24),
    country: /^(eu_vat|eu_oss_vat|unknown)$/.test(type) ? value.slice(0, 2) : type.slice(0, 2).toUpperCase(),
    created: act.at,
    customer,
    owner:
      customer === null
        ? { customer_account: null, type: 'self' }
        : { customer, customer_account: null, type: 'customer' },
    type: type as TaxId['type'],
    value,
    // Stripe asks the authorities; nobody is asked here.
    verification: { status: 'unavailable', verified_address: null, verified_name: null },
    $owner: customer ?? 'self',
  });
  save(act, 'tax_id', made);
  if (customer !== null) tell(act, 'customer.tax_id.created', 'tax_id', made);
  return made;
}

/** The tax ids that a new customer brings along. */
export function openTaxIds(
  act: Act,
  customer: string,
  given: readonly { readonly type: string; readonly value: string }[],
): void {
  for (const { type, value } of given) newTaxId(act, type, value, customer);
}

function customerOf(act: Act, path: { readonly [name: string]: string }): string {
  const id = path['customer'] ?? path['customerId'] ?? path['id'] ?? '';
  return need(act, 'customer', id, { param: 'customer', inPath: true }).id;
}

function needTaxId(act: Act, id: string, customer: string | null): TaxId {
  const held = need(act, 'tax_id', id, { param: 'id', inPath: true });
  if (customer !== null && held.customer !== customer) {
    throw invalid(`No such tax_id: '${id}'`, { code: 'resource_missing', param: 'id' });
  }
  return held;
}

function gone(act: Act, held: TaxId): View {
  if (held.customer !== null) tell(act, 'customer.tax_id.deleted', 'tax_id', held);
  remove(act, 'tax_id', held.id);
  return { id: held.id, object: 'tax_id', deleted: true };
}

const createTaxId = vendor<Stripe.TaxIdCreateParams>('taxIds.create', ({ act, params }) => {
  const customer = params.owner?.customer;
  if (customer !== undefined) need(act, 'customer', customer, { param: 'owner[customer]' });
  return viewOf(act.tx, 'tax_id', newTaxId(act, params.type, params.value, customer ?? null));
});

const createOfCustomer = vendor<Stripe.CustomerCreateTaxIdParams>(
  'customers.createTaxId',
  ({ act, path, params }) =>
    viewOf(act.tx, 'tax_id', newTaxId(act, params.type, params.value, customerOf(act, path))),
);

const retrieveTaxId = vendor<object>('taxIds.retrieve', ({ act, path }) =>
  viewOf(act.tx, 'tax_id', needTaxId(act, path['id'] ?? '', null)),
);

const retrieveOfCustomer = vendor<object>('customers.retrieveTaxId', ({ act, path }) =>
  viewOf(act.tx, 'tax_id', needTaxId(act, path['id'] ?? '', path['customerId'] ?? null)),
);

const delTaxId = vendor<object>('taxIds.del', ({ act, path }) =>
  gone(act, needTaxId(act, path['id'] ?? '', null)),
);

const delOfCustomer = vendor<object>('customers.deleteTaxId', ({ act, path }) =>
  gone(act, needTaxId(act, path['id'] ?? '', path['customerId'] ?? null)),
);

const listTaxIds = vendor<Stripe.TaxIdListParams>('taxIds.list', ({ act, params }) =>
  page(act, 'tax_id', params, '/v1/tax_ids', { where: { $owner: params.owner?.customer ?? 'self' } }),
);

const listOfCustomer = vendor<Stripe.PaginationParams>('customers.listTaxIds', ({ act, path, params }) => {
  const customer = customerOf(act, path);
  return page(act, 'tax_id', params, `/v1/customers/${customer}/tax_ids`, { where: { customer } });
});

export const taxOperations = [
  create,
  retrieve,
  change,
  listAll,
  createTaxId,
  createOfCustomer,
  retrieveTaxId,
  retrieveOfCustomer,
  delTaxId,
  delOfCustomer,
  listTaxIds,
  listOfCustomer,
];
