// What banks and time do to payments as the world's clock moves. A record that is gone or moved on is left alone.
import type { DueHandlers } from '../../kit/due.ts';
import { find } from '../api/act.ts';
import type { Falling } from '../api/product.ts';
import { sessionPaid } from '../checkout/complete.ts';
import { settlePaid } from '../invoicing/collect.ts';
import { settle, settleCharge } from './attempt.ts';
import { letGo } from './capture-window.ts';
import { decide, lapse } from './disputes.ts';
import { settleRefund } from './refunds.ts';

export type PaymentsDue = {
  'payment.settle': { readonly intent: string };
  'charge.settle': { readonly charge: string };
  'refund.settle': { readonly refund: string; readonly succeeds: boolean };
  'dispute.decide': { readonly dispute: string };
  'dispute.lapse': { readonly dispute: string };
  'authorization.lapse': { readonly charge: string };
};

export const paymentsDue: DueHandlers<PaymentsDue, Falling> = {
  'payment.settle': ({ intent: id }, { act }) => {
    const intent = find(act, 'payment_intent', id);
    const settled = intent === undefined ? null : settle(act, intent);
    if (settled?.outcome === 'paid') settlePaid(act, settled.intent);
    if (settled !== null) sessionPaid(act, settled.intent, settled.outcome === 'paid');
  },
  'charge.settle': ({ charge: id }, { act }) => {
    const charge = find(act, 'charge', id);
    if (charge !== undefined) settleCharge(act, charge);
  },
  'refund.settle': ({ refund: id, succeeds }, { act }) => {
    const refund = find(act, 'refund', id);
    if (refund !== undefined) settleRefund(act, refund, succeeds);
  },
  'dispute.decide': ({ dispute: id }, { act }) => {
    const dispute = find(act, 'dispute', id);
    if (dispute !== undefined) decide(act, dispute);
  },
  'dispute.lapse': ({ dispute: id }, { act }) => {
    const dispute = find(act, 'dispute', id);
    if (dispute !== undefined) lapse(act, dispute);
  },
  'authorization.lapse': ({ charge }, { act }) => letGo(act, charge),
};
