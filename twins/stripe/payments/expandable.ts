// What of the payments side's objects can be expanded.

import type { Expandable } from '../api/expand.ts';
import { listView, type Reader, type View } from '../api/view.ts';
import { viewById, viewOf } from '../api/views.ts';
import { itemsView } from '../checkout/items.ts';
import { type RecordName, type Records, select } from '../records.ts';

const INLINE_RECORDS = 10;
const ref = (type: RecordName): Expandable => ({ ref: type });
export const PAYMENT_EXPANDABLE: { readonly [object: string]: { readonly [path: string]: Expandable } } = {
  refund: {
    balance_transaction: ref('balance_transaction'),
    charge: ref('charge'),
    payment_intent: ref('payment_intent'),
    payment_method: ref('payment_method'),
    failure_balance_transaction: ref('balance_transaction'),
    transfer_reversal: ref('transfer_reversal'),
    source_transfer_reversal: 'empty',
  },
  dispute: { charge: ref('charge'), payment_intent: ref('payment_intent') },
  balance_transaction: { source: ref('charge') },
  payout: {
    balance_transaction: ref('balance_transaction'),
    destination: ref('bank_account'),
    failure_balance_transaction: ref('balance_transaction'),
    original_payout: ref('payout'),
    reversed_by: ref('payout'),
  },
  topup: { balance_transaction: ref('balance_transaction') },
  transfer: {
    balance_transaction: ref('balance_transaction'),
    destination: ref('account'),
    destination_payment: 'empty',
    source_transaction: ref('charge'),
  },
  transfer_reversal: { balance_transaction: ref('balance_transaction'), transfer: ref('transfer') },
  application_fee: {
    account: ref('account'),
    balance_transaction: ref('balance_transaction'),
    charge: ref('charge'),
    originating_transaction: ref('charge'),
    application: 'empty',
  },
  setup_intent: {
    customer: ref('customer'),
    latest_attempt: ref('setup_attempt'),
    mandate: ref('mandate'),
    on_behalf_of: ref('account'),
    payment_method: ref('payment_method'),
    application: 'empty',
    single_use_mandate: 'empty',
  },
  setup_attempt: {
    customer: ref('customer'),
    payment_method: ref('payment_method'),
    setup_intent: ref('setup_intent'),
    on_behalf_of: ref('account'),
    application: 'empty',
  },
  mandate: { payment_method: ref('payment_method') },
  card: { customer: ref('customer'), account: ref('account') },
  bank_account: { customer: ref('customer'), account: ref('account') },
  customer_cash_balance_transaction: { customer: ref('customer') },
  'checkout.session': {
    customer: ref('customer'),
    invoice: ref('invoice'),
    line_items: {
      include: (reader, view) =>
        itemsView(reader, String(view['id']), `/v1/checkout/sessions/${view['id']}/line_items`),
    },
    payment_intent: ref('payment_intent'),
    payment_link: ref('payment_link'),
    setup_intent: ref('setup_intent'),
    subscription: ref('subscription'),
  },
  payment_link: {
    line_items: {
      include: (reader, view) =>
        itemsView(reader, String(view['id']), `/v1/payment_links/${view['id']}/line_items`),
    },
    on_behalf_of: ref('account'),
    application: 'empty',
  },
  item: { discounts: 'empty', taxes: 'empty' },
  person: {},
  review: { charge: ref('charge'), payment_intent: ref('payment_intent') },
  'radar.early_fraud_warning': { charge: ref('charge'), payment_intent: ref('payment_intent') },
  file_link: { file: ref('file') },
  'issuing.authorization': { cardholder: ref('issuing.cardholder') },
  'issuing.transaction': {
    authorization: ref('issuing.authorization'),
    balance_transaction: ref('balance_transaction'),
    card: ref('issuing.card'),
    cardholder: ref('issuing.cardholder'),
  },
  'identity.verification_session': { last_verification_report: ref('identity.verification_report') },
};

export function refundsView(reader: Reader, charge: string): View {
  return inline(reader, 'refund', { charge }, `/v1/charges/${charge}/refunds`);
}

export function sourcesView(reader: Reader, customer: string): View {
  const cards = inline(reader, 'card', { customer }, `/v1/customers/${customer}/sources`);
  const banks = select(reader, 'bank_account', { where: { customer }, limit: INLINE_RECORDS }).items;
  const data = [...(cards['data'] as View[]), ...banks.map(bank => viewOf(reader, 'bank_account', bank))];
  return { ...cards, data };
}

function inline<Name extends RecordName>(
  reader: Reader,
  type: Name,
  where: { readonly [field: string]: string },
  url: string,
): View {
  const found = select(reader, type, { where, limit: INLINE_RECORDS });
  const data = found.items.map(held => viewById(reader, type, (held as Records[RecordName]).id) ?? {});
  return listView(data, found.more, url);
}
