// Issuing: what cards have paid, and what was given back to them.

import { type Act, need, save } from '../api/act.ts';
import { filledField } from '../api/fill-shape.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { integer, mergeMetadata, metadata, required, text, tree } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { book } from '../balance/book.ts';
import { tell, update } from '../events/events.ts';
import { needIssued } from './cardholders.ts';
import type { Authorization, IssuedCard, IssuingTransaction } from './records.ts';

export function merchantOf(given: object | undefined): Authorization['merchant_data'] {
  return {
    category: 'taxicabs_limousines',
    category_code: '4121',
    city: 'San Francisco',
    country: 'US',
    name: 'Rocket Rides',
    network_id: '1234567890',
    postal_code: '94107',
    state: 'CA',
    tax_id: null,
    terminal_id: '99999999',
    url: null,
    ...given,
  };
}

type Spent = {
  readonly amount: number;
  readonly currency: string;
  readonly authorization: string | null;
  readonly merchant: Authorization['merchant_data'];
  readonly purchase: object | undefined;
  readonly type: 'capture' | 'refund';
};

/** Moves the money; saved and told. Amounts are negative where the card pays. */
export function transact(act: Act, card: IssuedCard, spent: Spent): IssuingTransaction {
  const amount = spent.type === 'capture' ? -spent.amount : spent.amount;
  const id = act.tx.recordId('ipi_', 24);
  const booked = book(act, {
    amount,
    currency: spent.currency,
    type: 'issuing_transaction',
    category: 'issuing_transaction',
    source: id,
  });
  const made: IssuingTransaction = {
    id,
    object: 'issuing.transaction',
    amount,
    amount_details: { atm_fee: null, cashback_amount: null },
    authorization: spent.authorization,
    balance_transaction: booked.id,
    card: card.id,
    cardholder: card.cardholder,
    created: act.at,
    currency: spent.currency,
    dispute: null,
    livemode: false,
    merchant_amount: amount,
    merchant_currency: spent.currency,
    merchant_data: spent.merchant,
    metadata: {},
    network_data: { authorization_code: '123456', processing_date: null, transaction_id: null },
    purchase_details:
      spent.purchase === undefined
        ? null
        : filledField('issuing.transaction', 'purchase_details', spent.purchase),
    token: null,
    type: spent.type,
    wallet: null,
  };
  save(act, 'issuing.transaction', made);
  tell(act, 'issuing_transaction.created', 'issuing.transaction', made);
  if (spent.purchase !== undefined && 'receipt' in spent.purchase) {
    tell(act, 'issuing_transaction.purchase_details_receipt_updated', 'issuing.transaction', made);
  }
  return made;
}

function standalone(name: 'createForceCapture' | 'createUnlinkedRefund', type: 'capture' | 'refund') {
  const path = name === 'createForceCapture' ? 'create_force_capture' : 'create_unlinked_refund';
  return operation(
    `testHelpers.issuing.transactions.${name}`,
    `POST /v1/test_helpers/issuing/transactions/${path}`,
    {
      amount: required(integer(1)),
      card: required(text()),
      currency: text(),
      merchant_data: tree(),
      purchase_details: tree('quantity', 'unit_cost', 'total', 'departure_at', 'check_in_at', 'nights'),
    },
    ({ act, params }) => {
      const card = needIssued(act, params.card, false);
      const made = transact(act, card, {
        amount: params.amount,
        currency: (params.currency ?? card.currency).toLowerCase(),
        authorization: null,
        merchant: merchantOf(params.merchant_data),
        purchase: params.purchase_details,
        type,
      });
      return viewOf(act, 'issuing.transaction', made);
    },
  );
}

const needTransaction = (act: Act, path: { readonly [name: string]: string }): IssuingTransaction =>
  need(act, 'issuing.transaction', path['transaction'] ?? '', { param: 'transaction', inPath: true });

const retrieveTransaction = operation(
  'issuing.transactions.retrieve',
  'GET /v1/issuing/transactions/{transaction}',
  {},
  ({ act, path }) => viewOf(act, 'issuing.transaction', needTransaction(act, path)),
);

const changeTransaction = operation(
  'issuing.transactions.update',
  'POST /v1/issuing/transactions/{transaction}',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needTransaction(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata, params.metadata) };
    return viewOf(
      act,
      'issuing.transaction',
      update(act, 'issuing.transaction', held, next, 'issuing_transaction.updated'),
    );
  },
);

const listTransactions = operation(
  'issuing.transactions.list',
  'GET /v1/issuing/transactions',
  { ...createdParams, card: text(), cardholder: text(), type: text() },
  ({ act, params }) => {
    const { card, cardholder, type } = params;
    const where =
      card !== undefined
        ? { card }
        : cardholder !== undefined
          ? { cardholder }
          : type !== undefined
            ? { type }
            : undefined;
    return page(act, 'issuing.transaction', params, '/v1/issuing/transactions', {
      ...(where === undefined ? {} : { where }),
      ...(type === undefined ? {} : { keep: held => held.type === type }),
    });
  },
);

export const issuingTransactionOperations = [
  standalone('createForceCapture', 'capture'),
  standalone('createUnlinkedRefund', 'refund'),
  retrieveTransaction,
  changeTransaction,
  listTransactions,
];
