// Tax ids of customers, and of the account itself.
import type { Stripe } from 'stripe';
import { type Act, need, remove, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor, whole } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import type { TaxId } from './records.ts';

/** What numbers of the commonest kinds look like; of the others everything is taken. */
const LOOKS: { readonly [type: string]: RegExp } = {
  au_abn: /^\d{11}$/,
  ch_vat: /^CHE\d{9}(MWST|TVA|IVA)?$/,
  eu_vat:
    /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[A-Z0-9+*]{2,12}$/,
  gb_vat: /^(GB|XI)(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/,
  us_ein: /^\d{9}$/,
};

/** Numbers of Stripe's documentation, of those that authorities are asked about: what they are said to have answered. */
const ANSWERED: { readonly [value: string]: NonNullable<TaxId['verification']>['status'] } = {
  '000000000': 'verified',
  '111111111': 'unverified',
  '222222222': 'pending',
};
const ASKED_ABOUT = ['eu_vat', 'au_abn'];

/** Undefined for a number that nothing is said of. */
const answered = (type: string, value: string) => (ASKED_ABOUT.includes(type) ? ANSWERED[value] : undefined);

/** Throws for a number that cannot be one of its kind, however it is spaced. */
export function checkTaxId(type: string, value: string, param: string): void {
  const looks = LOOKS[type];
  if (looks === undefined || answered(type, value) !== undefined) return;
  if (looks.test(value.toUpperCase().replaceAll(/[\s.-]/g, ''))) return;
  throw invalid(`Invalid value for ${type}.`, { code: 'tax_id_invalid', param });
}

function newTaxId(act: Act, type: string, value: string, customer: string | null): TaxId {
  const made = whole<TaxId>('tax_id', {
    id: act.tx.id('txi_', 24),
    country: countryOf(type, value),
    created: act.at,
    customer,
    owner:
      customer === null
        ? { customer_account: null, type: 'self' }
        : { customer, customer_account: null, type: 'customer' },
    type: type as TaxId['type'],
    value,
    // Stripe asks the authorities; nobody is asked here.
    verification: {
      status: answered(type, value) ?? 'unavailable',
      verified_address: null,
      verified_name: null,
    },
    $owner: customer ?? 'self',
  });
  save(act, 'tax_id', made);
  if (customer !== null) tell(act, 'customer.tax_id.created', 'tax_id', made);
  return made;
}

function countryOf(type: string, value: string): string | null {
  if (!/^(eu_vat|eu_oss_vat|unknown)$/.test(type)) return type.slice(0, 2).toUpperCase();
  return /^[A-Z]{2}/i.test(value) ? value.slice(0, 2).toUpperCase() : null;
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
    throw missing('tax_id', id, { param: 'id', inPath: true });
  }
  return held;
}

function gone(act: Act, held: TaxId): View {
  if (held.customer !== null) tell(act, 'customer.tax_id.deleted', 'tax_id', held);
  remove(act, 'tax_id', held.id);
  return { id: held.id, object: 'tax_id', deleted: true };
}

const create = vendor<Stripe.TaxIdCreateParams>('taxIds.create', ({ act, params }) => {
  const customer = params.owner?.customer;
  checkTaxId(params.type, params.value, 'value');
  if (customer !== undefined) need(act, 'customer', customer, { param: 'owner[customer]' });
  return viewOf(act, 'tax_id', newTaxId(act, params.type, params.value, customer ?? null));
});

const createOfCustomer = vendor<Stripe.CustomerCreateTaxIdParams>(
  'customers.createTaxId',
  ({ act, path, params }) => {
    const customer = customerOf(act, path);
    checkTaxId(params.type, params.value, 'value');
    return viewOf(act, 'tax_id', newTaxId(act, params.type, params.value, customer));
  },
);

const retrieve = vendor<object>('taxIds.retrieve', ({ act, path }) =>
  viewOf(act, 'tax_id', needTaxId(act, path['id'] ?? '', null)),
);

const retrieveOfCustomer = vendor<object>('customers.retrieveTaxId', ({ act, path }) =>
  viewOf(act, 'tax_id', needTaxId(act, path['id'] ?? '', path['customerId'] ?? null)),
);

const del = vendor<object>('taxIds.del', ({ act, path }) =>
  gone(act, needTaxId(act, path['id'] ?? '', null)),
);

const delOfCustomer = vendor<object>('customers.deleteTaxId', ({ act, path }) =>
  gone(act, needTaxId(act, path['id'] ?? '', path['customerId'] ?? null)),
);

const listAll = vendor<Stripe.TaxIdListParams>('taxIds.list', ({ act, params }) =>
  page(act, 'tax_id', params, '/v1/tax_ids', { where: { $owner: params.owner?.customer ?? 'self' } }),
);

const listOfCustomer = vendor<Stripe.PaginationParams>('customers.listTaxIds', ({ act, path, params }) => {
  const customer = customerOf(act, path);
  return page(act, 'tax_id', params, `/v1/customers/${customer}/tax_ids`, { where: { customer } });
});

export const taxIdOperations = [
  create,
  createOfCustomer,
  retrieve,
  retrieveOfCustomer,
  del,
  delOfCustomer,
  listAll,
  listOfCustomer,
];
