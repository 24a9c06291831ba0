// Where connected accounts are paid out to: their bank accounts and debit cards.

import { type Act, find, remove, save } from '../api/act.ts';
import { missing } from '../api/errors.ts';
import { page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, integer, mergeMetadata, metadata, required, text } from '../api/params.ts';
import { type View, viewOf } from '../api/view.ts';
import { tell, tellView, update } from '../events/events.ts';
import type { BankAccount, CardSource } from '../payments/records.ts';
import { redeem, spend, tokenParam } from '../payments/tokens.ts';
import { needAccount } from './capabilities.ts';
import type { Account } from './records.ts';

const addBank = operation(
  'accounts.createExternalAccount',
  'POST /v1/accounts/{account}/external_accounts',
  { default_for_currency: boolean(), external_account: required(tokenParam()), metadata: metadata() },
  ({ act, path, params }) => {
    const account = needAccount(act, path['account'] ?? '');
    const made = redeem(act, params.external_account, 'external_account');
    spend(act, params.external_account);
    return addExternal(act, account, made, mergeMetadata({}, params.metadata));
  },
);

/** Saves and tells of it; the newest is the default of its currency. */
export function addExternal(
  act: Act,
  account: Account,
  made: CardSource | BankAccount,
  metadata: { [name: string]: string } = {},
): View {
  const more = { account: account.id, default_for_currency: true, metadata };
  const event = 'account.external_account.created';
  if (made.object === 'card') {
    const card: CardSource = { ...made, ...more, currency: made.currency ?? 'usd' };
    save(act, 'card', card);
    tell(act, event, 'card', card);
    return viewOf(act, 'card', card);
  }
  const bank: BankAccount = { ...made, ...more };
  save(act, 'bank_account', bank);
  tell(act, event, 'bank_account', bank);
  return viewOf(act, 'bank_account', bank);
}

const banks = operation(
  'accounts.listExternalAccounts',
  'GET /v1/accounts/{account}/external_accounts',
  { ...pageParams, object: text() },
  ({ act, path, params }) => {
    const account = needAccount(act, path['account'] ?? '').id;
    const type = params.object === 'card' ? 'card' : 'bank_account';
    return page(act, type, params, `/v1/accounts/${account}/external_accounts`, { where: { account } });
  },
);

const dropBank = operation(
  'accounts.deleteExternalAccount',
  'DELETE /v1/accounts/{account}/external_accounts/{id}',
  {},
  ({ act, path }) => {
    const held = needBank(act, path);
    const { id } = held.record;
    const shown = view(act, held);
    remove(act, held.type, id);
    tellView(act, 'account.external_account.deleted', shown);
    return { id, object: held.type, deleted: true };
  },
);

type Held = { type: 'card'; record: CardSource } | { type: 'bank_account'; record: BankAccount };

function needBank(act: Act, path: { readonly [name: string]: string }): Held {
  const account = needAccount(act, path['account'] ?? '');
  const id = path['id'] ?? '';
  const card = find(act, 'card', id);
  if (card !== undefined && card.account === account.id) return { type: 'card', record: card };
  const bank = find(act, 'bank_account', id);
  if (bank !== undefined && bank.account === account.id) return { type: 'bank_account', record: bank };
  throw missing('external account', id, { param: 'id', inPath: true });
}

const view = (act: Act, held: Held): View =>
  held.type === 'card' ? viewOf(act, 'card', held.record) : viewOf(act, 'bank_account', held.record);

const retrieve = operation(
  'accounts.retrieveExternalAccount',
  'GET /v1/accounts/{account}/external_accounts/{id}',
  {},
  ({ act, path }) => view(act, needBank(act, path)),
);

const change = operation(
  'accounts.updateExternalAccount',
  'POST /v1/accounts/{account}/external_accounts/{id}',
  {
    account_holder_name: text(),
    account_holder_type: choice('company', 'individual'),
    account_type: choice('checking', 'futsu', 'savings', 'toza'),
    address_city: text(),
    address_country: text(),
    address_line1: text(),
    address_line2: text(),
    address_state: text(),
    address_zip: text(),
    default_for_currency: boolean(),
    exp_month: integer(1, 12),
    exp_year: integer(),
    metadata: metadata(),
    name: text(),
  },
  ({ act, path, params }) => {
    const held = needBank(act, path);
    const { metadata: tags, ...given } = params;
    const known = Object.fromEntries(Object.entries(given).filter(([name]) => name in held.record));
    const next = {
      ...held.record,
      ...known,
      metadata: mergeMetadata(held.record.metadata ?? {}, tags),
    };
    const told = 'account.external_account.updated';
    return held.type === 'card'
      ? viewOf(act, 'card', update(act, 'card', held.record, next as CardSource, told))
      : viewOf(act, 'bank_account', update(act, 'bank_account', held.record, next as BankAccount, told));
  },
);

export const externalAccountOperations = [addBank, banks, dropBank, retrieve, change];
