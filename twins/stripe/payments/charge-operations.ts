// Charges as callers make and read them; those of intents are made in ../payments.ts.

import { type Act, find, need, save } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { isCurrency } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  choice,
  either,
  hash,
  integer,
  mergeMetadata,
  metadata,
  required,
  text,
  tree,
  unset,
} from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { follow } from './aftermath.ts';
import { awaitBank, capture as captureIntent, declineOf, foresee } from './attempt.ts';
import { watchWindow } from './capture-window.ts';
import { bookCharge, newCharge, type Payable } from './charges.ts';
import { declineParam } from './decline-param.ts';
import { checkAmount } from './intent-fields.ts';
import type { Charge, PaymentIntent } from './records.ts';
import { share } from './share.ts';
import { shippingOf, shippingParam } from './shipping.ts';
import { payerOf } from './sources.ts';
import { tokenParam } from './tokens.ts';

const shared = {
  description: text(),
  metadata: metadata(),
  receipt_email: text(),
  shipping: shippingParam(),
  transfer_group: text(),
} as const;

const create = operation(
  'charges.create',
  'POST /v1/charges',
  {
    ...shared,
    amount: required(integer(1)),
    application_fee_amount: integer(0),
    capture: boolean(),
    currency: required(text()),
    customer: text(),
    on_behalf_of: text(),
    radar_options: tree(),
    source: tokenParam(),
    statement_descriptor: text(22),
    statement_descriptor_suffix: text(22),
    transfer_data: hash({ amount: integer(0), destination: required(text()) }),
    // What the last two were called before.
    application_fee: integer(0),
    destination: either(text(), hash({ account: required(text()), amount: integer(0) })),
  },
  ({ act, params }) => {
    const currency = params.currency.toLowerCase();
    if (!isCurrency(currency)) throw invalid(`Invalid currency: ${params.currency}`, { param: 'currency' });
    checkAmount(params.amount, currency);
    const older =
      typeof params.destination === 'string' ? { account: params.destination } : params.destination;
    const destination = params.transfer_data?.destination ?? older?.account;
    if (destination !== undefined) need(act, 'account', destination, { param: 'transfer_data[destination]' });
    const payer = payerOf(act, params.source, params.customer);
    const payable: Payable = {
      id: null,
      amount: params.amount,
      application_fee_amount: params.application_fee_amount ?? params.application_fee ?? null,
      capture_method: params.capture === false ? 'manual' : 'automatic',
      created: act.at,
      currency,
      customer: params.customer ?? null,
      description: params.description ?? null,
      metadata: mergeMetadata({}, params.metadata),
      on_behalf_of: params.on_behalf_of ?? null,
      receipt_email: params.receipt_email ?? null,
      shipping: shippingOf(params.shipping ?? null),
      statement_descriptor: params.statement_descriptor ?? null,
      statement_descriptor_suffix: params.statement_descriptor_suffix ?? null,
      transfer_data:
        destination === undefined
          ? null
          : ({
              amount: params.transfer_data?.amount ?? older?.amount ?? null,
              destination,
            } as NonNullable<PaymentIntent['transfer_data']>),
      transfer_group: params.transfer_group ?? null,
    };
    const outcome = foresee(payer.method, true);
    const why = outcome === 'declines' ? declineOf(payer.method) : null;
    const debit = outcome === 'processes';
    const drafted: Charge = {
      ...newCharge(act, payable, payer.method, why, debit),
      payment_intent: null,
      source: payer.source,
    };
    if (why !== null) {
      save(act, 'charge', drafted);
      tell(act, 'charge.failed', 'charge', drafted);
      throw new StripeRefusal(402, why.message, {
        type: 'card_error',
        charge: drafted.id,
        code: why.code,
        ...(why.code === 'card_declined' ? { decline_code: why.decline_code } : {}),
        ...declineParam(why),
      });
    }
    if (debit) return viewOf(act, 'charge', awaitBank(act, drafted, payer.method));
    const taken = params.capture === false ? drafted : share(act, bookCharge(act, drafted, params.amount));
    save(act, 'charge', taken);
    act.tx.kind('charge.succeeded');
    tell(act, 'charge.succeeded', 'charge', taken);
    if (params.capture === false) watchWindow(act, taken);
    follow(act, taken);
    return viewOf(act, 'charge', taken);
  },
);

const needCharge = (act: Act, path: { readonly [name: string]: string }): Charge =>
  need(act, 'charge', path['charge'] ?? '', { param: 'id', inPath: true });

const retrieve = operation('charges.retrieve', 'GET /v1/charges/{charge}', {}, ({ act, path }) =>
  viewOf(act, 'charge', needCharge(act, path)),
);

const change = operation(
  'charges.update',
  'POST /v1/charges/{charge}',
  {
    ...shared,
    customer: text(),
    fraud_details: hash({ user_report: required(unset(choice('fraudulent', 'safe'))) }),
    transfer_group: unset(text()),
  },
  ({ act, path, params }) => {
    const held = needCharge(act, path);
    const { shipping, fraud_details, customer, metadata: tags, ...scalars } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    const report = fraud_details?.user_report;
    const next: Charge = {
      ...held,
      ...scalars,
      ...(customer === undefined ? {} : { customer }),
      ...(shipping === undefined ? {} : { shipping: shippingOf(shipping) as Charge['shipping'] }),
      ...(report === undefined ? {} : { fraud_details: report === null ? {} : { user_report: report } }),
      metadata: mergeMetadata(held.metadata, tags),
    };
    return viewOf(act, 'charge', update(act, 'charge', held, next, 'charge.updated'));
  },
);

const capture = operation(
  'charges.capture',
  'POST /v1/charges/{charge}/capture',
  {
    amount: integer(1),
    application_fee_amount: integer(0),
    receipt_email: text(),
    statement_descriptor: text(22),
    statement_descriptor_suffix: text(22),
    transfer_data: hash({ amount: integer(0) }),
    transfer_group: text(),
  },
  ({ act, path, params }) => {
    const held = needCharge(act, path);
    if (held.captured) {
      throw invalid(`Charge ${held.id} has already been captured.`, { code: 'charge_already_captured' });
    }
    if (held.refunded || held.status !== 'succeeded') {
      throw invalid(`Charge ${held.id} cannot be captured because it has been refunded or has failed.`, {
        code: 'charge_expired_for_capture',
      });
    }
    const amount = params.amount ?? held.amount;
    if (amount > held.amount) {
      throw invalid(
        `The amount to capture (${amount}) is greater than the amount of the charge (${held.amount}).`,
        {
          param: 'amount',
        },
      );
    }
    const intent =
      held.payment_intent === null ? undefined : find(act, 'payment_intent', held.payment_intent);
    if (intent !== undefined) {
      captureIntent(act, intent, amount);
      return viewOf(act, 'charge', needCharge(act, path));
    }
    const { amount: _amount, transfer_data: _data, ...more } = params;
    const next = share(act, bookCharge(act, { ...held, ...more }, amount));
    const done = { ...next, amount_refunded: held.amount - amount };
    return viewOf(act, 'charge', update(act, 'charge', held, done, 'charge.captured'));
  },
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
          : transfer_group !== undefined
            ? { where: { transfer_group } }
            : {}),
      keep: charge =>
        (customer === undefined || charge.customer === customer) &&
        (transfer_group === undefined || charge.transfer_group === transfer_group),
    });
  },
);

const find_ = operation('charges.search', 'GET /v1/charges/search', searchParams, ({ act, params }) =>
  search(act, 'charge', params, '/v1/charges/search', [
    'amount',
    'created',
    'currency',
    'customer',
    'disputed',
    'metadata',
    'refunded',
    'status',
  ]),
);

export const chargeOperations = [create, retrieve, change, capture, listAll, find_];
