// How payment intents end: captured, canceled, or refused for the state they are in.

import { type Act, find as findRecord, need, save } from '../api/act.ts';
import { invalid, type StripeRefusal, unmodelledParameter } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, hash, integer, mergeMetadata, metadata, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { checkDetails } from './amount-details.ts';
import { capture as captureCharge } from './attempt.ts';
import { canceled } from './intent-draft.ts';
import { withFields, writable } from './intent-fields.ts';
import type { PaymentIntent } from './records.ts';

export function needIntent(act: Act, path: { readonly [name: string]: string }): PaymentIntent {
  return need(act, 'payment_intent', path['intent'] ?? '', { param: 'intent', inPath: true });
}

/** Stripe words every wrong state alike. */
export function unexpected(intent: PaymentIntent, what: string, wanted: string): StripeRefusal {
  return invalid(`${what} because it has a status of ${intent.status}. ${wanted}`, {
    code: 'payment_intent_unexpected_state',
  });
}

export const UNPAID = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

const capture = operation(
  'paymentIntents.capture',
  'POST /v1/payment_intents/{intent}/capture',
  {
    amount_details: writable.amount_details,
    payment_details: writable.payment_details,
    amount_to_capture: integer(1),
    application_fee_amount: integer(0),
    final_capture: boolean(),
    metadata: metadata(),
    statement_descriptor: text(22),
    statement_descriptor_suffix: text(22),
    transfer_data: hash({ amount: integer(0) }),
  },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    if (held.status !== 'requires_capture') {
      throw unexpected(
        held,
        'This PaymentIntent could not be captured',
        'Only a PaymentIntent with one of the following statuses may be captured: requires_capture.',
      );
    }
    const amount = params.amount_to_capture ?? held.amount_capturable;
    if (amount > held.amount_capturable) {
      throw invalid(
        `The payment intent cannot be captured with an amount greater than ${held.amount_capturable}.`,
        {
          code: 'amount_too_large',
          param: 'amount_to_capture',
        },
      );
    }
    checkDetails(params.amount_details, amount);
    // What is captured in several parts stays open between them.
    if (params.final_capture === false)
      throw unmodelledParameter('final_capture', 'POST /v1/payment_intents/{intent}/capture');
    const { amount_details, application_fee_amount: fee, payment_details, transfer_data } = params;
    if (transfer_data !== undefined && held.transfer_data == null) {
      throw invalid(
        'Can only pass transfer_data[amount] where the PaymentIntent has a transfer destination.',
        {
          param: 'transfer_data',
        },
      );
    }
    const charge = findRecord(act, 'charge', held.latest_charge ?? '');
    if (charge !== undefined && (fee !== undefined || transfer_data !== undefined)) {
      save(act, 'charge', {
        ...charge,
        ...(fee === undefined ? {} : { application_fee_amount: fee }),
        ...(charge.transfer_data === null
          ? {}
          : { transfer_data: { ...charge.transfer_data, ...transfer_data } }),
      });
    }
    const tagged = {
      ...withFields(act, held, {
        ...(amount_details === undefined ? {} : { amount_details }),
        ...(payment_details === undefined ? {} : { payment_details }),
        ...(transfer_data === undefined ? {} : { transfer_data }),
      }),
      ...(fee === undefined ? {} : { application_fee_amount: fee }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    return viewOf(act, 'payment_intent', captureCharge(act, tagged, amount));
  },
  ['hooks'],
);

const cancel = operation(
  'paymentIntents.cancel',
  'POST /v1/payment_intents/{intent}/cancel',
  { cancellation_reason: choice('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer') },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    if (held.$invoice !== null) {
      throw invalid(
        'You cannot cancel this PaymentIntent because it was created by an invoice. Void the invoice instead.',
        {
          code: 'payment_intent_unexpected_state',
        },
      );
    }
    if (![...UNPAID, 'requires_capture', 'processing'].includes(held.status)) {
      throw unexpected(
        held,
        'You cannot cancel this PaymentIntent',
        'Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.',
      );
    }
    const next = canceled(act, held, params.cancellation_reason ?? null);
    save(act, 'payment_intent', next);
    act.tx.kind('payment_intent.canceled');
    if (held.status === 'requires_capture' && held.latest_charge !== null) {
      const charge = need(act, 'charge', held.latest_charge, { param: 'charge' });
      update(
        act,
        'charge',
        charge,
        { ...charge, amount_refunded: charge.amount, refunded: true },
        'charge.refunded',
      );
    }
    tell(act, 'payment_intent.canceled', 'payment_intent', next);
    return viewOf(act, 'payment_intent', next);
  },
);

export const intentEndings = [capture, cancel];
