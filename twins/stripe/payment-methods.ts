// Payment methods. A card is one of Stripe's test cards and keeps its name to know how it behaves; other types are
// in payments/method-kinds.ts.
import { fullAddress } from './address.ts';
import { invalid, missing, StripeRefusal } from './errors.ts';
import { tell, update } from './events.ts';
import { page, pageParams } from './list.ts';
import { operation } from './operation.ts';
import {
  addressParam,
  choice,
  type Decoded,
  hash,
  integer,
  mergeMetadata,
  metadata,
  required,
  text,
  tree,
  unset,
} from './params.ts';
import { BANK_METHODS, type Details, describe, isMethodType, METHOD_TYPES } from './payments/method-kinds.ts';
import { type Act, find, need, save } from './records.ts';
import { cardOfMethod, cardOfNumber, cardOfToken, testCard } from './test-cards.ts';
import { viewOf } from './views.ts';
import type { PaymentMethod } from './wire.ts';

const billing = hash({
  address: unset(addressParam()),
  email: unset(text()),
  name: unset(text()),
  phone: unset(text()),
  tax_id: text(),
});

/** What `payment_method_data` and a payment method of its own take. */
const methodFields = {
  allow_redisplay: choice('always', 'limited', 'unspecified'),
  billing_details: billing,
  metadata: metadata(),
  type: text(),
} as const;

const createShape = {
  ...methodFields,
  card: hash({
    cvc: text(),
    exp_month: integer(1, 12),
    exp_year: integer(),
    number: text(),
    token: text(),
    networks: hash({ preferred: text() }),
  }),
  ...Object.fromEntries(METHOD_TYPES.filter(type => type !== 'card').map(type => [type, tree()])),
  radar_options: tree(),
} as const;

/** What an intent takes in place of a payment method's id. */
export const methodDataParam = (): typeof methodData => methodData;
const methodData = hash(createShape);

type Given = Decoded<typeof createShape>;

/** How many years ahead Stripe's test cards expire. */
const TEST_CARD_YEARS = 1;

function newMethod(act: Act, name: string, given: Given): PaymentMethod {
  const card = testCard(name);
  const year = new Date(act.tx.now).getUTCFullYear();
  const expires = { month: given.card?.exp_month ?? 8, year: given.card?.exp_year ?? year + TEST_CARD_YEARS };
  const details = given.billing_details;
  return {
    id: act.tx.id('pm_', 24),
    object: 'payment_method',
    allow_redisplay: given.allow_redisplay ?? 'unspecified',
    billing_details: {
      address: fullAddress(details?.address ?? {}),
      email: details?.email ?? null,
      name: details?.name ?? null,
      phone: details?.phone ?? null,
      tax_id: details?.tax_id ?? null,
    },
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: null },
      country: card.country,
      display_brand: card.brand,
      exp_month: expires.month,
      exp_year: expires.year < 100 ? 2000 + expires.year : expires.year,
      fingerprint: fingerprintOf(name),
      funding: card.funding,
      generated_from: null,
      last4: card.last4,
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: act.at,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    type: 'card',
    $card: name,
  };
}

/** What is the same of a card wherever it is saved. */
export function cardFacts(
  act: Act,
  name: string,
): { exp_month: number; exp_year: number; fingerprint: string } {
  return {
    exp_month: 8,
    exp_year: new Date(act.tx.now).getUTCFullYear() + TEST_CARD_YEARS,
    fingerprint: fingerprintOf(name),
  };
}

/** One card has one fingerprint, wherever it is used. */
function fingerprintOf(name: string): string {
  let hash = 7;
  for (const letter of name) hash = (hash * 131 + letter.charCodeAt(0)) % 2_821_109_907_456;
  return `twin${hash.toString(36).padStart(12, '0').slice(-12)}`;
}

/** A new method of one of the published names; null for any other id. */
function readyMade(act: Act, id: string): PaymentMethod | null {
  const name = cardOfMethod(id);
  if (name !== null) return newMethod(act, name, {});
  const bank = Object.hasOwn(BANK_METHODS, id) ? BANK_METHODS[id] : undefined;
  return bank === undefined ? null : bankMethod(act, bank[0], bank[1], {});
}

/** A method that is a saved card's other face: `card_…` ids pay as `pm_…` ids do. */
export function methodOfCard(act: Act, id: string, name: string, customer: string | null): PaymentMethod {
  return { ...newMethod(act, name, {}), id, customer };
}

/**
 * A payment method by id, or by the name of a test card, which makes a new one of it (not yet attached; saved
 * with the first thing that uses it). `customer` is who will use it; null when that is still open.
 */
export function ownedMethod(act: Act, id: string, customer: string | null, param: string): PaymentMethod {
  const made = readyMade(act, id);
  if (made !== null) return { ...made, customer };
  const held = find(act, 'payment_method', id);
  if (held === undefined) throw missing('PaymentMethod', id, { param });
  if (customer !== null && held.customer !== null && held.customer !== customer) {
    throw invalid(
      'The payment method you provided is attached to a different customer. Please provide a payment method ' +
        'attached to the same customer or detach it first.',
      { code: 'payment_method_unexpected_state', param },
    );
  }
  return held;
}

/** A card that fails on sight: saving it to a customer is declined. */
export function refuseUnsaveable(method: PaymentMethod): void {
  if (method.$card === '') return;
  const { behaviour } = testCard(method.$card);
  if (behaviour.charge !== 'declines' || !behaviour.attach) return;
  throw new StripeRefusal(402, behaviour.message, {
    type: 'card_error',
    code: behaviour.code,
    ...(behaviour.code === 'card_declined' ? { decline_code: behaviour.decline_code } : {}),
    param: '',
  });
}

/** A new method of what was given; not saved. Throws for what cannot be one. */
export function methodFrom(act: Act, given: Given, prefix = ''): PaymentMethod {
  const { type } = given;
  const named = (name: string): string => (prefix === '' ? name : `${prefix}[${name}]`);
  if (type === undefined) {
    throw invalid(`Missing required param: ${named('type')}.`, {
      code: 'parameter_missing',
      param: named('type'),
    });
  }
  if (type !== 'card') {
    if (!isMethodType(type)) {
      throw invalid(`Invalid ${named('type')}: must be one of ${METHOD_TYPES.join(', ')}`, {
        param: named('type'),
      });
    }
    return bankMethod(act, type, (given as { readonly [type: string]: Details })[type] ?? {}, given);
  }
  if (given.card === undefined) {
    throw invalid(`Missing required param: ${named('card')}.`, {
      code: 'parameter_missing',
      param: named('card'),
    });
  }
  return newMethod(act, cardNameOf(given.card), given);
}

function bankMethod(act: Act, type: string, details: Details, given: Given): PaymentMethod {
  const { card: _card, ...rest } = newMethod(act, 'visa', given);
  const described = describe(type, details);
  return { ...rest, type, [type]: described.details, $card: '', $flow: described.flow } as PaymentMethod;
}

export function attachTo(act: Act, method: PaymentMethod, customer: string): PaymentMethod {
  const attached = { ...method, customer };
  save(act, 'payment_method', attached);
  tell(act, 'payment_method.attached', 'payment_method', attached);
  return attached;
}

const create = operation(
  'paymentMethods.create',
  'POST /v1/payment_methods',
  createShape,
  ({ act, params }) => {
    const method = methodFrom(act, params);
    act.tx.kind('payment_method.created');
    save(act, 'payment_method', method);
    return viewOf(act.tx, 'payment_method', method);
  },
  ['payment_method', 'customer'],
);

function cardNameOf(card: NonNullable<Given['card']>): string {
  if (card.token !== undefined) {
    const name = cardOfToken(card.token);
    if (name === null) throw missing('token', card.token, { param: 'card[token]' });
    return name;
  }
  if (card.number === undefined) {
    throw invalid('Missing required param: card[number].', {
      code: 'parameter_missing',
      param: 'card[number]',
    });
  }
  const name = cardOfNumber(card.number);
  if (name === null) {
    throw new StripeRefusal(
      402,
      'Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
      {
        type: 'card_error',
        code: 'card_declined',
        decline_code: 'test_mode_live_card',
        param: 'number',
      },
    );
  }
  if (card.exp_month === undefined || card.exp_year === undefined) {
    const param = card.exp_month === undefined ? 'card[exp_month]' : 'card[exp_year]';
    throw invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  return name;
}

const retrieve = operation(
  'paymentMethods.retrieve',
  'GET /v1/payment_methods/{payment_method}',
  {},
  ({ act, path }) =>
    viewOf(
      act.tx,
      'payment_method',
      need(act, 'payment_method', path['payment_method'] ?? '', { param: 'payment_method', inPath: true }),
    ),
);

const change = operation(
  'paymentMethods.update',
  'POST /v1/payment_methods/{payment_method}',
  {
    allow_redisplay: choice('always', 'limited', 'unspecified'),
    billing_details: billing,
    card: hash({ exp_month: integer(1, 12), exp_year: integer() }),
    metadata: metadata(),
    us_bank_account: tree(),
  },
  ({ act, path, params }) => {
    const held = need(act, 'payment_method', path['payment_method'] ?? '', {
      param: 'payment_method',
      inPath: true,
    });
    if (held.customer === null) {
      throw invalid('You must save this PaymentMethod to a customer before you can update it.', {
        param: 'payment_method',
      });
    }
    const { allow_redisplay, billing_details: details, card, metadata: tags } = params;
    const address = details?.address;
    const next: PaymentMethod = {
      ...held,
      ...(allow_redisplay === undefined ? {} : { allow_redisplay }),
      billing_details: {
        ...held.billing_details,
        ...(details?.email === undefined ? {} : { email: details.email }),
        ...(details?.name === undefined ? {} : { name: details.name }),
        ...(details?.phone === undefined ? {} : { phone: details.phone }),
        ...(address === undefined ? {} : { address: fullAddress(address ?? {}) }),
      },
      ...(held.card === undefined ? {} : { card: { ...held.card, ...card } }),
      metadata: mergeMetadata(held.metadata ?? {}, tags),
    };
    return viewOf(
      act.tx,
      'payment_method',
      update(act, 'payment_method', held, next, 'payment_method.updated'),
    );
  },
  ['card[networks]'],
);

const attach = operation(
  'paymentMethods.attach',
  'POST /v1/payment_methods/{payment_method}/attach',
  { customer: required(text()) },
  ({ act, path, params }) => {
    const customer = need(act, 'customer', params.customer, { param: 'customer' });
    const id = path['payment_method'] ?? '';
    const method =
      readyMade(act, id) ?? need(act, 'payment_method', id, { param: 'payment_method', inPath: true });
    if (method.customer === customer.id) return viewOf(act.tx, 'payment_method', method);
    if (method.customer !== null) {
      throw invalid('The payment method you provided has already been attached to a customer.', {
        code: 'payment_method_unexpected_state',
      });
    }
    refuseUnsaveable(method);
    return viewOf(act.tx, 'payment_method', attachTo(act, method, customer.id));
  },
  ['customer_account'],
);

const detach = operation(
  'paymentMethods.detach',
  'POST /v1/payment_methods/{payment_method}/detach',
  {},
  ({ act, path }) => {
    const held = need(act, 'payment_method', path['payment_method'] ?? '', {
      param: 'payment_method',
      inPath: true,
    });
    if (held.customer === null) {
      throw invalid(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
        {
          code: 'payment_method_unexpected_state',
        },
      );
    }
    const customer = need(act, 'customer', held.customer, { param: 'customer' });
    const free = { ...held, customer: null };
    save(act, 'payment_method', free);
    tell(act, 'payment_method.detached', 'payment_method', free, viewOf(act.tx, 'payment_method', held));
    if (customer.invoice_settings.default_payment_method === held.id) {
      const settings = { ...customer.invoice_settings, default_payment_method: null };
      update(act, 'customer', customer, { ...customer, invoice_settings: settings }, 'customer.updated');
    }
    return viewOf(act.tx, 'payment_method', free);
  },
);

const listAll = operation(
  'paymentMethods.list',
  'GET /v1/payment_methods',
  {
    ...pageParams,
    customer: text(),
    type: text(),
    allow_redisplay: choice('always', 'limited', 'unspecified'),
  },
  ({ act, params }) => {
    const { customer, type, allow_redisplay } = params;
    if (customer !== undefined) need(act, 'customer', customer, { param: 'customer' });
    return page(act, 'payment_method', params, '/v1/payment_methods', {
      ...(customer === undefined ? {} : { where: { customer } }),
      keep: method =>
        method.customer !== null &&
        (type === undefined || method.type === type) &&
        (allow_redisplay === undefined || method.allow_redisplay === allow_redisplay),
    });
  },
);

export const paymentMethodOperations = [create, retrieve, change, attach, detach, listAll];
