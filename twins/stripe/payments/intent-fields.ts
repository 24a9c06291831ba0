// What callers may set on a payment intent.

import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { chargeFault, minimumOf, signed } from '../api/money.ts';
import {
  boolean,
  choice,
  type Decoded,
  hash,
  integer,
  list,
  mergeMetadata,
  metadata,
  text,
  tree,
  unset,
} from '../api/params.ts';
import { amountDetailsParam, detailed } from './amount-details.ts';
import { methodOfToken } from './confirmation-tokens.ts';
import { methodDataParam, methodFrom, ownedMethod } from './methods.ts';
import type { PaymentIntent, PaymentMethod } from './records.ts';
import { shippingOf, shippingParam } from './shipping.ts';

export const writable = {
  allowed_payment_method_types: list(text()),
  amount_details: unset(amountDetailsParam()),
  application_fee_amount: integer(0),
  excluded_payment_method_types: list(text()),
  on_behalf_of: text(),
  payment_details: unset(hash({ customer_reference: unset(text()), order_reference: unset(text()) })),
  payment_method_configuration: text(),
  payment_method_data: methodDataParam(),
  payment_method_options: tree('expires_after_days', 'amount', 'interval_count', 'start_date', 'end_date'),
  radar_options: tree(),
  transfer_data: hash({
    amount: integer(0),
    description: text(),
    destination: text(),
    metadata: metadata(),
    payment_data: tree(),
  }),
  capture_method: choice('automatic', 'automatic_async', 'manual'),
  customer: text(),
  description: text(),
  metadata: metadata(),
  payment_method: text(),
  payment_method_types: list(text()),
  receipt_email: unset(text()),
  setup_future_usage: unset(choice('off_session', 'on_session')),
  shipping: unset(shippingParam()),
  statement_descriptor: text(22),
  statement_descriptor_suffix: text(22),
  transfer_group: text(),
} as const;

export const confirming = {
  confirmation_token: text(),
  mandate: text(),
  mandate_data: unset(tree('accepted_at')),
  error_on_requires_action: boolean(),
  off_session: boolean(),
  return_url: text(),
  use_stripe_sdk: boolean(),
} as const;

export const INTENT_UNMODELLED = ['customer_account', 'hooks'];

type Named = {
  readonly payment_method?: string;
  readonly payment_method_data?: Decoded<{ d: ReturnType<typeof methodDataParam> }>['d'];
  readonly confirmation_token?: string;
};

/** The method that the parameters name, in whichever way; null for none. Not saved. Throws. */
export function methodGiven(act: Act, given: Named, customer: string | null): PaymentMethod | null {
  if (given.confirmation_token !== undefined) return methodOfToken(act, given.confirmation_token);
  if (given.payment_method_data !== undefined) {
    return methodFrom(act, given.payment_method_data, 'payment_method_data');
  }
  return given.payment_method === undefined
    ? null
    : ownedMethod(act, given.payment_method, customer, 'payment_method');
}

export function withFields(act: Act, held: PaymentIntent, given: Decoded<typeof writable>): PaymentIntent {
  const {
    allowed_payment_method_types: allowed,
    amount_details,
    metadata: tags,
    payment_details,
    payment_method_types,
    shipping,
    payment_method,
    excluded_payment_method_types: excluded,
    payment_method_configuration: _configuration,
    payment_method_data: _data,
    payment_method_options: options,
    radar_options: _radar,
    transfer_data,
    ...scalars
  } = given;
  return {
    ...held,
    ...(scalars as Partial<PaymentIntent>),
    ...(payment_method_types === undefined ? {} : { payment_method_types: [...payment_method_types] }),
    ...(allowed === undefined
      ? {}
      : { allowed_payment_method_types: [...allowed], payment_method_types: [...allowed] }),
    ...detailed(act, amount_details),
    ...(payment_details === undefined
      ? {}
      : {
          payment_details: {
            customer_reference: payment_details?.customer_reference ?? null,
            order_reference: payment_details?.order_reference ?? null,
          },
        }),
    ...(payment_method === undefined ? {} : { payment_method }),
    ...(excluded === undefined ? {} : { excluded_payment_method_types: [...excluded] }),
    ...(options === undefined
      ? {}
      : { payment_method_options: { ...held.payment_method_options, ...options } }),
    ...(transfer_data === undefined
      ? {}
      : {
          // The destination is there: given now, or when the intent was made.
          transfer_data: { ...held.transfer_data, ...transfer_data } as NonNullable<
            PaymentIntent['transfer_data']
          >,
        }),
    ...(shipping === undefined ? {} : { shipping: shippingOf(shipping) }),
    metadata: mergeMetadata(held.metadata, tags),
  };
}

/** A caller's own list of types binds; without one, every type that this twin knows is taken. */
export function checkAllowed(intent: PaymentIntent, method: PaymentMethod): void {
  const bound = intent.allowed_payment_method_types !== null || intent.automatic_payment_methods === null;
  const types: readonly string[] = intent.payment_method_types;
  if (!bound || types.includes(method.type) || intent.$invoice !== null) return;
  throw invalid(
    `The PaymentMethod provided (${method.type}) is not allowed for this PaymentIntent. Please attach a payment ` +
      `method of one of the following types: ${types.join(', ')}. Otherwise, update the allowed payment method types ` +
      `for this PaymentIntent to include "${method.type}".`,
    { code: 'payment_intent_incompatible_payment_method', param: 'payment_method' },
  );
}

/** The accounts that a payment is shared with are there. */
export function checkParties(
  act: Act,
  given: Pick<Decoded<typeof writable>, 'transfer_data' | 'on_behalf_of'>,
): void {
  const destination = given.transfer_data?.destination;
  if (destination !== undefined) need(act, 'account', destination, { param: 'transfer_data[destination]' });
  if (given.on_behalf_of !== undefined) need(act, 'account', given.on_behalf_of, { param: 'on_behalf_of' });
}

/** Eight digits, of whichever currency. */
const AMOUNT_MAX = 99_999_999;

/** An amount that its currency cannot be charged, or refunded, in. */
export function checkDigits(amount: number, currency: string): void {
  const message = chargeFault(amount, currency);
  if (message !== null)
    throw invalid(message, { code: 'invalid_charge_amount_no_decimal_compatible', param: 'amount' });
}

export function checkAmount(amount: number, currency: string): void {
  const minimum = minimumOf(currency);
  if (minimum !== null && amount < minimum.amount) {
    throw invalid(`Amount must be at least ${minimum.shown}`, { code: 'amount_too_small', param: 'amount' });
  }
  if (amount > AMOUNT_MAX) {
    const most = signed(AMOUNT_MAX, currency);
    throw invalid(`Amount must be no more than ${most}`, { code: 'amount_too_large', param: 'amount' });
  }
  checkDigits(amount, currency);
}
