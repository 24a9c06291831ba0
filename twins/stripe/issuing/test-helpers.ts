// Issuing's test helpers besides the authorization itself: raised, settled at last, answered by its cardholder, given
// back.

import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { update } from '../events/events.ts';
import { needIssued } from './cardholders.ts';
import type { Authorization } from './records.ts';
import { transact } from './transactions.ts';

type Path = { readonly [name: string]: string };

function needPending(act: Act, path: Path): Authorization {
  const held = need(act, 'issuing.authorization', path['id'] ?? '', { param: 'authorization', inPath: true });
  if (held.status !== 'pending' || !held.approved) {
    throw invalid(`This authorization is not open: its status is ${held.status}.`);
  }
  return held;
}

function changed(act: Act, held: Authorization, next: Authorization): View {
  return viewOf(
    act,
    'issuing.authorization',
    update(act, 'issuing.authorization', held, next, 'issuing_authorization.updated'),
  );
}

const increment = vendor<{ readonly increment_amount: number }>(
  'testHelpers.issuing.authorizations.increment',
  ({ act, path, params }) => {
    const held = needPending(act, path);
    if (params.increment_amount <= 0) {
      throw invalid('This value must be greater than or equal to 1.', { param: 'increment_amount' });
    }
    const amount = held.amount + params.increment_amount;
    return changed(act, held, {
      ...held,
      amount,
      merchant_amount: held.merchant_amount + params.increment_amount,
    });
  },
);

const finalize = vendor<{ readonly final_amount: number }>(
  'testHelpers.issuing.authorizations.finalizeAmount',
  ({ act, path, params }) => {
    const held = needPending(act, path);
    const amount = params.final_amount;
    return changed(act, held, { ...held, amount, merchant_amount: amount });
  },
  {},
  ['fleet', 'fuel'],
);

const respond = vendor<{ readonly confirmed: boolean }>(
  'testHelpers.issuing.authorizations.respond',
  ({ act, path, params }) => {
    const held = need(act, 'issuing.authorization', path['id'] ?? '', {
      param: 'authorization',
      inPath: true,
    });
    const challenge = {
      channel: 'sms' as const,
      status: params.confirmed ? ('verified' as const) : ('rejected' as const),
      undeliverable_reason: null,
    };
    const next = { ...held, fraud_challenges: [challenge], verified_by_fraud_challenge: params.confirmed };
    return changed(act, held, next);
  },
);

const refund = vendor<{ readonly refund_amount?: number }>(
  'testHelpers.issuing.transactions.refund',
  ({ act, path, params }) => {
    const held = need(act, 'issuing.transaction', path['id'] ?? '', { param: 'transaction', inPath: true });
    const amount = params.refund_amount ?? Math.abs(held.amount);
    if (held.type !== 'capture' || amount < 1 || amount > Math.abs(held.amount)) {
      throw invalid(`At most ${Math.abs(held.amount)} of a capture can be refunded.`, {
        param: 'refund_amount',
      });
    }
    const made = transact(act, needIssued(act, String(held.card)), {
      amount,
      currency: held.currency,
      authorization: held.authorization === null ? null : String(held.authorization),
      merchant: held.merchant_data,
      purchase: undefined,
      type: 'refund',
    });
    return viewOf(act, 'issuing.transaction', made);
  },
);

export const issuingTestOperations = [increment, finalize, respond, refund];
