// What is kept of customers besides what they pay with.
import type { Stripe } from 'stripe';
import { select } from '../api/act.ts';
import type { RecordRows } from '../api/record-row.ts';
import {
  INLINE_RECORDS,
  listUnder,
  listView,
  type View,
  type Viewer,
  viewById,
  viewOf,
  viewsUnder,
} from '../api/view.ts';
import type { Stored } from '../api/wire.ts';
import { taxOf } from './tax-location.ts';

export type Customer = Stored<
  Stripe.Customer,
  'sources' | 'subscriptions' | 'tax_ids',
  { readonly $ip?: string | null }
>;
export type TaxId = Stored<Stripe.TaxId, never, { $owner: string }>;

export type EphemeralKey = Stored<Stripe.EphemeralKey, 'secret', { $customer: string | null }>;

export type CustomerRecords = {
  customer: Customer;
  tax_id: TaxId;
  ephemeral_key: EphemeralKey;
};

export const CUSTOMER_RECORDS: RecordRows<CustomerRecords> = {
  customer: {
    indexes: [['test_clock']],
    words: ['email', 'metadata', 'name', 'phone'],
    expandable: {
      cash_balance: { include: (by, { id }) => viewById(by, 'cash_balance', String(id)) ?? null },
      invoice_credit_balance: {
        include: (_by, { balance, currency }) => (balance === 0 ? {} : { [String(currency)]: balance }),
      },
      sources: { include: sources },
      tax_ids: {
        include: (by, { id }) =>
          listUnder(by, 'tax_id', { customer: String(id) }, `/v1/customers/${id}/tax_ids`),
      },
      subscriptions: { include: subscriptions },
      tax: {
        include: (by, { id }) => {
          const held = by.tx.get<Customer>('customer', String(id));
          return held === undefined ? undefined : taxOf(held);
        },
      },
    },
  },
  tax_id: { indexes: [['customer'], ['$owner']], noun: 'tax_id' },
  ephemeral_key: { indexes: [] },
};

/** Cards first, then bank accounts, then sources; there are more where there are more cards. */
function sources(by: Viewer, { id }: View): View {
  const where = { customer: String(id) };
  const cards = viewsUnder(by, 'card', where);
  const banks = viewsUnder(by, 'bank_account', where);
  const olds = viewsUnder(by, 'source', where);
  return listView([...cards.data, ...banks.data, ...olds.data], cards.more, `/v1/customers/${id}/sources`);
}

function subscriptions(by: Viewer, { id }: View): View {
  const { items, more } = select(by.tx, 'subscription', {
    where: { customer: String(id) },
    limit: INLINE_RECORDS,
    keep: body => body['status'] !== 'canceled' && body['status'] !== 'incomplete_expired',
  });
  const data = items.map(item => viewOf(by, 'subscription', item));
  return listView(data, more, `/v1/customers/${id}/subscriptions`);
}
