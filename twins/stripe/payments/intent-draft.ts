// A payment intent as it begins and as it is given up; neither is saved here.

import type { Act } from '../api/act.ts';
import type { PaymentIntent } from './records.ts';

type Fresh = {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly description: string | null;
  readonly invoice: string | null;
  /** Saved for the customer when it pays. */
  readonly keepsMethod?: boolean;
};

/** An intent with nothing tried yet; not saved. */
export function newIntent(act: Act, fresh: Fresh): PaymentIntent {
  const id = act.tx.recordId('pi_', 24);
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: fresh.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: `${id}_secret_${act.tx.id('', 25)}`,
    confirmation_method: 'automatic',
    created: act.at,
    currency: fresh.currency,
    customer: fresh.customer,
    customer_account: null,
    description: fresh.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: fresh.keepsMethod === true ? 'off_session' : null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    $invoice: fresh.invoice,
  };
}

/** As it stands once it is canceled; not saved. */
export function canceled(
  act: Act,
  intent: PaymentIntent,
  reason: PaymentIntent['cancellation_reason'],
): PaymentIntent {
  return {
    ...intent,
    amount_capturable: 0,
    canceled_at: act.at,
    cancellation_reason: reason,
    next_action: null,
    status: 'canceled',
  };
}
