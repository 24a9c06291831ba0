// Raising what a payment holds, before it is captured.

import { need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { integer, mergeMetadata, metadata, required, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { checkAmount } from './intent-fields.ts';
import type { PaymentIntent } from './records.ts';

export const incrementAuthorization = operation(
  'paymentIntents.incrementAuthorization',
  'POST /v1/payment_intents/{intent}/increment_authorization',
  {
    amount: required(integer(1)),
    application_fee_amount: integer(0),
    description: text(),
    metadata: metadata(),
    statement_descriptor: text(22),
  },
  ({ act, path, params }) => {
    const held = need(act, 'payment_intent', path['intent'] ?? '', { param: 'intent', inPath: true });
    if (held.status !== 'requires_capture') {
      throw invalid(
        `This PaymentIntent's amount could not be incremented because it has a status of ${held.status}. ` +
          'Only a PaymentIntent with one of the following statuses may be incremented: requires_capture.',
        { code: 'payment_intent_unexpected_state' },
      );
    }
    if (params.amount <= held.amount) {
      throw invalid(`The amount must be greater than the currently authorized amount of ${held.amount}.`, {
        param: 'amount',
      });
    }
    checkAmount(params.amount, held.currency);
    const charge = need(act, 'charge', held.latest_charge ?? '', { param: 'charge' });
    const next: PaymentIntent = {
      ...held,
      amount: params.amount,
      amount_capturable: params.amount,
      ...(params.description === undefined ? {} : { description: params.description }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    act.tx.kind('payment_intent.amount_capturable_updated');
    update(act, 'charge', charge, { ...charge, amount: params.amount }, 'charge.updated');
    save(act, 'payment_intent', next);
    tell(act, 'payment_intent.amount_capturable_updated', 'payment_intent', next);
    return viewOf(act, 'payment_intent', next);
  },
  ['amount_details', 'hooks', 'payment_details', 'transfer_data'],
);
