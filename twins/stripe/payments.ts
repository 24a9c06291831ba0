// Moving money: one attempt to pay an intent with a card, and what it leaves behind.
import { type Decline, newCharge } from './charges.ts';
import { type ErrorFields, StripeRefusal } from './errors.ts';
import { tell, update } from './events.ts';
import { type Act, need, save } from './records.ts';
import { testCard } from './test-cards.ts';
import { viewOf } from './views.ts';
import type { PaymentIntent, PaymentMethod } from './wire.ts';

export type Attempted = {
  readonly outcome: 'paid' | 'authorized' | 'declined' | 'action';
  readonly intent: PaymentIntent;
  /** When it was declined: what the caller is refused with, if a caller waits for it. */
  readonly decline: Decline | null;
};

type How = {
  readonly offSession: boolean;
  readonly returnUrl: string | null;
};

/** What an attempt will come to, before anything is written. */
export function foresee(method: PaymentMethod, offSession: boolean): 'pays' | 'declines' | 'asks' {
  const { behaviour } = testCard(method.$card);
  if (behaviour.charge === 'declines') return 'declines';
  if (behaviour.charge === 'succeeds') return 'pays';
  if (!offSession) return 'asks';
  return behaviour.always ? 'declines' : 'pays';
}

/** The decline a card gives, for a refusal before anything is written. */
export function declineOf(method: PaymentMethod): Decline {
  const { behaviour } = testCard(method.$card);
  return behaviour.charge === 'declines' ? behaviour : AUTHENTICATION_REQUIRED;
}

/** Tries to pay a saved intent with a card. Writes the charge, the method and the intent, and tells of each. */
export function attempt(act: Act, intent: PaymentIntent, method: PaymentMethod, how: How): Attempted {
  save(act, 'payment_method', method);
  switch (foresee(method, how.offSession)) {
    case 'declines':
      return decline(act, intent, method, declineOf(method));
    case 'asks':
      return askForAction(act, intent, method, how.returnUrl);
    case 'pays':
      return charge(act, intent, method);
  }
}

const AUTHENTICATION_REQUIRED: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

function charge(act: Act, intent: PaymentIntent, method: PaymentMethod): Attempted {
  const made = newCharge(act, intent, method, null);
  const authorized = intent.capture_method === 'manual';
  const after: PaymentIntent = {
    ...intent,
    amount_capturable: authorized ? intent.amount : 0,
    amount_received: authorized ? 0 : intent.amount,
    last_payment_error: null,
    latest_charge: made.id,
    next_action: null,
    payment_method: method.id,
    status: authorized ? 'requires_capture' : 'succeeded',
  };
  save(act, 'charge', made);
  save(act, 'payment_intent', after);
  act.tx.kind(authorized ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded');
  tell(act, 'charge.succeeded', 'charge', made);
  tell(
    act,
    authorized ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded',
    'payment_intent',
    after,
  );
  return { outcome: authorized ? 'authorized' : 'paid', intent: after, decline: null };
}

function decline(act: Act, intent: PaymentIntent, method: PaymentMethod, why: Decline): Attempted {
  const made = newCharge(act, intent, method, why);
  const after: PaymentIntent = {
    ...intent,
    last_payment_error: {
      advice_code: 'try_again_later',
      charge: made.id,
      code: why.code,
      decline_code: why.decline_code,
      doc_url: `https://stripe.com/docs/error-codes/${why.code.replaceAll('_', '-')}`,
      message: why.message,
      network_decline_code: '01',
      payment_method: viewOf(act.tx, 'payment_method', method) as never,
      type: 'card_error',
    },
    latest_charge: made.id,
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
  };
  save(act, 'charge', made);
  save(act, 'payment_intent', after);
  act.tx.kind('payment_intent.payment_failed');
  tell(act, 'charge.failed', 'charge', made);
  tell(act, 'payment_intent.payment_failed', 'payment_intent', after);
  return { outcome: 'declined', intent: after, decline: why };
}

function askForAction(
  act: Act,
  intent: PaymentIntent,
  method: PaymentMethod,
  returnUrl: string | null,
): Attempted {
  const source = act.tx.id('src_', 24);
  const url = `https://hooks.stripe.com/3d_secure_2/hosted?payment_intent=${intent.id}&payment_intent_client_secret=${intent.client_secret}&source=${source}`;
  const after: PaymentIntent = {
    ...intent,
    last_payment_error: null,
    next_action:
      returnUrl === null
        ? {
            type: 'use_stripe_sdk',
            use_stripe_sdk: { type: 'three_d_secure_redirect', source, stripe_js: url } as never,
          }
        : { redirect_to_url: { return_url: returnUrl, url }, type: 'redirect_to_url' },
    payment_method: method.id,
    status: 'requires_action',
  };
  save(act, 'payment_intent', after);
  tell(act, 'payment_intent.requires_action', 'payment_intent', after);
  return { outcome: 'action', intent: after, decline: null };
}

/** The refusal that a declined payment is answered with. What was written stays: the attempt happened. */
export function declineRefusal(act: Act, intent: PaymentIntent, why: Decline): StripeRefusal {
  const error = intent.last_payment_error;
  const fields: ErrorFields = {
    type: 'card_error',
    advice_code: 'try_again_later',
    ...(intent.latest_charge === null ? {} : { charge: intent.latest_charge }),
    code: why.code,
    decline_code: why.decline_code,
    payment_intent: viewOf(act.tx, 'payment_intent', intent),
    ...(error?.payment_method === undefined ? {} : { payment_method: error.payment_method }),
  };
  return new StripeRefusal(402, why.message, fields);
}

/** Takes what was only authorized. */
export function capture(act: Act, intent: PaymentIntent, amount: number): PaymentIntent {
  const held = need(act, 'charge', intent.latest_charge ?? '', { param: 'charge' });
  act.tx.kind('payment_intent.succeeded');
  update(
    act,
    'charge',
    held,
    {
      ...held,
      amount_captured: amount,
      amount_refunded: held.amount - amount,
      balance_transaction: act.tx.id('txn_', 24),
      captured: true,
    },
    'charge.captured',
  );
  const after: PaymentIntent = {
    ...intent,
    amount_capturable: 0,
    amount_received: amount,
    status: 'succeeded',
  };
  save(act, 'payment_intent', after);
  tell(act, 'payment_intent.succeeded', 'payment_intent', after);
  return after;
}
