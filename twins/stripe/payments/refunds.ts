// Refunds. Most are done at once; two test cards make one that waits, and one that fails afterwards.

import { schedule } from '../../kit/due.ts';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { signed } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, type Decoded, integer, mergeMetadata, metadata, text } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { book } from '../balance/book.ts';
import { refundFeeOf } from '../balance/fee-refund.ts';
import { reverse } from '../balance/transfers.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { testCard } from '../test-cards/test-cards.ts';
import { checkDigits } from './intent-fields.ts';
import type { Charge, Refund } from './records.ts';

/** How long the two special cards take, in world milliseconds. */
const BANK_ANSWERS_MS = 5_000;

export const refundShape = {
  amount: integer(1),
  charge: text(),
  currency: text(),
  customer: text(),
  instructions_email: text(),
  metadata: metadata(),
  origin: choice('customer_balance'),
  payment_intent: text(),
  reason: choice('duplicate', 'fraudulent', 'requested_by_customer'),
  refund_application_fee: boolean(),
  reverse_transfer: boolean(),
} as const;

export function refund(act: Act, params: Decoded<typeof refundShape>): View {
  const charge = chargeFor(act, params);
  const named = `Charge ${charge.id}`;
  if (charge.status !== 'succeeded') {
    throw invalid(`${named} has not been paid, and so it cannot be refunded.`, { param: 'charge' });
  }
  if (charge.refunded) {
    throw invalid(`${named} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  if (charge.disputed && !isInquiry(act, charge)) {
    throw invalid(`${named} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
  }
  if (!charge.captured) return release(act, charge, params);
  const taken = charge.amount_captured;
  const before = charge.amount_refunded - (charge.amount - taken);
  const left = taken - before;
  const amount = params.amount ?? left;
  if (amount > left) {
    throw invalid(
      `Refund amount (${signed(amount, charge.currency)}) is greater than unrefunded amount on charge ` +
        `(${signed(left, charge.currency)})`,
      { param: 'amount' },
    );
  }
  checkDigits(amount, charge.currency);
  const after = charge.$card === '' ? null : testCard(charge.$card).after;
  const pends = after === 'refund-pends' || charge.$card === '';
  const id = act.tx.recordId('re_', 24);
  const booked = book(act, {
    amount: -amount,
    currency: charge.currency,
    type: charge.payment_method_details?.type === 'card' ? 'refund' : 'payment_refund',
    category: 'refund',
    source: id,
    description:
      charge.description === null ? 'REFUND FOR CHARGE' : `REFUND FOR CHARGE (${charge.description})`,
  });
  const made: Refund = {
    ...draft(act, charge, params, amount),
    id,
    balance_transaction: booked.id,
    status: pends ? 'pending' : 'succeeded',
    ...(pends ? { pending_reason: 'processing' } : {}),
  };
  const total = charge.amount_refunded + amount;
  const next: Charge = { ...charge, amount_refunded: total, refunded: total === charge.amount };
  save(act, 'refund', made);
  act.tx.kind('charge.refunded');
  update(act, 'charge', charge, next, 'charge.refunded');
  tell(act, 'refund.created', 'refund', made);
  tell(act, 'charge.refund.updated', 'refund', made);
  if (params.reverse_transfer === true) giveBack(act, charge, made);
  if (params.refund_application_fee === true) refundFeeOf(act, feeOf(charge), { amount, of: charge.amount });
  if (pends)
    schedule<Due>(act.tx, `refund:${id}`, act.tx.now + BANK_ANSWERS_MS, {
      kind: 'refund.settle',
      refund: id,
      succeeds: true,
    });
  if (after === 'refund-fails') {
    schedule<Due>(act.tx, `refund:${id}`, act.tx.now + BANK_ANSWERS_MS, {
      kind: 'refund.settle',
      refund: id,
      succeeds: false,
    });
  }
  return viewOf(act, 'refund', made);
}

const feeOf = ({ application_fee: fee }: Charge): string | null => (fee == null ? null : String(fee));

function chargeFor(act: Act, params: Decoded<typeof refundShape>): Charge {
  if (params.charge !== undefined) return need(act, 'charge', params.charge, { param: 'charge' });
  if (params.payment_intent === undefined) {
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
      {
        code: 'parameter_missing',
      },
    );
  }
  const intent = need(act, 'payment_intent', params.payment_intent, { param: 'payment_intent' });
  const charge = intent.latest_charge === null ? undefined : find(act, 'charge', intent.latest_charge);
  if (charge === undefined || intent.status !== 'succeeded') {
    throw invalid(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
      code: 'payment_intent_unexpected_state',
      param: 'payment_intent',
    });
  }
  return charge;
}

function isInquiry(act: Act, charge: Charge): boolean {
  const found = act.tx.list('dispute', { where: { charge: charge.id }, limit: 1 }).items[0];
  return found?.['is_charge_refundable'] === true;
}

function draft(act: Act, charge: Charge, params: Decoded<typeof refundShape>, amount: number): Refund {
  return {
    id: act.tx.recordId('re_', 24),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: act.at,
    currency: charge.currency,
    customer: null,
    customer_account: null,
    destination_details: (charge.payment_method_details?.type === 'card'
      ? {
          card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
          type: 'card',
        }
      : { type: charge.payment_method_details?.type ?? 'card' }) as NonNullable<
      Refund['destination_details']
    >,
    metadata: mergeMetadata({}, params.metadata),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}

/** What was only authorized is given up; no money moves. */
function release(act: Act, charge: Charge, params: Decoded<typeof refundShape>): View {
  const made = draft(act, charge, params, charge.amount);
  save(act, 'refund', made);
  update(
    act,
    'charge',
    charge,
    { ...charge, amount_refunded: charge.amount, refunded: true },
    'charge.refunded',
  );
  tell(act, 'refund.created', 'refund', made);
  return viewOf(act, 'refund', made);
}

function giveBack(act: Act, charge: Charge, made: Refund): void {
  const moved = charge.transfer === undefined ? undefined : find(act, 'transfer', charge.transfer);
  if (moved === undefined) return;
  const share = Math.min(
    moved.amount - moved.amount_reversed,
    Math.floor((moved.amount * made.amount) / charge.amount),
  );
  if (share === 0) return;
  const reversal = reverse(act, moved, share, { refund: made.id });
  save(act, 'refund', { ...made, transfer_reversal: reversal.id });
}

/** The bank answers a refund that waited (`takes`) or sends back one that had gone through. */
export function settleRefund(act: Act, held: Refund, takes: boolean): void {
  if (takes) {
    if (held.status !== 'pending') return;
    const { pending_reason: _gone, ...done } = held;
    return tellRefund(act, held, { ...done, status: 'succeeded' });
  }
  if (held.status === 'failed' || held.status === 'canceled') return;
  tellRefund(act, held, reversal(act, held, 'failed'));
}

function reversal(act: Act, held: Refund, status: 'canceled' | 'failed'): Refund {
  const { id } = book(act, {
    amount: held.amount,
    currency: held.currency,
    type: 'refund_failure',
    category: 'refund_failure',
    source: held.id,
  });
  const charge = find(act, 'charge', String(held.charge));
  if (charge !== undefined) {
    const amount_refunded = charge.amount_refunded - held.amount;
    save(act, 'charge', { ...charge, amount_refunded, refunded: false });
  }
  return {
    ...held,
    failure_balance_transaction: id,
    failure_reason: status === 'failed' ? 'expired_or_canceled_card' : 'merchant_request',
    status,
  };
}

function tellRefund(act: Act, before: Refund, after: Refund): void {
  update(act, 'refund', before, after, 'refund.updated');
  tell(act, 'charge.refund.updated', 'refund', after);
  if (after.status === 'failed') tell(act, 'refund.failed', 'refund', after);
}

const needRefund = (act: Act, path: { readonly [name: string]: string }): Refund =>
  need(act, 'refund', path['refund'] ?? '', { param: 'refund', inPath: true });

const create = operation('refunds.create', 'POST /v1/refunds', refundShape, ({ act, params }) =>
  refund(act, params),
);

const retrieve = operation('refunds.retrieve', 'GET /v1/refunds/{refund}', {}, ({ act, path }) =>
  viewOf(act, 'refund', needRefund(act, path)),
);

const change = operation(
  'refunds.update',
  'POST /v1/refunds/{refund}',
  { metadata: metadata() },
  ({ act, path, params }) => {
    const held = needRefund(act, path);
    const next = { ...held, metadata: mergeMetadata(held.metadata ?? {}, params.metadata) };
    tellRefund(act, held, next);
    return viewOf(act, 'refund', next);
  },
);

const cancel = operation('refunds.cancel', 'POST /v1/refunds/{refund}/cancel', {}, ({ act, path }) => {
  const held = needRefund(act, path);
  if (held.status !== 'pending' && held.status !== 'requires_action') {
    throw invalid(`This refund cannot be canceled: its status is ${held.status}.`);
  }
  act.tx.cancel(`refund:${held.id}`);
  const next = reversal(act, held, 'canceled');
  tellRefund(act, held, next);
  return viewOf(act, 'refund', next);
});

const listAll = operation(
  'refunds.list',
  'GET /v1/refunds',
  { ...createdParams, charge: text(), payment_intent: text() },
  ({ act, params }) => {
    const { charge, payment_intent } = params;
    return page(act, 'refund', params, '/v1/refunds', {
      ...(charge !== undefined
        ? { where: { charge } }
        : payment_intent !== undefined
          ? { where: { payment_intent } }
          : {}),
    });
  },
);

const onCharge = operation(
  'charges.refund',
  'POST /v1/charges/{charge}/refunds',
  refundShape,
  ({ act, path, params }) => refund(act, { ...params, charge: path['charge'] ?? '' }),
);

const ofCharge = operation(
  'charges.listRefunds',
  'GET /v1/charges/{charge}/refunds',
  createdParams,
  ({ act, path, params }) => {
    const charge = need(act, 'charge', path['charge'] ?? '', { param: 'charge', inPath: true });
    return page(act, 'refund', params, `/v1/charges/${charge.id}/refunds`, { where: { charge: charge.id } });
  },
);

/** For a refund that waits for what its payee must tell; none of this twin's does. */
const expire = vendor<object>('testHelpers.refunds.expire', ({ act, path }) => {
  const held = need(act, 'refund', path['id'] ?? '', { param: 'refund', inPath: true });
  throw invalid(`Only a refund that requires action can expire: its status is ${held.status}.`);
});

export const refundOperations = [create, retrieve, change, cancel, listAll, onCharge, ofCharge, expire];
