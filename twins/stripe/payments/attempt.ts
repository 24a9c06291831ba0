// Moving money: one attempt to pay an intent with a card, and what it leaves behind.

import { schedule } from '../../kit/due.ts';
import { type Act, need, save } from '../api/act.ts';
import { type ErrorFields, StripeRefusal } from '../api/errors.ts';
import { embedded, viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import type { Decline } from '../test-cards/list.ts';
import { testCard } from '../test-cards/test-cards.ts';
import { actionFor } from './actions.ts';
import { follow } from './aftermath.ts';
import { watchWindow } from './capture-window.ts';
import { transferred } from './cash-balances.ts';
import { adviceOn, bookCharge, networkCodeOf, newCharge } from './charges.ts';
import { declineParam } from './decline-param.ts';
import { dispute } from './disputes.ts';
import { mandateOf, underMandate } from './mandates.ts';
import { waitsForDeposits } from './microdeposits.ts';
import type { Charge, Flow, PaymentIntent, PaymentMethod } from './records.ts';
import { share } from './share.ts';

/** The test accounts that are said to take a while do after three minutes. */
const BANK_LATE_MS = 3 * 60_000;

export type Attempted = {
  readonly outcome: 'paid' | 'authorized' | 'declined' | 'action' | 'processing';
  readonly intent: PaymentIntent;
  /** When it was declined: what the caller is refused with, if a caller waits for it. */
  readonly decline: Decline | null;
};

type How = {
  readonly offSession: boolean;
  readonly returnUrl: string | null;
};

const FLOWS: { readonly [Name in Flow]: 'pays' | 'asks' | 'processes' } = {
  pays: 'pays',
  redirects: 'asks',
  transfer: 'asks',
  settles: 'processes',
  'settles-late': 'processes',
  disputed: 'processes',
  fails: 'processes',
  'fails-late': 'processes',
  'no-funds': 'processes',
  'over-limit': 'processes',
  'over-weekly-limit': 'processes',
  waits: 'processes',
};

/** What an attempt will come to, before anything is written. */
export function foresee(
  method: PaymentMethod,
  offSession: boolean,
): 'pays' | 'declines' | 'asks' | 'processes' {
  if (method.$card === '') return FLOWS[(method.$flow ?? 'pays') as Flow];
  const { behaviour } = testCard(method.$card);
  if (behaviour.charge === 'declines') return 'declines';
  // A card that is there proves its holder by itself.
  if (behaviour.charge === 'succeeds' || method.type === 'card_present') return 'pays';
  if (!offSession) return 'asks';
  const spared =
    behaviour.spares === 'always' || (behaviour.spares === 'once-set-up' && method.$setUp === true);
  return spared ? 'pays' : 'declines';
}

/** The decline a card gives, for a refusal before anything is written. */
export function declineOf(method: PaymentMethod): Decline {
  if (method.$card === '') return BANK_REFUSED;
  const { behaviour } = testCard(method.$card);
  return behaviour.charge === 'declines' ? behaviour : AUTHENTICATION_REQUIRED;
}

/** The decline of a method that cannot even be saved; null of those that only decline once they are charged. */
export function refusedToSave(method: PaymentMethod): Decline | null {
  if (foresee(method, false) !== 'declines') return null;
  if (method.$card === '') return BANK_REFUSED;
  const { behaviour } = testCard(method.$card);
  return behaviour.charge === 'declines' && behaviour.attach ? behaviour : null;
}

/** What the bank says once the payer has proven who they are; null when it agrees. */
export function refusedAfterProof(method: PaymentMethod): Decline | null {
  if (method.$card === '') return null;
  const { behaviour } = testCard(method.$card);
  return behaviour.charge === 'authenticates' ? behaviour.then : null;
}

/** Tries to pay a saved intent with a card. Writes the charge, the method and the intent, and tells of each. */
export function attempt(act: Act, intent: PaymentIntent, method: PaymentMethod, how: How): Attempted {
  save(act, 'payment_method', method);
  if (waitsForDeposits(intent, method)) return askForAction(act, intent, method, how.returnUrl);
  switch (foresee(method, how.offSession)) {
    case 'declines':
      return decline(act, intent, method, declineOf(method));
    case 'asks':
      return askForAction(act, intent, method, how.returnUrl);
    case 'processes':
      return processing(act, intent, method);
    case 'pays':
      return charge(act, intent, method);
  }
}

const AUTHENTICATION_REQUIRED: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

const BANK_REFUSED: Decline = {
  code: 'payment_intent_payment_attempt_failed',
  decline_code: 'generic_decline',
  message: 'The payment failed.',
};

/** What the bank says of a debit that does not go through. */
const DEBIT_REFUSALS: { readonly [Name in Flow]?: Decline } = {
  fails: BANK_REFUSED,
  'fails-late': BANK_REFUSED,
  'no-funds': {
    code: 'insufficient_funds',
    decline_code: 'insufficient_funds',
    message: 'The customer’s account has insufficient funds to cover this payment.',
  },
  'over-limit': {
    code: 'charge_exceeds_source_limit',
    decline_code: 'generic_decline',
    message: 'This payment exceeds the payment volume that is allowed for this account within a week.',
  },
  'over-weekly-limit': {
    code: 'charge_exceeds_weekly_limit',
    decline_code: 'generic_decline',
    message: 'This payment exceeds the number of payments that is allowed within a week.',
  },
};

export function charge(act: Act, intent: PaymentIntent, method: PaymentMethod): Attempted {
  const drafted = newCharge(act, intent, method, null);
  const authorized = intent.capture_method === 'manual';
  const made = authorized ? drafted : share(act, bookCharge(act, drafted, intent.amount));
  const after: PaymentIntent = {
    ...intent,
    amount_capturable: authorized ? intent.amount : 0,
    amount_received: authorized ? 0 : intent.amount,
    last_payment_error: null,
    latest_charge: made.id,
    ...charged(intent),
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
  if (authorized) watchWindow(act, made);
  follow(act, made);
  return { outcome: authorized ? 'authorized' : 'paid', intent: after, decline: null };
}

/** One charge more. */
function charged({ latest_charge, $charges }: PaymentIntent): { readonly $charges?: number } {
  if (latest_charge === null) return { $charges: 1 };
  return $charges === undefined ? {} : { $charges: $charges + 1 };
}

export function decline(
  act: Act,
  intent: PaymentIntent,
  method: PaymentMethod,
  why: Decline,
  pending: Charge | null = null,
): Attempted {
  const made: Charge =
    pending === null ? newCharge(act, intent, method, why) : { ...pending, ...failedBy(why) };
  const after: PaymentIntent = {
    ...intent,
    last_payment_error: {
      advice_code: adviceOn(why),
      charge: made.id,
      code: why.code,
      decline_code: why.decline_code,
      doc_url: `https://stripe.com/docs/error-codes/${why.code.replaceAll('_', '-')}`,
      message: why.message,
      network_decline_code: networkCodeOf(why),
      ...declineParam(why),
      payment_method: embedded(act, 'payment_method', method),
      type: 'card_error',
    },
    latest_charge: made.id,
    // One that was pending is counted.
    ...(pending === null && charged(intent)),
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
  if (method.type === 'customer_balance')
    return transferred(act, intent, method) ?? charge(act, intent, method);
  const after: PaymentIntent = {
    ...intent,
    last_payment_error: null,
    next_action: actionFor(act, intent, method, returnUrl),
    payment_method: method.id,
    status: 'requires_action',
  };
  save(act, 'payment_intent', after);
  tell(act, 'payment_intent.requires_action', 'payment_intent', after);
  return { outcome: 'action', intent: after, decline: null };
}

/** A bank answers later: the charge stands pending until then. */
function processing(act: Act, intent: PaymentIntent, method: PaymentMethod): Attempted {
  const drafted = newCharge(act, intent, method, null, true);
  const made = underMandate(drafted, method.type, mandateOf(act, intent, method));
  const after: PaymentIntent = {
    ...intent,
    last_payment_error: null,
    latest_charge: made.id,
    ...charged(intent),
    next_action: null,
    payment_method: method.id,
    status: 'processing',
  };
  save(act, 'charge', made);
  save(act, 'payment_intent', after);
  act.tx.kind('payment_intent.processing');
  tell(act, 'charge.pending', 'charge', made);
  tell(act, 'payment_intent.processing', 'payment_intent', after);
  // In test mode most banks answer at once, but never in the same breath.
  if (method.$flow !== 'waits') {
    schedule<Due>(act.tx, `settle:${intent.id}`, act.tx.now + latenessOf(method), {
      kind: 'payment.settle',
      intent: intent.id,
    });
  }
  return { outcome: 'processing', intent: after, decline: null };
}

/** A charge without an intent whose bank answers later. */
export function awaitBank(act: Act, pending: Charge, method: PaymentMethod): Charge {
  save(act, 'charge', pending);
  act.tx.kind('charge.pending');
  tell(act, 'charge.pending', 'charge', pending);
  if (method.$flow !== 'waits')
    schedule<Due>(act.tx, `settle:${pending.id}`, act.tx.now + latenessOf(method), {
      kind: 'charge.settle',
      charge: pending.id,
    });
  return pending;
}

const latenessOf = ({ $flow }: PaymentMethod): number => (($flow ?? '').endsWith('-late') ? BANK_LATE_MS : 0);

/** The bank of such a charge has answered. */
export function settleCharge(act: Act, pending: Charge): void {
  if (pending.status !== 'pending' || pending.payment_intent !== null) return;
  const method = need(act, 'payment_method', pending.payment_method ?? '', { param: 'payment_method' });
  const why = DEBIT_REFUSALS[(method.$flow ?? 'settles') as Flow];
  if (why !== undefined) {
    const failed: Charge = { ...pending, ...failedBy(why) };
    act.tx.kind('charge.failed');
    save(act, 'charge', failed);
    tell(act, 'charge.failed', 'charge', failed);
    return;
  }
  const paid: Charge = { ...pending, paid: true, status: 'succeeded' };
  const made = share(act, bookCharge(act, paid, pending.amount));
  act.tx.kind('charge.succeeded');
  save(act, 'charge', made);
  tell(act, 'charge.succeeded', 'charge', made);
  if (method.$flow === 'disputed') dispute(act, made, { reason: 'debit_not_authorized' });
}

const failedBy = ({ code, message }: Decline) =>
  ({ failure_code: code, failure_message: message, paid: false, status: 'failed' }) as const;

/** The bank has answered. */
export function settle(act: Act, intent: PaymentIntent): Attempted | null {
  if (intent.status !== 'processing') return null;
  const method = need(act, 'payment_method', intent.payment_method ?? '', { param: 'payment_method' });
  const pending = need(act, 'charge', intent.latest_charge ?? '', { param: 'charge' });
  const why = DEBIT_REFUSALS[(method.$flow ?? 'settles') as Flow];
  if (why !== undefined) return decline(act, intent, method, why, pending);
  const made = share(act, bookCharge(act, { ...pending, paid: true, status: 'succeeded' }, intent.amount));
  const after: PaymentIntent = { ...intent, amount_received: intent.amount, status: 'succeeded' };
  save(act, 'charge', made);
  save(act, 'payment_intent', after);
  act.tx.kind('payment_intent.succeeded');
  tell(act, 'charge.succeeded', 'charge', made);
  tell(act, 'payment_intent.succeeded', 'payment_intent', after);
  if (method.$flow === 'disputed') dispute(act, made, { reason: 'debit_not_authorized' });
  return { outcome: 'paid', intent: after, decline: null };
}

/** The refusal that a declined payment is answered with. What was written stays: the attempt happened. */
export function declineRefusal(act: Act, intent: PaymentIntent, why: Decline): StripeRefusal {
  const error = intent.last_payment_error;
  const fields: ErrorFields = {
    type: 'card_error',
    advice_code: adviceOn(why),
    ...(intent.latest_charge === null ? {} : { charge: intent.latest_charge }),
    code: why.code,
    decline_code: why.decline_code,
    ...declineParam(why),
    payment_intent: viewOf(act, 'payment_intent', intent),
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
    share(act, { ...bookCharge(act, held, amount), amount_refunded: held.amount - amount }),
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
