// Tokens, and the cards and bank accounts they stand for.

import { type Act, find, need, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { choice, either, hash, integer, required, type Tree, text, tree } from '../api/params.ts';
import { type View, viewOf } from '../api/view.ts';
import { cardNameOf, fullYear } from '../test-cards/card-details.ts';
import { cardOfToken, testCard } from '../test-cards/test-cards.ts';
import { cardFacts, usedToken } from './methods.ts';
import type { BankAccount, CardSource, Token } from './records.ts';

const cardShape = hash({
  address_city: text(),
  address_country: text(),
  address_line1: text(),
  address_line2: text(),
  address_state: text(),
  address_zip: text(),
  currency: text(),
  cvc: text(),
  exp_month: required(integer()),
  exp_year: required(integer()),
  name: text(),
  number: required(text()),
});

const bankShape = hash({
  account_holder_name: text(),
  account_holder_type: choice('company', 'individual'),
  account_number: required(text()),
  account_type: choice('checking', 'futsu', 'savings', 'toza'),
  country: required(text()),
  currency: text(),
  routing_number: text(),
});

/** The number of the bank account behind each published token. */
const BANK_TOKENS: { readonly [token: string]: string } = {
  btok_us: '000123456789',
  btok_us_verified: '000123456789',
  btok_us_noAccount: '000111111116',
  btok_us_accountClosed: '000111111113',
  btok_us_accountFrozen: '000222222227',
  btok_us_couldNotProcess: '000111111119',
  btok_us_debitNotAuthorized: '000333333335',
};

type CardGiven = { readonly [field: string]: string | number | undefined };

export function newCard(act: Act, name: string, given: CardGiven = {}): CardSource {
  const card = testCard(name);
  const facts = cardFacts(act, name);
  const field = (key: string): string | null => (given[key] === undefined ? null : String(given[key]));
  const year = Number(given['exp_year'] ?? facts.exp_year);
  return {
    id: act.tx.id('card_', 24),
    object: 'card',
    address_city: field('address_city'),
    address_country: field('address_country'),
    address_line1: field('address_line1'),
    address_line1_check: given['address_line1'] === undefined ? null : (card.checks.line1 ?? 'pass'),
    address_line2: field('address_line2'),
    address_state: field('address_state'),
    address_zip: field('address_zip'),
    address_zip_check: given['address_zip'] === undefined ? null : (card.checks.zip ?? 'pass'),
    allow_redisplay: 'unspecified',
    brand: BRANDS[card.brand] ?? card.brand,
    country: card.country,
    customer: null,
    cvc_check: given['cvc'] === undefined ? null : (card.checks.cvc ?? 'pass'),
    dynamic_last4: null,
    exp_month: Number(given['exp_month'] ?? facts.exp_month),
    exp_year: fullYear(year),
    fingerprint: facts.fingerprint,
    funding: card.funding,
    last4: card.last4,
    metadata: {},
    name: field('name'),
    regulated_status: 'unregulated',
    tokenization_method: null,
    $card: name,
  };
}

/** The old objects spell the brands out. */
const BRANDS: { readonly [brand: string]: string } = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'MasterCard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

type BankGiven = {
  readonly account_holder_name?: string;
  readonly account_holder_type?: string;
  readonly account_number: string;
  readonly account_type?: string;
  readonly country: string;
  readonly currency?: string;
  readonly routing_number?: string;
};

export function newBank(act: Act, given: BankGiven): BankAccount {
  return {
    id: act.tx.id('ba_', 24),
    object: 'bank_account',
    account_holder_name: given.account_holder_name ?? null,
    account_holder_type: given.account_holder_type ?? null,
    account_type: given.account_type ?? null,
    bank_name: 'STRIPE TEST BANK',
    country: given.country,
    currency: given.currency?.toLowerCase() ?? 'usd',
    fingerprint: `twinbank${given.account_number.slice(-8)}`,
    last4: given.account_number.slice(-4),
    metadata: {},
    routing_number: given.routing_number ?? '110000000',
    status: 'new',
    $number: given.account_number,
  };
}

/** A token, or what it would stand for, said outright. */
export const tokenParam = () => either(text(), tree('exp_month', 'exp_year'));
export type TokenGiven = string | { readonly [field: string]: Tree };

/** What a token stands for, as a new object; not saved. Throws for one that is unknown or used. */
export function redeem(act: Act, given: TokenGiven, param: string): CardSource | BankAccount {
  if (typeof given === 'string') return redeemed(act, given, param);
  const fields = Object.entries(given).filter(([, value]) => value !== null);
  const field = (name: string): string => {
    const value = given[name];
    if (value !== undefined && value !== null) return String(value);
    throw invalid(`Missing required param: ${param}[${name}].`, {
      code: 'parameter_missing',
      param: `${param}[${name}]`,
    });
  };
  if (given['object'] === 'bank_account') {
    const more = Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
    return newBank(act, { ...more, account_number: field('account_number'), country: field('country') });
  }
  const typed = {
    number: field('number'),
    exp_month: Number(field('exp_month')),
    exp_year: Number(field('exp_year')),
    cvc: given['cvc'] === undefined ? undefined : field('cvc'),
  };
  const facts = fields.filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return newCard(act, cardNameOf(typed, act.at), Object.fromEntries(facts) as CardGiven);
}

function redeemed(act: Act, id: string, param: string): CardSource | BankAccount {
  const name = cardOfToken(id);
  if (name !== null) return newCard(act, name);
  const number = Object.hasOwn(BANK_TOKENS, id) ? BANK_TOKENS[id] : undefined;
  if (number !== undefined) {
    const bank = newBank(act, { account_number: number, country: 'US', account_holder_type: 'individual' });
    return id.endsWith('_verified') ? { ...bank, status: 'verified' } : bank;
  }
  const token = find(act, 'token', id);
  if (token === undefined || token.$made === null || token.$made.object === 'person')
    throw missing('token', id, { param });
  if (token.used) throw usedToken(id, param);
  return token.$made;
}

/** A made token is good for one use. */
export function spend(act: Act, given: TokenGiven): void {
  const token = typeof given === 'string' ? find(act, 'token', given) : undefined;
  if (token !== undefined) save(act, 'token', { ...token, used: true });
}

const create = operation(
  'tokens.create',
  'POST /v1/tokens',
  {
    account: tree(),
    bank_account: bankShape,
    card: cardShape,
    customer: text(),
    cvc_update: hash({ cvc: required(text()) }),
    person: tree(),
    pii: hash({ id_number: required(text()) }),
  },
  ({ act, params }) => {
    const { bank_account, card, account, person, pii, cvc_update } = params;
    let made: Token['$made'] = null;
    let type = 'pii';
    if (card !== undefined) {
      made = newCard(act, cardNameOf(card, act.at), card);
      type = 'card';
    } else if (bank_account !== undefined) {
      made = newBank(act, bank_account);
      type = 'bank_account';
    } else if (account !== undefined) type = 'account';
    else if (person !== undefined) type = 'person';
    else if (cvc_update !== undefined) type = 'cvc_update';
    else if (pii === undefined) {
      throw invalid(
        'You must supply either a card, customer, PII data, bank account, or account legal entity to create a token.',
      );
    }
    const prefix =
      type === 'bank_account' ? 'btok_' : type === 'account' ? 'ct_' : type === 'person' ? 'cpt_' : 'tok_';
    const token: Token = {
      id: act.tx.id(prefix, 24),
      object: 'token',
      client_ip: null,
      created: act.at,
      livemode: false,
      type,
      used: false,
      $made: made,
    };
    act.tx.kind('token.created');
    save(act, 'token', token);
    return tokenView(act, token);
  },
);

function tokenView(act: Act, token: Token): View {
  const view = viewOf(act, 'token', token);
  const made = token.$made;
  if (made?.object === 'card') return { ...view, card: viewOf(act, 'card', made) };
  if (made?.object === 'bank_account') return { ...view, bank_account: viewOf(act, 'bank_account', made) };
  return view;
}

const retrieve = operation('tokens.retrieve', 'GET /v1/tokens/{token}', {}, ({ act, path }) =>
  tokenView(act, need(act, 'token', path['token'] ?? '', { param: 'token', inPath: true })),
);

export const tokenOperations = [create, retrieve];
