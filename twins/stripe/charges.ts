// Charges: what a payment intent makes of a card. Read-only to callers, but for capture through the intent.

import { update } from './events.ts';
import { createdParams, page } from './list.ts';
import { operation } from './operation.ts';
import { mergeMetadata, metadata, text, unset } from './params.ts';
import { type Act, need } from './records.ts';
import { testCard } from './test-cards.ts';
import { viewOf } from './views.ts';
import type { Charge, PaymentIntent, PaymentMethod } from './wire.ts';

export type Decline = { readonly code: string; readonly decline_code: string; readonly message: string };

/** The charge of one attempt; not yet saved. `decline` is null when the card took it. */
export function newCharge(
  act: Act,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline | null,
): Charge {
  const id = act.tx.id('ch_', 24);
  const held = intent.capture_method === 'manual';
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: decline === null && !held ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: decline === null && !held ? act.tx.id('txn_', 24) : null,
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
    on_behalf_of: null,
    outcome: {
      advice_code: decline === null ? null : 'try_again_later',
      network_advice_code: null,
      network_decline_code: decline === null ? null : '01',
      network_status: decline === null ? 'approved_by_network' : 'declined_by_network',
      reason: decline?.decline_code ?? null,
      risk_level: 'normal',
      risk_score: 20,
      seller_message:
        decline === null
          ? 'Payment complete.'
          : 'The bank did not return any further details with this decline.',
      type: decline === null ? 'authorized' : 'issuer_declined',
    },
    paid: decline === null,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { card: cardDetails(intent, method), type: 'card' },
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
    status: decline === null ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: intent.transfer_group,
  };
}

type CardDetails = NonNullable<NonNullable<Charge['payment_method_details']>['card']>;

/** An uncaptured card payment holds for a week. */
const CAPTURE_WINDOW_SECONDS = 7 * 24 * 60 * 60;

function cardDetails(intent: PaymentIntent, method: PaymentMethod): CardDetails {
  const card = testCard(method.$card);
  return {
    amount_authorized: intent.amount,
    authorization_code: '123456',
    brand: card.brand,
    ...(intent.capture_method === 'manual'
      ? { capture_before: intent.created + CAPTURE_WINDOW_SECONDS }
      : {}),
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: null },
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

const retrieve = operation('charges.retrieve', 'GET /v1/charges/{charge}', {}, ({ act, path }) =>
  viewOf(act.tx, 'charge', need(act, 'charge', path['charge'] ?? '', { param: 'id', inPath: true })),
);

const change = operation(
  'charges.update',
  'POST /v1/charges/{charge}',
  { description: text(), metadata: metadata(), receipt_email: text(), transfer_group: unset(text()) },
  ({ act, path, params }) => {
    const held = need(act, 'charge', path['charge'] ?? '', { param: 'id', inPath: true });
    const next = { ...held, ...params, metadata: mergeMetadata(held.metadata, params.metadata) };
    return viewOf(act.tx, 'charge', update(act, 'charge', held, next, 'charge.updated'));
  },
  ['customer', 'fraud_details', 'shipping'],
);

const listAll = operation(
  'charges.list',
  'GET /v1/charges',
  { ...createdParams, customer: text(), payment_intent: text(), transfer_group: text() },
  ({ act, params }) => {
    const { customer, payment_intent, transfer_group } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    return page(act, 'charge', params, '/v1/charges', {
      ...(payment_intent !== undefined
        ? { where: { payment_intent } }
        : customer !== undefined
          ? { where: { customer } }
          : {}),
      keep: charge =>
        (customer === undefined || charge.customer === customer) &&
        (transfer_group === undefined || charge.transfer_group === transfer_group),
    });
  },
);

export const chargeOperations = [retrieve, change, listAll];
