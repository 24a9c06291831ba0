// One attempt to set up a payment method: what it leaves behind, and how it is told.

import { type Act, save } from '../api/act.ts';
import { filledField } from '../api/fill-shape.ts';
import { viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import type { Decline } from '../test-cards/list.ts';
import { actionFor } from './actions.ts';
import { foresee, refusedToSave } from './attempt.ts';
import { declineParam } from './decline-param.ts';
import { mandateFor } from './mandates.ts';
import { detailsOf, needsMandate } from './method-kinds.ts';
import { attachTo } from './methods.ts';
import { waitsForDeposits } from './microdeposits.ts';
import type { PaymentMethod, SetupAttempt, SetupIntent } from './records.ts';

export function newSetup(act: Act): SetupIntent {
  const id = act.tx.recordId('seti_', 24);
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: { allow_redirects: 'always', enabled: true },
    cancellation_reason: null,
    client_secret: `${id}_secret_${act.tx.id('', 32)}`,
    created: act.at,
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: 'off_session',
    $session: null,
  };
}

export type SetUp = { readonly intent: SetupIntent; readonly decline: Decline | null };

/** Tries to save a method; everything is written and told. `proven`: the payer has done what was asked. */
export function confirmSetup(
  act: Act,
  intent: SetupIntent,
  method: PaymentMethod,
  returnUrl: string | null,
  proven = false,
): SetUp {
  const outcome = foresee(method, false);
  const refused = refusedToSave(method);
  if (refused !== null) return failSetup(act, intent, method, refused);
  const asks = outcome === 'asks' || waitsForDeposits(intent, method);
  if (asks && !proven && method.type !== 'customer_balance') {
    save(act, 'payment_method', method);
    const asked: SetupIntent = {
      ...intent,
      last_setup_error: null,
      latest_attempt: attempted(act, intent, method, 'requires_action', null),
      next_action: actionFor(act, intent, method, returnUrl),
      payment_method: method.id,
      status: 'requires_action',
    };
    save(act, 'setup_intent', asked);
    tell(act, 'setup_intent.requires_action', 'setup_intent', asked);
    return { intent: asked, decline: null };
  }
  act.tx.kind('setup_intent.succeeded');
  const kept = proven ? { ...method, $setUp: true } : method;
  const owned =
    intent.customer === null || method.customer === intent.customer
      ? kept
      : attachTo(act, kept, intent.customer);
  const once = intent.$single ?? null;
  const agreed = { customer: intent.customer, accepted: intent.$accepted ?? null, once };
  const mandate = needsMandate(method.type) ? mandateFor(act, method, agreed) : null;
  save(act, 'payment_method', mandate === null || once !== null ? owned : { ...owned, $mandate: mandate });
  const done: SetupIntent = {
    ...intent,
    last_setup_error: null,
    latest_attempt: attempted(act, intent, method, 'succeeded', null),
    mandate: once === null ? mandate : null,
    next_action: null,
    payment_method: method.id,
    single_use_mandate: once === null ? null : mandate,
    status: 'succeeded',
  };
  save(act, 'setup_intent', done);
  tell(act, 'setup_intent.succeeded', 'setup_intent', done);
  return { intent: done, decline: null };
}

export function failSetup(act: Act, intent: SetupIntent, method: PaymentMethod, why: Decline): SetUp {
  save(act, 'payment_method', method);
  const error = {
    code: why.code,
    decline_code: why.decline_code,
    doc_url: `https://stripe.com/docs/error-codes/${why.code.replaceAll('_', '-')}`,
    message: why.message,
    ...declineParam(why),
    payment_method: viewOf(act, 'payment_method', method),
    type: 'card_error',
  } as NonNullable<SetupIntent['last_setup_error']>;
  const failed: SetupIntent = {
    ...intent,
    last_setup_error: error,
    latest_attempt: attempted(act, intent, method, 'failed', error),
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
  };
  save(act, 'setup_intent', failed);
  tell(act, 'setup_intent.setup_failed', 'setup_intent', failed);
  return { intent: failed, decline: why };
}

function attempted(
  act: Act,
  intent: SetupIntent,
  method: PaymentMethod,
  status: string,
  error: SetupIntent['last_setup_error'],
): string {
  const made: SetupAttempt = {
    id: act.tx.recordId('setatt_', 24),
    object: 'setup_attempt',
    application: null,
    created: act.at,
    customer: intent.customer,
    customer_account: null,
    flow_directions: null,
    livemode: false,
    on_behalf_of: null,
    payment_method: method.id,
    payment_method_details: filledField(
      'setup_attempt',
      'payment_method_details',
      detailsOf(method),
    ) as SetupAttempt['payment_method_details'],
    setup_error: error as SetupAttempt['setup_error'],
    setup_intent: intent.id,
    status,
    usage: intent.usage,
  };
  save(act, 'setup_attempt', made);
  return made.id;
}
