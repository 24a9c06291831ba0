// What callers may set on a payment intent.
import { fullAddress } from './address.ts';
import { invalid } from './errors.ts';
import { minimumOf } from './money.ts';
import {
  addressParam,
  boolean,
  choice,
  type Decoded,
  hash,
  list,
  mergeMetadata,
  metadata,
  required,
  text,
  unset,
} from './params.ts';
import type { PaymentIntent } from './wire.ts';

export const writable = {
  capture_method: choice('automatic', 'automatic_async', 'manual'),
  customer: text(),
  description: text(),
  metadata: metadata(),
  payment_method: text(),
  payment_method_types: list(text()),
  receipt_email: unset(text()),
  setup_future_usage: unset(choice('off_session', 'on_session')),
  shipping: unset(
    hash({
      address: required(addressParam()),
      carrier: text(),
      name: required(text()),
      phone: text(),
      tracking_number: text(),
    }),
  ),
  statement_descriptor: text(22),
  statement_descriptor_suffix: text(22),
  transfer_group: text(),
} as const;

export const confirming = {
  error_on_requires_action: boolean(),
  off_session: boolean(),
  return_url: text(),
  use_stripe_sdk: boolean(),
} as const;

export const INTENT_UNMODELLED = [
  'allowed_payment_method_types',
  'amount_details',
  'application_fee_amount',
  'confirmation_token',
  'customer_account',
  'excluded_payment_method_types',
  'hooks',
  'mandate',
  'mandate_data',
  'on_behalf_of',
  'payment_details',
  'payment_method_configuration',
  'payment_method_data',
  'payment_method_options',
  'radar_options',
  'transfer_data',
];

export function written(held: PaymentIntent, given: Decoded<typeof writable>): PaymentIntent {
  const { metadata: tags, payment_method_types, shipping, payment_method, ...scalars } = given;
  return {
    ...held,
    ...(scalars as Partial<PaymentIntent>),
    ...(payment_method_types === undefined ? {} : { payment_method_types: [...payment_method_types] }),
    ...(payment_method === undefined ? {} : { payment_method }),
    ...(shipping === undefined
      ? {}
      : {
          shipping:
            shipping === null
              ? null
              : {
                  address: fullAddress(shipping.address) as NonNullable<ReturnType<typeof fullAddress>>,
                  carrier: shipping.carrier ?? null,
                  name: shipping.name,
                  phone: shipping.phone ?? null,
                  tracking_number: shipping.tracking_number ?? null,
                },
        }),
    metadata: mergeMetadata(held.metadata, tags),
  };
}

export function checkAmount(amount: number, currency: string): void {
  const minimum = minimumOf(currency);
  if (minimum !== null && amount < minimum.amount) {
    throw invalid(`Amount must be at least ${minimum.shown}`, { code: 'amount_too_small', param: 'amount' });
  }
  if (amount > 99_999_999) {
    throw invalid('Amount must be no more than $999,999.99', { code: 'amount_too_large', param: 'amount' });
  }
}
