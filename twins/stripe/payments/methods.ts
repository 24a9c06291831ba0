// Payment methods: how they come to be. A card is one of Stripe's test cards and keeps its name to know how it
// behaves; other types are in payments/method-kinds.ts.

import { type Act, find, save } from '../api/act.ts';
import { fullAddress } from '../api/address.ts';
import { invalid, missing, StripeRefusal } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import {
  addressParam,
  choice,
  type Decoded,
  hash,
  integer,
  mergeMetadata,
  metadata,
  text,
  tree,
  unset,
} from '../api/params.ts';
import { tell } from '../events/events.ts';
import { cardNameOf, fullYear } from '../test-cards/card-details.ts';
import { type Check, cardOfMethod, cardOfToken, testCard } from '../test-cards/test-cards.ts';
import { declineParam } from './decline-param.ts';
import { BANK_METHODS, type Details, describe, isMethodType, METHOD_TYPES } from './method-kinds.ts';
import type { PaymentMethod } from './records.ts';
import { SEPA_REFUSED } from './sepa-accounts.ts';

export const billingParam = hash({
  address: unset(addressParam()),
  email: unset(text()),
  name: unset(text()),
  phone: unset(text()),
  tax_id: text(),
});

/** What `payment_method_data` and a payment method of its own take. */
const methodFields = {
  allow_redisplay: choice('always', 'limited', 'unspecified'),
  billing_details: billingParam,
  metadata: metadata(),
  type: text(),
} as const;

/** What a payment method is made of. */
export const methodShape = {
  ...methodFields,
  card: hash({
    cvc: text(),
    exp_month: integer(),
    exp_year: integer(),
    number: text(),
    token: text(),
    networks: hash({ preferred: text() }),
  }),
  ...Object.fromEntries(METHOD_TYPES.filter(type => type !== 'card').map(type => [type, tree()])),
  radar_options: hash({ session: text() }),
} as const;

/** What an intent takes in place of a payment method's id. */
export const methodDataParam = (): typeof methodData => methodData;
const methodData = hash(methodShape);

type Given = Decoded<typeof methodShape>;

/** How many years ahead Stripe's test cards expire. */
const TEST_CARD_YEARS = 1;

function newMethod(act: Act, name: string, given: Given, ready = false): PaymentMethod {
  const card = testCard(name);
  const unchecked = (held: unknown, check: Check | undefined): string | null =>
    ready ? (check ?? null) : typeof held === 'string' ? 'unchecked' : null;

  const year = new Date(act.tx.now).getUTCFullYear();
  const expires = { month: given.card?.exp_month ?? 8, year: given.card?.exp_year ?? year + TEST_CARD_YEARS };
  const details = given.billing_details;
  return {
    id: act.tx.recordId('pm_', 24),
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
      checks: {
        address_line1_check: unchecked(details?.address?.line1, card.checks.line1),
        address_postal_code_check: unchecked(details?.address?.postal_code, card.checks.zip),
        cvc_check: unchecked(given.card?.cvc, card.checks.cvc),
      },
      country: card.country,
      display_brand: card.brand,
      exp_month: expires.month,
      exp_year: fullYear(expires.year),
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
    ...(given.radar_options === undefined ? {} : { radar_options: given.radar_options }),
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
export function readyMade(act: Act, id: string): PaymentMethod | null {
  const name = cardOfMethod(id);
  if (name !== null) return newMethod(act, name, {}, true);
  const bank = Object.hasOwn(BANK_METHODS, id) ? BANK_METHODS[id] : undefined;
  return bank === undefined ? null : bankMethod(act, bank[0], bank[1], {});
}

/** A method that is a saved card's other face: `card_…` ids pay as `pm_…` ids do. */
export function methodOfCard(act: Act, id: string, name: string, customer: string | null): PaymentMethod {
  return { ...newMethod(act, name, {}, true), id, customer };
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
  refuseDetached(held, param);
  return held;
}

/** What was taken from a customer, or was a deleted one's, neither pays nor is saved again. */
export function refuseDetached(method: PaymentMethod, param: string): void {
  if (method.$detached !== true) return;
  throw invalid(
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a ' +
      'Customer, and may not be used again.',
    { code: 'payment_method_unexpected_state', param },
  );
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
    param: declineParam(behaviour).param ?? '',
  });
}

/** A new method of what was given; not saved. Throws for what cannot be one. */
export function methodFrom(act: Act, given: Given, prefix = ''): PaymentMethod {
  const { type } = given;
  /** `sepa_debit[iban]` in a hash is `payment_method_data[sepa_debit][iban]`. */
  const named = (name: string): string =>
    prefix === '' ? name : `${prefix}[${name.replace('[', '][').replace(/\]$/, '')}]`;
  if (type === undefined) {
    throw missingParam(named('type'));
  }
  if (type !== 'card') {
    if (!isMethodType(type)) {
      throw invalid(`Invalid ${named('type')}: must be one of ${METHOD_TYPES.join(', ')}`, {
        param: named('type'),
      });
    }
    const details = (given as { readonly [type: string]: Details })[type] ?? {};
    if (type === 'sepa_debit' && details['iban'] === undefined) throw missingParam(named('sepa_debit[iban]'));
    const unable = SEPA_REFUSED.get(String(details['iban'] ?? '').replaceAll(' ', ''));
    if (type === 'sepa_debit' && unable !== undefined) {
      throw invalid('The bank account of this IBAN cannot be debited by SEPA Direct Debit.', {
        code: unable,
        param: named('sepa_debit[iban]'),
      });
    }
    return bankMethod(act, type, details, given);
  }
  if (given.card === undefined) {
    throw missingParam(named('card'));
  }
  return newMethod(act, nameOf(act, given.card, named('card')), given);
}

function missingParam(param: string): StripeRefusal {
  return invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
}

function bankMethod(act: Act, type: string, details: Details, given: Given): PaymentMethod {
  const { card: _card, ...rest } = newMethod(act, 'visa', given);
  const described = describe(type, details);
  const shown = filledField('payment_method', type, described.details);
  return { ...rest, type, [type]: shown, $card: '', $flow: described.flow } as PaymentMethod;
}

/** A source of the older API as a payment method: its id pays as a `pm_…` id does. */
export function methodOfSource(
  act: Act,
  id: string,
  type: string,
  given: { readonly details: Details; readonly owner: Given['billing_details'] },
): PaymentMethod {
  const made = methodFrom(act, { type, [type]: given.details, billing_details: given.owner } as Given);
  return { ...made, id };
}

/** What the bank said of the code and the address, once it was asked. */
export function checked(method: PaymentMethod): NonNullable<PaymentMethod['card']>['checks'] {
  const { checks } = testCard(method.$card);
  const said = (held: string | null | undefined, check: Check | undefined): string | null =>
    held === 'unchecked' ? (check ?? 'pass') : (held ?? null);
  const held = method.card?.checks;
  return {
    address_line1_check: said(held?.address_line1_check, checks.line1),
    address_postal_code_check: said(held?.address_postal_code_check, checks.zip),
    cvc_check: said(held?.cvc_check, checks.cvc),
  };
}

export function attachTo(act: Act, method: PaymentMethod, customer: string): PaymentMethod {
  const card = method.card === undefined ? {} : { card: { ...method.card, checks: checked(method) } };
  const attached = { ...method, ...card, customer };
  save(act, 'payment_method', attached);
  tell(act, 'payment_method.attached', 'payment_method', attached);
  return attached;
}

/** Each token is good for one use. */
export function usedToken(id: string, param: string): StripeRefusal {
  return invalid(`You cannot use a Stripe token more than once: ${id}.`, {
    code: 'token_already_used',
    param,
  });
}

/** The test card that was given, by token, which that uses up, or typed in. Throws. */
function nameOf(act: Act, card: NonNullable<Given['card']>, param: string): string {
  const { token, number, exp_month, exp_year, cvc } = card;
  if (token !== undefined) {
    const kept = find(act, 'token', token);
    const made = kept?.$made;
    const name = made?.object === 'card' ? made.$card : cardOfToken(token);
    if (name === null) throw missing('token', token, { param: `${param}[token]` });
    if (kept?.used === true) throw usedToken(token, `${param}[token]`);
    if (kept !== undefined) save(act, 'token', { ...kept, used: true });
    return name;
  }
  if (number === undefined) throw absent(`${param}[number]`);
  if (exp_month === undefined) throw absent(`${param}[exp_month]`);
  if (exp_year === undefined) throw absent(`${param}[exp_year]`);
  return cardNameOf({ number, exp_month, exp_year, cvc }, act.at);
}

function absent(param: string): StripeRefusal {
  return invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
}
