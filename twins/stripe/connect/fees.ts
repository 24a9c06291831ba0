// Application fees, read and given back, and the bank accounts of connected accounts.
import { book } from '../balance/ledger.ts';
import { invalid } from '../errors.ts';
import { update } from '../events.ts';
import { createdParams, page, pageParams } from '../list.ts';
import { operation } from '../operation.ts';
import { boolean, integer, mergeMetadata, metadata, required, text } from '../params.ts';
import { redeem, spend } from '../payments/tokens.ts';
import type { ApplicationFee, FeeRefund } from '../payments/wire.ts';
import { type Act, find, need, remove, save } from '../records.ts';
import { viewOf } from '../views.ts';
import { needAccount } from './accounts.ts';

const needFee = (act: Act, path: { readonly [name: string]: string }): ApplicationFee =>
  need(act, 'application_fee', path['id'] ?? '', { param: 'id', inPath: true });

const retrieve = operation('applicationFees.retrieve', 'GET /v1/application_fees/{id}', {}, ({ act, path }) =>
  viewOf(act.tx, 'application_fee', needFee(act, path)),
);

const listAll = operation(
  'applicationFees.list',
  'GET /v1/application_fees',
  { ...createdParams, charge: text() },
  ({ act, params }) =>
    page(
      act,
      'application_fee',
      params,
      '/v1/application_fees',
      params.charge === undefined ? {} : { where: { charge: params.charge } },
    ),
);

const giveBack = operation(
  'applicationFees.createRefund',
  'POST /v1/application_fees/{id}/refunds',
  { amount: integer(1), metadata: metadata() },
  ({ act, path, params }) => {
    const fee = needFee(act, path);
    const left = fee.amount - fee.amount_refunded;
    const amount = params.amount ?? left;
    if (amount > left || left === 0) {
      throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on fee (${left}).`, {
        param: 'amount',
      });
    }
    const id = act.tx.id('fr_', 24);
    const given = book(act, {
      amount: -amount,
      currency: fee.currency,
      type: 'application_fee_refund',
      category: 'platform_earning_refund',
      source: id,
    });
    book(act, {
      amount,
      currency: fee.currency,
      type: 'application_fee_refund',
      category: 'fee',
      source: id,
      account: String(fee.account),
    });
    const made: FeeRefund = {
      id,
      object: 'fee_refund',
      amount,
      balance_transaction: given.id,
      created: act.at,
      currency: fee.currency,
      fee: fee.id,
      metadata: mergeMetadata({}, params.metadata),
    };
    save(act, 'fee_refund', made);
    const total = fee.amount_refunded + amount;
    const next = { ...fee, amount_refunded: total, refunded: total === fee.amount };
    update(act, 'application_fee', fee, next, 'application_fee.refunded');
    return viewOf(act.tx, 'fee_refund', made);
  },
);

const refunds = operation(
  'applicationFees.listRefunds',
  'GET /v1/application_fees/{id}/refunds',
  pageParams,
  ({ act, path, params }) => {
    const fee = needFee(act, path).id;
    return page(act, 'fee_refund', params, `/v1/application_fees/${fee}/refunds`, { where: { fee } });
  },
);

const addBank = operation(
  'accounts.createExternalAccount',
  'POST /v1/accounts/{account}/external_accounts',
  { default_for_currency: boolean(), external_account: required(text()), metadata: metadata() },
  ({ act, path, params }) => {
    const account = needAccount(act, path['account'] ?? '');
    const made = redeem(act, params.external_account, 'external_account');
    spend(act, params.external_account);
    const more = {
      account: account.id,
      default_for_currency: true,
      metadata: mergeMetadata({}, params.metadata),
    };
    if (made.object === 'card') {
      const card = { ...made, ...more, currency: made.currency ?? 'usd' };
      act.tx.kind('account.external_account.created');
      save(act, 'card', card);
      return viewOf(act.tx, 'card', card);
    }
    const bank = { ...made, ...more };
    act.tx.kind('account.external_account.created');
    save(act, 'bank_account', bank);
    return viewOf(act.tx, 'bank_account', bank);
  },
);

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
    const type = find(act, 'card', path['id'] ?? '') === undefined ? 'bank_account' : 'card';
    const held = need(act, type, path['id'] ?? '', { param: 'id', inPath: true });
    act.tx.kind('account.external_account.deleted');
    remove(act, type, held.id);
    return { id: held.id, object: type, deleted: true };
  },
);

export const feeOperations = [retrieve, listAll, giveBack, refunds, addBank, banks, dropBank];
