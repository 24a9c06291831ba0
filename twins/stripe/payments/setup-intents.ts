// Setup intents: saving a payment method for later, through every state it can be in.

import { type Act, need, save } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  required,
  text,
  tree,
} from '../api/params.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { methodOfToken, useToken } from './confirmation-tokens.ts';
import { declineParam } from './decline-param.ts';
import { acceptedOf } from './mandates.ts';
import { configurationDetails } from './method-configurations.ts';
import { methodDataParam, methodFrom, ownedMethod } from './methods.ts';
import { checkDeposits } from './microdeposits.ts';
import type { PaymentMethod, SetupIntent } from './records.ts';
import { confirmSetup, newSetup } from './setup.ts';

const writable = {
  allowed_payment_method_types: list(text()),
  customer: text(),
  description: text(),
  excluded_payment_method_types: list(text()),
  flow_directions: list(choice('inbound', 'outbound')),
  metadata: metadata(),
  payment_method: text(),
  payment_method_configuration: text(),
  payment_method_data: methodDataParam(),
  payment_method_options: tree(),
  payment_method_types: list(text()),
} as const;

const confirming = {
  confirmation_token: text(),
  mandate_data: tree('accepted_at'),
  return_url: text(),
  use_stripe_sdk: boolean(),
} as const;

type Given = Decoded<typeof writable> & { readonly confirmation_token?: string };

/** The method that the parameters name, in whichever way; null for none. Not saved. */
function methodGiven(act: Act, given: Given, customer: string | null): PaymentMethod | null {
  if (given.confirmation_token !== undefined) return methodOfToken(act, given.confirmation_token);
  if (given.payment_method_data !== undefined) {
    return methodFrom(act, given.payment_method_data, 'payment_method_data');
  }
  return given.payment_method === undefined
    ? null
    : ownedMethod(act, given.payment_method, customer, 'payment_method');
}

function withFields(held: SetupIntent, given: Decoded<typeof writable>): SetupIntent {
  return {
    ...held,
    ...(given.customer === undefined ? {} : { customer: given.customer }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(given.flow_directions === undefined ? {} : { flow_directions: [...given.flow_directions] }),
    ...(given.payment_method_options === undefined
      ? {}
      : { payment_method_options: given.payment_method_options }),
    ...(given.excluded_payment_method_types === undefined
      ? {}
      : { excluded_payment_method_types: [...given.excluded_payment_method_types] }),
    ...(given.allowed_payment_method_types === undefined
      ? {}
      : {
          allowed_payment_method_types: [...given.allowed_payment_method_types],
          payment_method_types: [...given.allowed_payment_method_types],
        }),
    ...(given.payment_method_types === undefined
      ? {}
      : { automatic_payment_methods: null, payment_method_types: [...given.payment_method_types] }),
    metadata: mergeMetadata(held.metadata ?? {}, given.metadata),
  };
}

const create = operation(
  'setupIntents.create',
  'POST /v1/setup_intents',
  {
    ...writable,
    ...confirming,
    attach_to_self: boolean(),
    automatic_payment_methods: hash({
      allow_redirects: choice('always', 'never'),
      enabled: required(boolean()),
    }),
    confirm: boolean(),
    on_behalf_of: text(),
    single_use: hash({ amount: required(integer(1)), currency: required(text()) }),
    usage: choice('off_session', 'on_session'),
  },
  ({ act, params }) => {
    if (params.customer !== undefined) need(act, 'customer', params.customer, { param: 'customer' });
    const method = methodGiven(act, params, params.customer ?? null);
    if (params.confirm === true && method === null) throw needsMethod();
    const intent: SetupIntent = {
      ...withFields(newSetup(act), params),
      ...(params.automatic_payment_methods === undefined
        ? {}
        : {
            automatic_payment_methods: {
              allow_redirects: params.automatic_payment_methods.allow_redirects ?? 'always',
              enabled: params.automatic_payment_methods.enabled,
            },
          }),
      ...(params.on_behalf_of === undefined ? {} : { on_behalf_of: params.on_behalf_of }),
      payment_method: method?.id ?? null,
      payment_method_configuration_details: configurationDetails(act, params),
      status: method === null ? 'requires_payment_method' : 'requires_confirmation',
      usage: params.usage ?? 'off_session',
      $accepted: acceptedOf(params.mandate_data),
      $single: params.single_use === undefined ? null : { ...params.single_use },
    };
    if (method !== null && act.tx.get('payment_method', method.id) === undefined) {
      save(act, 'payment_method', { ...method, customer: null });
    }
    save(act, 'setup_intent', intent);
    tell(act, 'setup_intent.created', 'setup_intent', intent);
    if (params.confirm !== true || method === null) return viewOf(act, 'setup_intent', intent);
    return outcome(act, intent, method, params);
  },
  ['customer_account'],
);

/** A decline is answered with 402, and stays. */
function outcome(
  act: Act,
  intent: SetupIntent,
  method: PaymentMethod,
  how: { readonly confirmation_token?: string; readonly return_url?: string },
): View {
  const token =
    how.confirmation_token === undefined
      ? null
      : useToken(act, how.confirmation_token, { setup_intent: intent.id });
  const made = confirmSetup(act, intent, method, how.return_url ?? token?.return_url ?? null);
  if (made.decline === null) return viewOf(act, 'setup_intent', made.intent);
  throw new StripeRefusal(402, made.decline.message, {
    type: 'card_error',
    code: made.decline.code,
    decline_code: made.decline.decline_code,
    ...declineParam(made.decline),
    payment_method: viewOf(act, 'payment_method', method),
    setup_intent: viewOf(act, 'setup_intent', made.intent),
  });
}

function needsMethod(): StripeRefusal {
  return invalid(
    "You cannot confirm this SetupIntent because it's missing a payment method. Update the SetupIntent with a payment " +
      'method and then confirm it again.',
    { code: 'setup_intent_unexpected_state' },
  );
}

const needIntent = (act: Act, path: { readonly [name: string]: string }): SetupIntent =>
  need(act, 'setup_intent', path['intent'] ?? '', { param: 'intent', inPath: true });

const OPEN = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

function refuseClosed(held: SetupIntent, what: string): void {
  if (OPEN.includes(held.status)) return;
  throw invalid(`${what} because it has a status of ${held.status}.`, {
    code: 'setup_intent_unexpected_state',
  });
}

const retrieve = operation(
  'setupIntents.retrieve',
  'GET /v1/setup_intents/{intent}',
  { client_secret: text() },
  ({ act, path }) => viewOf(act, 'setup_intent', needIntent(act, path)),
);

const change = operation(
  'setupIntents.update',
  'POST /v1/setup_intents/{intent}',
  { ...writable, attach_to_self: boolean() },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    if (params.customer !== undefined) need(act, 'customer', params.customer, { param: 'customer' });
    if (params.payment_method !== undefined) refuseClosed(held, 'You cannot update this SetupIntent');
    const method = methodGiven(act, params, params.customer ?? held.customer);
    if (method !== null && act.tx.get('payment_method', method.id) === undefined) {
      save(act, 'payment_method', { ...method, customer: null });
    }
    const next: SetupIntent = {
      ...withFields(held, params),
      ...(method === null
        ? {}
        : { next_action: null, payment_method: method.id, status: 'requires_confirmation' }),
    };
    save(act, 'setup_intent', next); // Stripe has no event for it.
    return viewOf(act, 'setup_intent', next);
  },
);

const confirm = operation(
  'setupIntents.confirm',
  'POST /v1/setup_intents/{intent}/confirm',
  {
    ...confirming,
    allowed_payment_method_types: writable.allowed_payment_method_types,
    client_secret: text(),
    payment_method: text(),
    payment_method_data: methodDataParam(),
    payment_method_options: tree(),
  },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    refuseClosed(held, 'You cannot confirm this SetupIntent');
    const method =
      methodGiven(act, params, held.customer) ??
      (held.payment_method === null
        ? null
        : ownedMethod(act, held.payment_method, held.customer, 'payment_method'));
    if (method === null) throw needsMethod();
    const types = { allowed_payment_method_types: params.allowed_payment_method_types };
    const typed = types.allowed_payment_method_types === undefined ? held : withFields(held, types as Given);
    const next = { ...typed, $accepted: acceptedOf(params.mandate_data) ?? held.$accepted ?? null };
    return outcome(act, next, method, params);
  },
);

const cancel = operation(
  'setupIntents.cancel',
  'POST /v1/setup_intents/{intent}/cancel',
  { cancellation_reason: choice('abandoned', 'duplicate', 'requested_by_customer') },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    refuseClosed(held, 'You cannot cancel this SetupIntent');
    const next: SetupIntent = {
      ...held,
      cancellation_reason: params.cancellation_reason ?? null,
      next_action: null,
      status: 'canceled',
    };
    save(act, 'setup_intent', next);
    tell(act, 'setup_intent.canceled', 'setup_intent', next);
    return viewOf(act, 'setup_intent', next);
  },
);

const verify = operation(
  'setupIntents.verifyMicrodeposits',
  'POST /v1/setup_intents/{intent}/verify_microdeposits',
  { amounts: list(integer()), client_secret: text(), descriptor_code: text() },
  ({ act, path, params }) => {
    const held = needIntent(act, path);
    refuseClosed(held, 'You cannot verify this SetupIntent');
    checkDeposits(params);
    const method = need(act, 'payment_method', held.payment_method ?? '', { param: 'payment_method' });
    return viewOf(act, 'setup_intent', confirmSetup(act, held, method, null, true).intent);
  },
);

const listAll = operation(
  'setupIntents.list',
  'GET /v1/setup_intents',
  { ...createdParams, attach_to_self: boolean(), customer: text(), payment_method: text() },
  ({ act, params }) => {
    const { customer, payment_method } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    return page(act, 'setup_intent', params, '/v1/setup_intents', {
      ...(payment_method !== undefined
        ? { where: { payment_method } }
        : customer !== undefined
          ? { where: { customer } }
          : {}),
      ...(customer === undefined ? {} : { keep: held => held.customer === customer }),
    });
  },
);

const attempts = operation(
  'setupAttempts.list',
  'GET /v1/setup_attempts',
  { ...createdParams, setup_intent: required(text()) },
  ({ act, params }) =>
    page(act, 'setup_attempt', params, '/v1/setup_attempts', {
      where: { setup_intent: params.setup_intent },
    }),
);

const mandate = operation('mandates.retrieve', 'GET /v1/mandates/{mandate}', {}, ({ act, path }) =>
  viewOf(act, 'mandate', need(act, 'mandate', path['mandate'] ?? '', { param: 'mandate', inPath: true })),
);

export const setupOperations = [
  create,
  retrieve,
  change,
  confirm,
  cancel,
  verify,
  listAll,
  attempts,
  mandate,
];
