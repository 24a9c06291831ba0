// The balance and its transactions, read back.

import { need } from '../api/act.ts';
import { createdParams, inRange, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { range, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { balanceView, PLATFORM } from './book.ts';

const balance = operation('balance.retrieve', 'GET /v1/balance', {}, ({ act }) =>
  balanceView(act.tx, act.account ?? PLATFORM),
);

const retrieve = operation(
  'balanceTransactions.retrieve',
  'GET /v1/balance_transactions/{id}',
  {},
  ({ act, path }) =>
    viewOf(
      act,
      'balance_transaction',
      need(act, 'balance_transaction', path['id'] ?? '', { param: 'id', inPath: true }),
    ),
);

const list = operation(
  'balanceTransactions.list',
  'GET /v1/balance_transactions',
  {
    ...createdParams,
    // Until 2022-08-01.
    available_on: range(),
    currency: text(),
    payout: text(),
    source: text(),
    type: text(),
  },
  ({ act, params }) => {
    const { currency, payout, source, type } = params;
    const $account = act.account ?? PLATFORM;
    const where =
      payout !== undefined
        ? { $payout: payout }
        : source !== undefined
          ? { $account, source }
          : type !== undefined
            ? { $account, type }
            : currency !== undefined
              ? { $account, currency: currency.toLowerCase() }
              : { $account };
    return page(act, 'balance_transaction', params, '/v1/balance_transactions', {
      where,
      keep: held =>
        inRange(held.available_on, params.available_on) &&
        (type === undefined || held.type === type) &&
        (currency === undefined || held.currency === currency.toLowerCase()),
    });
  },
);

export const balanceOperations = [balance, retrieve, list];
