// The charge of one attempt to pay, and what it does to the balance.

import type { Act } from '../api/act.ts';
import { filledField } from '../api/fill-shape.ts';
import { book, feeOf, PLATFORM, SETTLES_AFTER_DAYS, tellAvailable } from '../balance/book.ts';
import type { Decline } from '../test-cards/list.ts';
import { testCard } from '../test-cards/test-cards.ts';
import { CAPTURE_WINDOW_SECONDS } from './capture-window.ts';
import { detailsOf } from './method-kinds.ts';
import { checked } from './methods.ts';
import type { Charge, PaymentIntent, PaymentMethod } from './records.ts';

/** What a charge takes over of what it pays for. An intent is one; a charge of its own says the same. */
export type Payable = Pick<
  PaymentIntent,
  | 'amount'
  | 'application_fee_amount'
  | 'capture_method'
  | 'created'
  | 'currency'
  | 'customer'
  | 'description'
  | 'metadata'
  | 'on_behalf_of'
  | 'receipt_email'
  | 'shipping'
  | 'statement_descriptor'
  | 'statement_descriptor_suffix'
  | 'transfer_data'
  | 'transfer_group'
> & { readonly id: string | null };

/** Not yet saved. `decline` is null when it was taken, or when the bank has yet to answer (`pending`). */
export function newCharge(
  act: Act,
  intent: Payable,
  method: PaymentMethod,
  decline: Decline | null,
  pending = false,
): Charge {
  const id = act.tx.recordId(method.$card === '' ? 'py_' : 'ch_', 24);
  const taken = decline === null && !pending;
  const held = intent.capture_method === 'manual';
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: taken && !held ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: intent.application_fee_amount,
    balance_transaction: null,
    billing_details: {
      address: method.billing_details.address,
      email: method.billing_details.email,
      name: method.billing_details.name,
      phone: method.billing_details.phone,
      tax_id: null,
    },
    calculated_statement_descriptor: intent.statement_descriptor ?? 'WRLD TWIN',
    captured: decline === null && !held,
    created: act.at,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: intent.on_behalf_of,
    outcome: outcomeOf(method, decline),
    paid: taken,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: (method.type === 'card'
      ? { card: cardDetails(intent, method), type: 'card' }
      : filledField(
          'charge',
          'payment_method_details',
          detailsOf(method),
        )) as Charge['payment_method_details'],
    radar_options: {},
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: decline === null ? `https://pay.stripe.com/receipts/payment/${id}` : null,
    refunded: false,
    review: null,
    shipping: intent.shipping === null ? null : { ...intent.shipping },
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: decline !== null ? 'failed' : pending ? 'pending' : 'succeeded',
    transfer_data:
      intent.transfer_data === null || intent.transfer_data === undefined
        ? null
        : { amount: intent.transfer_data.amount ?? null, destination: intent.transfer_data.destination },
    transfer_group: intent.transfer_group,
    $card: method.$card,
  };
}

/** What the vendor advises after a decline. */
export function adviceOn({ decline_code }: Decline): string {
  if (/^(expired_card|incorrect_)/.test(decline_code)) return 'confirm_card_data';
  return /^(lost_card|stolen_card|fraudulent)$/.test(decline_code) ? 'do_not_try_again' : 'try_again_later';
}

/** What the card networks call some declines; the others are plain refusals. */
const NETWORK_CODES: { readonly [decline: string]: string } = {
  card_velocity_exceeded: '65',
  expired_card: '54',
  incorrect_cvc: 'N7',
  insufficient_funds: '51',
  lost_card: '41',
  processing_error: '96',
  stolen_card: '43',
};

export function networkCodeOf({ decline_code }: Decline): string {
  return NETWORK_CODES[decline_code] ?? '01';
}

function outcomeOf(method: PaymentMethod, decline: Decline | null): Charge['outcome'] {
  const risk = method.$card === '' ? 'normal' : testCard(method.$card).risk;
  const scored = { risk_level: risk, risk_score: { normal: 20, elevated: 65, highest: 92 }[risk] };
  const none = { advice_code: null, network_advice_code: null, network_decline_code: null, reason: null };
  if (decline === null) {
    return {
      ...none,
      ...scored,
      network_status: 'approved_by_network',
      seller_message: 'Payment complete.',
      type: 'authorized',
    };
  }
  if (risk === 'highest') {
    return {
      ...none,
      ...scored,
      network_status: 'not_sent_to_network',
      reason: 'highest_risk_level',
      seller_message: 'Stripe blocked this payment as too risky.',
      type: 'blocked',
    };
  }
  return {
    ...none,
    ...scored,
    advice_code: adviceOn(decline) as 'try_again_later',
    network_decline_code: networkCodeOf(decline),
    network_status: 'declined_by_network',
    reason: decline.decline_code,
    seller_message: 'The bank did not return any further details with this decline.',
    type: 'issuer_declined',
  };
}

type CardDetails = NonNullable<NonNullable<Charge['payment_method_details']>['card']>;

function cardDetails(intent: Payable, method: PaymentMethod): CardDetails {
  const card = testCard(method.$card);
  return {
    amount_authorized: intent.amount,
    authorization_code: '123456',
    brand: card.brand,
    ...(intent.capture_method === 'manual'
      ? { capture_before: intent.created + CAPTURE_WINDOW_SECONDS }
      : {}),
    checks: checked(method),
    country: card.country,
    electronic_commerce_indicator: null,
    exp_month: method.card?.exp_month ?? 1,
    exp_year: method.card?.exp_year ?? 2030,
    extended_authorization: { status: 'disabled' },
    fingerprint: method.card?.fingerprint ?? null,
    funding: card.funding,
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4: card.last4,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: card.brand,
    network_token: { used: false },
    network_transaction_id: null,
    overcapture: { maximum_amount_capturable: intent.amount, status: 'unavailable' },
    regulated_status: 'unregulated',
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  };
}

/** Takes the money of a charge: its balance transaction is booked, its fee with it. Not saved. */
export function bookCharge(act: Act, charge: Charge, amount: number): Charge {
  const type = charge.payment_method_details?.type ?? 'card';
  const bypasses = charge.$card !== '' && testCard(charge.$card).after === 'bypasses-pending';
  const { id } = book(act, {
    amount,
    currency: charge.currency,
    type: type === 'card' ? 'charge' : 'payment',
    category: 'charge',
    source: charge.id,
    description: charge.description,
    // No fee on the card whose use is to fill a balance: the vendor's own triggers transfer all that it paid.
    fee: bypasses ? 0 : feeOf(amount, charge.currency, type),
    days: bypasses ? 0 : SETTLES_AFTER_DAYS,
  });
  if (bypasses) tellAvailable(act, act.account ?? PLATFORM);
  return { ...charge, amount_captured: amount, balance_transaction: id, captured: true };
}
