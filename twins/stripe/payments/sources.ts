// Cards and bank accounts on customers, as the older API keeps them. A card's id also pays as a payment method.

import { type Act, find, need, remove, save, select } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, integer, list, mergeMetadata, metadata, required, text, tree } from '../api/params.ts';
import { embedded, listView, type View, viewOf } from '../api/view.ts';
import type { Customer } from '../customers/records.ts';
import { tell, tellView, update } from '../events/events.ts';
import { methodOfCard, ownedMethod, refuseUnsaveable } from './methods.ts';
import { changedSource } from './old-sources.ts';
import type { BankAccount, CardSource, Charge, PaymentMethod, Source } from './records.ts';
import { redeem, spend, type TokenGiven, tokenParam } from './tokens.ts';

export type Payer = { readonly method: PaymentMethod; readonly source: Charge['source'] };

/** Who pays a charge: a token, a saved card or source, or the customer's default. Nothing is saved but the use. */
export function payerOf(act: Act, source: TokenGiven | undefined, customer: string | undefined): Payer {
  const holder = customer === undefined ? null : need(act, 'customer', customer, { param: 'customer' });
  const id = source ?? holder?.default_source ?? null;
  if (id === null) {
    throw holder === null
      ? invalid('Must provide source or customer.', { code: 'parameter_missing' })
      : invalid('Cannot charge a customer that has no active card', { code: 'missing', param: 'card' });
  }
  if (typeof id !== 'string') return onceWith(act, id);
  // Without its customer a saved card is nothing that can be charged, and is looked for among the tokens.
  const saved = customer === undefined ? undefined : find(act, 'card', id);
  if (saved !== undefined) {
    if (saved.customer !== customer) {
      throw invalid(`Customer ${customer} does not have a linked source with ID ${id}.`, {
        code: 'missing',
        param: 'source',
      });
    }
    return {
      method: methodOfCard(act, id, saved.$card, saved.customer ?? null),
      source: embedded(act, 'card', saved),
    };
  }
  const old = find(act, 'source', id);
  if (old !== undefined) {
    checkChargeable(old, customer);
    const kept = find(act, 'payment_method', id);
    if (kept !== undefined) return { method: kept, source: embedded(act, 'source', old) };
    return { method: methodOfCard(act, id, old.$card, null), source: embedded(act, 'source', old) };
  }
  if (id.startsWith('pm_')) return { method: ownedMethod(act, id, customer ?? null, 'source'), source: null };
  return onceWith(act, id);
}

/** A source pays when it is ready to, and one that a customer has pays for that customer alone. */
function checkChargeable(source: Source, customer: string | undefined): void {
  if (source['status'] !== 'chargeable') {
    throw invalid('The source you provided is not in a chargeable state.', { param: 'source' });
  }
  if (source['customer'] !== null && source['customer'] !== customer) {
    throw invalid(
      'The source you provided is attached to a customer: you must provide the customer as well to charge it.',
      { code: 'missing', param: 'customer' },
    );
  }
}

/** A token, or a card said outright, that pays and is not kept. */
function onceWith(act: Act, id: TokenGiven): Payer {
  const made = redeem(act, id, 'source');
  if (made.object !== 'card') {
    throw invalid('A bank account must be verified and saved to a customer before it is charged.', {
      param: 'source',
    });
  }
  spend(act, id);
  return { method: methodOfCard(act, made.id, made.$card, null), source: embedded(act, 'card', made) };
}

/** Throws where a customer has no such card, bank account or source. */
export function needSourceOf(act: Act, customer: string, id: string): void {
  const held = find(act, 'card', id) ?? find(act, 'bank_account', id) ?? find(act, 'source', id);
  if (held?.['customer'] !== customer) throw missing('source', id, { param: 'default_source' });
}

/** Throws where `addSource` would. */
export function checkSource(act: Act, id: TokenGiven): void {
  const old = typeof id === 'string' ? find(act, 'source', id) : undefined;
  if (old !== undefined) {
    // What waits for money to be sent to it may be a customer's meanwhile.
    const ready =
      old['status'] === 'chargeable' || (old['status'] === 'pending' && old['flow'] === 'receiver');
    if (ready && old['usage'] === 'reusable' && old['customer'] === null) return;
    throw invalid(
      old['customer'] === null
        ? 'The source you provided cannot be attached: it must be reusable and in a chargeable state.'
        : 'The source you provided is already attached to a customer.',
      { param: 'source' },
    );
  }
  const made = redeem(act, id, 'source');
  if (made.object === 'card') refuseUnsaveable(methodOfCard(act, made.id, made.$card, null));
}

/** Saves what a token stands for to a customer; told as `customer.source.created`. Throws before it writes. */
export function addSource(act: Act, customer: Customer, id: TokenGiven): { view: View; id: string } {
  const kept = typeof id === 'string' ? find(act, 'source', id) : undefined;
  if (kept !== undefined) {
    const source: Source = { ...kept, customer: customer.id };
    save(act, 'source', source);
    const method = find(act, 'payment_method', kept.id);
    if (method !== undefined) save(act, 'payment_method', { ...method, customer: customer.id });
    const view = viewOf(act, 'source', source);
    tellView(act, 'customer.source.created', view);
    return { view, id: kept.id };
  }
  const made = redeem(act, id, 'source');
  if (made.object === 'card') {
    const method = methodOfCard(act, made.id, made.$card, customer.id);
    refuseUnsaveable(method);
    spend(act, id);
    const card: CardSource = { ...made, customer: customer.id };
    save(act, 'card', card);
    save(act, 'payment_method', method);
    tell(act, 'customer.source.created', 'card', card);
    return { view: viewOf(act, 'card', card), id: card.id };
  }
  spend(act, id);
  const bank: BankAccount = { ...made, customer: customer.id };
  save(act, 'bank_account', bank);
  tell(act, 'customer.source.created', 'bank_account', bank);
  return { view: viewOf(act, 'bank_account', bank), id: bank.id };
}

const needCustomer = (act: Act, path: { readonly [name: string]: string }): Customer =>
  need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });

const create = operation(
  'customers.createSource',
  'POST /v1/customers/{customer}/sources',
  { metadata: metadata(), source: required(tokenParam()) },
  ({ act, path, params }) => {
    const customer = needCustomer(act, path);
    checkSource(act, params.source);
    const made = addSource(act, customer, params.source);
    if (customer.default_source === null) {
      update(act, 'customer', customer, { ...customer, default_source: made.id }, 'customer.updated');
    }
    return made.view;
  },
  ['validate'],
);

type Held =
  | { type: 'card'; record: CardSource }
  | { type: 'bank_account'; record: BankAccount }
  | { type: 'source'; record: Source };

function needSource(act: Act, path: { readonly [name: string]: string }): Held {
  const id = path['id'] ?? '';
  const held = sourceOf(act, needCustomer(act, path).id, id);
  if (held === undefined) throw missing('source', id, { param: 'id', inPath: true });
  return held;
}

function sourceOf(act: Act, customer: string, id: string): Held | undefined {
  const card = find(act, 'card', id);
  if (card !== undefined && card.customer === customer) return { type: 'card', record: card };
  const bank = find(act, 'bank_account', id);
  if (bank !== undefined && bank.customer === customer) return { type: 'bank_account', record: bank };
  const old = find(act, 'source', id);
  return old?.['customer'] === customer ? { type: 'source', record: old } : undefined;
}

const retrieve = operation(
  'customers.retrieveSource',
  'GET /v1/customers/{customer}/sources/{id}',
  {},
  ({ act, path }) => {
    const held = needSource(act, path);
    return viewOf(act, held.type, held.record);
  },
);

const change = operation(
  'customers.updateSource',
  'POST /v1/customers/{customer}/sources/{id}',
  {
    account_holder_name: text(),
    account_holder_type: choice('company', 'individual'),
    address_city: text(),
    address_country: text(),
    address_line1: text(),
    address_line2: text(),
    address_state: text(),
    address_zip: text(),
    exp_month: integer(1, 12),
    exp_year: integer(),
    metadata: metadata(),
    name: text(),
    owner: tree(),
  },
  ({ act, path, params }) => {
    const held = needSource(act, path);
    const { metadata: tags, owner, ...fields } = params;
    const { account_holder_name, account_holder_type, ...card } = fields;
    if (held.type === 'card') {
      const next = { ...held.record, ...card, metadata: mergeMetadata(held.record.metadata ?? {}, tags) };
      return viewOf(act, 'card', update(act, 'card', held.record, next, 'customer.source.updated'));
    }
    if (held.type === 'source') {
      const next = changedSource(held.record, { metadata: tags, owner });
      return viewOf(act, 'source', update(act, 'source', held.record, next, 'customer.source.updated'));
    }
    const next: BankAccount = {
      ...held.record,
      ...(account_holder_name === undefined ? {} : { account_holder_name }),
      ...(account_holder_type === undefined ? {} : { account_holder_type }),
      metadata: mergeMetadata(held.record.metadata ?? {}, tags),
    };
    return viewOf(
      act,
      'bank_account',
      update(act, 'bank_account', held.record, next, 'customer.source.updated'),
    );
  },
);

const del = operation(
  'customers.deleteSource',
  'DELETE /v1/customers/{customer}/sources/{id}',
  {},
  ({ act, path }) => {
    const customer = needCustomer(act, path);
    const held = needSource(act, path);
    const view = takenAway(act, held);
    withoutDefault(act, customer, held.record.id);
    return view;
  },
);

/** Takes one away from a customer, if it is theirs; which pays then is the caller's to say. */
export function dropSource(act: Act, customer: string, id: string): void {
  const held = sourceOf(act, customer, id);
  if (held !== undefined) takenAway(act, held);
}

function takenAway(act: Act, { type, record }: Held): View {
  if (type === 'source') return detached(act, record);
  const view = viewOf(act, type, record);
  remove(act, type, record.id);
  if (type === 'card') remove(act, 'payment_method', record.id);
  tellView(act, 'customer.source.deleted', view);
  return { id: record.id, object: type, deleted: true };
}

/** Another one of the customer's pays from now on. */
function withoutDefault(act: Act, customer: Customer, gone: string): void {
  if (customer.default_source !== gone) return;
  const rest = inline(act, customer.id, 1)[0];
  const next = { ...customer, default_source: rest === undefined ? null : String(rest['id']) };
  update(act, 'customer', customer, next, 'customer.updated');
}

/** A source is not deleted: it is the customer's no more, and pays never again. */
function detached(act: Act, held: Source): View {
  const next: Source = { ...held, customer: null, status: 'consumed' };
  save(act, 'source', next);
  if (find(act, 'payment_method', held.id) !== undefined) remove(act, 'payment_method', held.id);
  const view = viewOf(act, 'source', next);
  tellView(act, 'customer.source.deleted', view);
  return view;
}

const verify = operation(
  'customers.verifySource',
  'POST /v1/customers/{customer}/sources/{id}/verify',
  { amounts: list(integer()) },
  ({ act, path, params }) => {
    const held = needSource(act, path);
    if (held.type !== 'bank_account') throw invalid('Only a bank account can be verified.', { param: 'id' });
    const [first, second] = [...(params.amounts ?? [])].sort((a, b) => a - b);
    // The vendor's test deposits are always of these two amounts.
    if (first !== 32 || second !== 45) {
      throw invalid('The amounts provided do not match the amounts that were sent to the bank account.', {
        code: 'bank_account_verification_failed',
        param: 'amounts',
      });
    }
    const next = { ...held.record, status: 'verified' };
    return viewOf(
      act,
      'bank_account',
      update(act, 'bank_account', held.record, next, 'customer.source.updated'),
    );
  },
);

/** Cards first, then bank accounts, then sources, newest first. */
function inline(act: Act, customer: string, limit: number): View[] {
  const cards = select(act.tx, 'card', { where: { customer }, limit }).items;
  const banks = select(act.tx, 'bank_account', { where: { customer }, limit }).items;
  const olds = select(act.tx, 'source', { where: { customer }, limit }).items;
  return [
    ...cards.map(card => viewOf(act, 'card', card)),
    ...banks.map(bank => viewOf(act, 'bank_account', bank)),
    ...olds.map(old => viewOf(act, 'source', old)),
  ].slice(0, limit);
}

/** A customer has few of these: one page of each kind is all of them. */
const SOURCES_MAX = 200;

const listAll = operation(
  'customers.listSources',
  'GET /v1/customers/{customer}/sources',
  { ...pageParams, object: choice('bank_account', 'card', 'source') },
  ({ act, path, params }) => {
    const customer = needCustomer(act, path);
    const found = inline(act, customer.id, SOURCES_MAX).filter(
      view => params.object === undefined || view['object'] === params.object,
    );
    const from =
      params.starting_after === undefined
        ? 0
        : found.findIndex(view => view['id'] === params.starting_after) + 1;
    const limit = params.limit ?? 10;
    const list = listView(
      found.slice(from, from + limit),
      found.length > from + limit,
      `/v1/customers/${customer.id}/sources`,
    );
    return act.counts === true ? { ...list, total_count: found.length } : list;
  },
);

export const sourceOperations = [create, retrieve, change, del, verify, listAll];
