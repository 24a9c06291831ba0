// What Issuing keeps: who holds a card, the cards, and what was paid with them.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import { viewById, viewsUnder } from '../api/view.ts';
import type { Stored } from '../api/wire.ts';

export type Cardholder = Stored<Stripe.Issuing.Cardholder, never, object>;
/** Its cardholder is put in by the view. */
export type IssuedCard = Stored<
  Stripe.Issuing.Card,
  'cardholder' | 'cvc' | 'number',
  { cardholder: string; $number: string }
>;
export type Authorization = Stored<
  Stripe.Issuing.Authorization,
  'card' | 'transactions' | 'balance_transactions',
  { card: string; $captured: number; $refundable: number }
>;
export type IssuingTransaction = Stored<Stripe.Issuing.Transaction, never, object>;
export type IssuingDispute = Stored<Stripe.Issuing.Dispute, 'balance_transactions', object>;

export type IssuingRecords = {
  'issuing.cardholder': Cardholder;
  'issuing.card': IssuedCard;
  'issuing.authorization': Authorization;
  'issuing.transaction': IssuingTransaction;
  'issuing.dispute': IssuingDispute;
};

export const ISSUING_RECORDS: RecordRows<IssuingRecords> = {
  'issuing.cardholder': {
    indexes: [['status'], ['type'], ['email'], ['phone_number']],
    noun: 'Issuing cardholder',
  },
  'issuing.card': {
    indexes: [['cardholder'], ['status'], ['type']],
    noun: 'issuing card',
    inlined: (by, { cardholder }) => ({ cardholder: viewById(by, 'issuing.cardholder', cardholder) }),
  },
  'issuing.authorization': {
    indexes: [['card'], ['cardholder'], ['status']],
    noun: 'issuing authorization',
    inlined: (by, { id, card }) => ({
      balance_transactions: [],
      card: viewById(by, 'issuing.card', card),
      transactions: viewsUnder(by, 'issuing.transaction', { authorization: id }).data,
    }),
  },
  'issuing.transaction': {
    indexes: [['card'], ['cardholder'], ['authorization'], ['type']],
    noun: 'issuing transaction',
  },
  'issuing.dispute': { indexes: [['transaction'], ['status']], noun: 'issuing dispute' },
};
