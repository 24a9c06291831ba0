// Payment intents: made, changed, confirmed and found. How they end is in payments/intent-endings.ts.

import { type Act, need, save } from '../api/act.ts';
import { invalid, type StripeRefusal } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { isCurrency } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, hash, integer, required, text } from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { settlePaid } from '../invoicing/collect.ts';
import { checkDetails } from './amount-details.ts';
import { attempt, declineRefusal } from './attempt.ts';
import { collectedBy, useToken } from './confirmation-tokens.ts';
import { newIntent } from './intent-draft.ts';
import { needIntent, UNPAID, unexpected } from './intent-endings.ts';
import {
  checkAllowed,
  checkAmount,
  checkParties,
  confirming,
  INTENT_UNMODELLED,
  methodGiven,
  withFields,
  writable,
} from './intent-fields.ts';
import { acceptedOf } from './mandates.ts';
import { configurationDetails } from './method-configurations.ts';
import { attachTo, ownedMethod } from './methods.ts';
import { checkDeposits } from './microdeposits.ts';
import type { PaymentIntent } from './records.ts';

const create = operation(
  'paymentIntents.create',
  'POST /v1/payment_intents',
  {
    ...writable,
    ...confirming,
    amount: required(integer(1)),
    automatic_payment_methods: hash({
      allow_redirects: choice('always', 'never'),
      enabled: required(boolean()),
    }),
    confirm: boolean(),
    confirmation_method: choice('automatic', 'manual'),
    currency: required(text()),
  },
  ({ act, params }) => {
    const {
      amount,
      automatic_payment_methods,
      confirm,
      confirmation_method,
      error_on_requires_action,
      off_session,
      return_url,
      use_stripe_sdk,
      confirmation_token: _token,
      mandate,
      mandate_data,
      currency: code,
      ...given
    } = params;
    const currency = code.toLowerCase();
    if (!isCurrency(currency)) throw invalid(`Invalid currency: ${code}`, { param: 'currency' });
    checkAmount(amount, currency);
    if (given.customer !== undefined) need(act, 'customer', given.customer, { param: 'customer' });
    checkParties(act, given);
    const method = methodGiven(act, params, given.customer ?? null);
    if (confirm === true && method === null) throw needsMethod();
    if (confirm !== true && (return_url !== undefined || off_session !== undefined)) {
      const param = return_url === undefined ? 'off_session' : 'return_url';
      throw invalid(
        `The parameter \`${param}\` cannot be passed when creating a PaymentIntent unless \`confirm\` is set to true.`,
        { param },
      );
    }
    if (mandate !== undefined) need(act, 'mandate', mandate, { param: 'mandate' });
    checkDetails(given.amount_details, amount);
    const blank = newIntent(act, {
      amount,
      currency,
      customer: given.customer ?? null,
      description: given.description ?? null,
      invoice: null,
    });
    const intent: PaymentIntent = {
      ...withFields(act, { ...blank, capture_method: 'automatic_async', ...collectedBy(act, params) }, given),
      ...(confirmation_method === undefined ? {} : { confirmation_method }),
      // Without a list of its own the account's methods are offered: for this twin, cards.
      automatic_payment_methods:
        automatic_payment_methods !== undefined
          ? {
              allow_redirects: automatic_payment_methods.allow_redirects ?? 'always',
              enabled: automatic_payment_methods.enabled,
            }
          : given.payment_method_types === undefined
            ? { allow_redirects: 'always', enabled: true }
            : null,
      payment_method: method?.id ?? null,
      payment_method_configuration_details: configurationDetails(act, given),
      status: method === null ? 'requires_payment_method' : 'requires_confirmation',
      $accepted: acceptedOf(mandate_data),
      $mandate: mandate ?? null,
    };
    if (method !== null) checkAllowed(intent, method);
    if (method !== null)
      save(
        act,
        'payment_method',
        method.customer === intent.customer ? method : { ...method, customer: null },
      );
    save(act, 'payment_intent', intent);
    tell(act, 'payment_intent.created', 'payment_intent', intent);
    if (confirm !== true) return viewOf(act, 'payment_intent', intent);
    return confirmed(act, intent, params);
  },
  INTENT_UNMODELLED,
);

function needsMethod(): StripeRefusal {
  return invalid(
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the " +
      'PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment ' +
      'method or ConfirmationToken.',
    { code: 'payment_intent_unexpected_state' },
  );
}

type Confirming = {
  readonly off_session?: boolean;
  readonly return_url?: string;
  readonly error_on_requires_action?: boolean;
  readonly confirmation_token?: string;
};

/** Tries to pay an intent that has its method; a decline is refused with 402, and stays. */
function confirmed(act: Act, intent: PaymentIntent, how: Confirming): View {
  const method = need(act, 'payment_method', intent.payment_method ?? '', { param: 'payment_method' });
  const token =
    how.confirmation_token === undefined
      ? null
      : useToken(act, how.confirmation_token, { payment_intent: intent.id });
  const made = attempt(act, intent, method, {
    offSession: how.off_session === true,
    returnUrl: how.return_url ?? token?.return_url ?? null,
  });
  if (made.decline !== null) throw declineRefusal(act, made.intent, made.decline);
  if (made.outcome === 'action' && how.error_on_requires_action === true) {
    throw declineRefusal(act, made.intent, {
      code: 'authentication_required',
      decline_code: 'authentication_not_handled',
      message: 'Your card was declined. This transaction requires authentication.',
    });
  }
  if (made.outcome !== 'action') {
    if (intent.setup_future_usage !== null && intent.customer !== null && method.customer === null) {
      attachTo(act, need(act, 'payment_method', method.id, { param: 'payment_method' }), intent.customer);
    }
    if (made.outcome === 'paid') settlePaid(act, made.intent);
  }
  return viewOf(act, 'payment_intent', made.intent);
}

const retrieve = operation(
  'paymentIntents.retrieve',
  'GET /v1/payment_intents/{intent}',
  { client_secret: text() },
  ({ act, path }) => viewOf(act, 'payment_intent', needIntent(act, path)),
);

const change = operation(
  'paymentIntents.update',
  'POST /v1/payment_intents/{intent}',
  { ...writable, amount: integer(1), currency: text() },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    const { amount, currency, ...given } = params;
    if (
      !UNPAID.includes(held.status) &&
      (amount !== undefined || currency !== undefined || given.payment_method !== undefined)
    ) {
      throw unexpected(
        held,
        'This PaymentIntent could not be updated',
        'You may only update a PaymentIntent with one of the following statuses: requires_payment_method, requires_confirmation, requires_action.',
      );
    }
    if (amount !== undefined) checkAmount(amount, currency ?? held.currency);
    if (currency !== undefined && !isCurrency(currency))
      throw invalid(`Invalid currency: ${currency}`, { param: 'currency' });
    if (given.customer !== undefined) need(act, 'customer', given.customer, { param: 'customer' });
    checkParties(act, given);
    const method = methodGiven(act, given, given.customer ?? held.customer);
    checkDetails(given.amount_details, amount ?? held.amount);
    const next: PaymentIntent = {
      ...withFields(act, held, given),
      ...(amount === undefined ? {} : { amount }),
      ...(currency === undefined ? {} : { currency: currency.toLowerCase() }),
      ...(method === null
        ? {}
        : { payment_method: method.id, status: 'requires_confirmation', next_action: null }),
    };
    if (method !== null) {
      checkAllowed(next, method);
      save(act, 'payment_method', method);
    }
    save(act, 'payment_intent', next); // Stripe has no event for an update of an intent.
    return viewOf(act, 'payment_intent', next);
  },
  INTENT_UNMODELLED,
);

const confirm = operation(
  'paymentIntents.confirm',
  'POST /v1/payment_intents/{intent}/confirm',
  {
    ...confirming,
    allowed_payment_method_types: writable.allowed_payment_method_types,
    amount_details: writable.amount_details,
    capture_method: writable.capture_method,
    client_secret: text(),
    excluded_payment_method_types: writable.excluded_payment_method_types,
    payment_details: writable.payment_details,
    payment_method: text(),
    payment_method_data: writable.payment_method_data,
    payment_method_options: writable.payment_method_options,
    radar_options: writable.radar_options,
    payment_method_types: writable.payment_method_types,
    receipt_email: writable.receipt_email,
    setup_future_usage: writable.setup_future_usage,
    shipping: writable.shipping,
  },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    if (!UNPAID.includes(held.status)) {
      throw held.status === 'succeeded'
        ? invalid(
            'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
            {
              code: 'payment_intent_unexpected_state',
              payment_intent: viewOf(act, 'payment_intent', held),
            },
          )
        : unexpected(
            held,
            'You cannot confirm this PaymentIntent',
            'Only a PaymentIntent with one of the following statuses may be confirmed: requires_confirmation, requires_action, requires_payment_method.',
          );
    }
    const method =
      methodGiven(act, params, held.customer) ??
      (held.payment_method === null
        ? null
        : ownedMethod(act, held.payment_method, held.customer, 'payment_method'));
    if (method === null) throw needsMethod();
    const {
      confirmation_token: _token,
      mandate,
      mandate_data,
      error_on_requires_action,
      off_session,
      return_url,
      use_stripe_sdk,
      client_secret,
      payment_method,
      ...given
    } = params;
    checkDetails(given.amount_details, held.amount);
    if (mandate !== undefined) need(act, 'mandate', mandate, { param: 'mandate' });
    const next: PaymentIntent = {
      ...withFields(act, { ...held, ...collectedBy(act, params) }, given),
      payment_method: method.id,
      $accepted: acceptedOf(mandate_data) ?? held.$accepted ?? null,
      $mandate: mandate ?? held.$mandate ?? null,
    };
    checkAllowed(next, method);
    save(act, 'payment_method', method);
    return confirmed(act, next, params);
  },
  INTENT_UNMODELLED,
);

const verify = vendor<{ readonly amounts?: readonly number[]; readonly descriptor_code?: string }>(
  'paymentIntents.verifyMicrodeposits',
  ({ act, path, params }) => {
    const held = needIntent(act, { intent: path['id'] ?? '' });
    if (held.next_action?.type !== 'verify_with_microdeposits') {
      throw unexpected(
        held,
        'This PaymentIntent cannot be verified',
        'Only a PaymentIntent that waits for microdeposits to be verified may be verified.',
      );
    }
    checkDeposits(params);
    const method = need(act, 'payment_method', held.payment_method ?? '', { param: 'payment_method' });
    save(act, 'payment_method', { ...method, $setUp: true });
    return confirmed(act, held, {});
  },
  // No server sends it, so that it is not declared; a page must.
  { client_secret: text() },
);

const listAll = operation(
  'paymentIntents.list',
  'GET /v1/payment_intents',
  { ...createdParams, customer: text() },
  ({ act, params }) => {
    const { customer } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    return page(
      act,
      'payment_intent',
      params,
      '/v1/payment_intents',
      customer === undefined ? {} : { where: { customer } },
    );
  },
  ['customer_account'],
);

const find = operation(
  'paymentIntents.search',
  'GET /v1/payment_intents/search',
  searchParams,
  ({ act, params }) =>
    search(act, 'payment_intent', params, '/v1/payment_intents/search', [
      'amount',
      'created',
      'currency',
      'customer',
      'metadata',
      'status',
    ]),
);

export const paymentIntentOperations = [create, retrieve, change, confirm, verify, listAll, find];
