// Confirmation tokens: what a payment form collected, to confirm an intent with from a server. A page makes them; so does a
// test.

import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { type Ask, operation } from '../api/operation.ts';
import { choice, text, treeOf } from '../api/params.ts';
import { embedded, type View, viewOf } from '../api/view.ts';
import { methodDataParam, methodFrom, ownedMethod } from './methods.ts';
import type { ConfirmationToken, PaymentIntent, PaymentMethod } from './records.ts';
import { shippingOf, shippingParam } from './shipping.ts';

type Preview = ConfirmationToken['payment_method_preview'] & Pick<PaymentMethod, 'id' | 'object' | 'created'>;

const LIVES_SECONDS = 12 * 60 * 60;

const collected = {
  payment_method: text(),
  payment_method_data: methodDataParam(),
  payment_method_options: treeOf<NonNullable<ConfirmationToken['payment_method_options']>>(),
  return_url: text(),
  setup_future_usage: choice('off_session', 'on_session'),
  shipping: shippingParam(),
} as const;

function make({ act, params }: Ask<typeof collected>): View {
  const method =
    params.payment_method_data !== undefined
      ? methodFrom(act, params.payment_method_data, 'payment_method_data')
      : ownedMethod(act, params.payment_method ?? '', null, 'payment_method');
  const {
    id: _id,
    object: _object,
    created: _created,
    ...preview
  } = embedded<Preview>(act, 'payment_method', method);
  const token: ConfirmationToken = {
    id: act.tx.id('ctoken_', 24),
    object: 'confirmation_token',
    created: act.at,
    expires_at: act.at + LIVES_SECONDS,
    livemode: false,
    metadata: null,
    payment_intent: null,
    payment_method_options: params.payment_method_options ?? null,
    payment_method_preview: preview,
    return_url: params.return_url ?? null,
    setup_future_usage: params.setup_future_usage ?? null,
    setup_intent: null,
    shipping:
      params.shipping === undefined ? null : (shippingOf(params.shipping) as ConfirmationToken['shipping']),
    use_stripe_sdk: true,
    $method: method.id,
  };
  act.tx.kind('confirmation_token.created');
  save(act, 'payment_method', method);
  save(act, 'confirmation_token', token);
  return viewOf(act, 'confirmation_token', token);
}

const create = operation('confirmationTokens.create', 'POST /v1/confirmation_tokens', collected, make);

const createForTest = operation(
  'testHelpers.confirmationTokens.create',
  'POST /v1/test_helpers/confirmation_tokens',
  collected,
  make,
);

const retrieve = operation(
  'confirmationTokens.retrieve',
  'GET /v1/confirmation_tokens/{confirmation_token}',
  {},
  ({ act, path }) =>
    viewOf(
      act,
      'confirmation_token',
      need(act, 'confirmation_token', path['confirmation_token'] ?? '', {
        param: 'confirmation_token',
        inPath: true,
      }),
    ),
);

/** The method a token stands for; throws for one that is gone. */
export function methodOfToken(act: Act, id: string): PaymentMethod {
  const token = need(act, 'confirmation_token', id, { param: 'confirmation_token' });
  if (token.payment_intent !== null || token.setup_intent !== null || (token.expires_at ?? 0) <= act.at) {
    throw invalid(`The ConfirmationToken ${id} was already used or has expired.`, {
      code: 'token_already_used',
      param: 'confirmation_token',
    });
  }
  return need(act, 'payment_method', token.$method, { param: 'confirmation_token' });
}

/** It confirmed this intent and confirms no other. */
export function useToken(
  act: Act,
  id: string,
  intent: Partial<Pick<ConfirmationToken, 'payment_intent' | 'setup_intent'>>,
): ConfirmationToken {
  const token = need(act, 'confirmation_token', id, { param: 'confirmation_token' });
  save(act, 'confirmation_token', { ...token, ...intent });
  return token;
}

/** What the form collected of a payment besides its method; what the request itself says goes before it. */
export function collectedBy(
  act: Act,
  { confirmation_token: id }: { readonly confirmation_token?: string },
): Partial<Pick<PaymentIntent, 'setup_future_usage' | 'shipping'>> {
  if (id === undefined) return {};
  const { setup_future_usage: usage, shipping } = need(act, 'confirmation_token', id, {
    param: 'confirmation_token',
  });
  return {
    ...(usage === null ? {} : { setup_future_usage: usage }),
    ...(shipping === null ? {} : { shipping: shipping as PaymentIntent['shipping'] }),
  };
}

export const confirmationTokenOperations = [create, createForTest, retrieve];
