// What Checkout keeps: sessions, the links that open them, and the items of both.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';
import { itemsView } from './items.ts';

export type Session = Stored<
  Stripe.Checkout.Session,
  'line_items',
  {
    $ask: { readonly [field: string]: unknown };
    /** Who pays and with what, while they prove who they are. */
    $paying?: { readonly method: string; readonly buyer: { readonly [field: string]: unknown } };
    /** Its buyer says how much it is. */
    $chosen?: true;
    /** Made for it before it was paid. */
    $subscription?: string;
  }
>;
export type SessionItem = Stored<
  Stripe.LineItem,
  'price',
  { $parent: string; price: string; $tax_rates: readonly string[]; $chosen?: number }
>;
export type PaymentLink = Stored<
  Stripe.PaymentLink,
  'line_items',
  { $ask: { readonly [field: string]: unknown } }
>;

export type CheckoutRecords = {
  'checkout.session': Session;
  item: SessionItem;
  payment_link: PaymentLink;
};

export const CHECKOUT_RECORDS: RecordRows<CheckoutRecords> = {
  'checkout.session': {
    indexes: [
      ['customer'],
      ['payment_intent'],
      ['payment_link'],
      ['status'],
      ['subscription'],
      ['$subscription'],
    ],
    expandable: {
      line_items: {
        include: (by, { id }) => itemsView(by, String(id), `/v1/checkout/sessions/${id}/line_items`),
      },
    },
  },
  item: { indexes: [['$parent']], expandable: { discounts: 'empty', taxes: 'empty' } },
  payment_link: {
    indexes: [['active']],
    noun: 'PaymentLink',
    expandable: {
      line_items: {
        include: (by, { id }) => itemsView(by, String(id), `/v1/payment_links/${id}/line_items`),
      },
    },
  },
};
