// What banks do with balances as the world's clock moves. A record that is gone or moved on is left alone.
import type { DueHandlers } from '../../kit/due.ts';
import { find } from '../api/act.ts';
import type { Falling } from '../api/product.ts';
import { becomeAvailable } from './book.ts';
import { arrive } from './payouts.ts';
import { settleTopup } from './topups.ts';

export type BalanceDue = {
  /** What was pending until `at` (seconds, as text) can be paid out. */
  'balance.mature': { readonly balance: string; readonly at: string };
  'payout.arrive': { readonly payout: string };
  'topup.settle': { readonly topup: string; readonly fails: boolean };
};

export const balanceDue: DueHandlers<BalanceDue, Falling> = {
  'balance.mature': ({ balance, at }, { act }) => becomeAvailable(act, balance, at),
  'payout.arrive': ({ payout: id }, { act }) => {
    const payout = find(act, 'payout', id);
    if (payout !== undefined) arrive(act, payout);
  },
  'topup.settle': ({ topup: id, fails }, { act }) => {
    const topup = find(act, 'topup', id);
    if (topup !== undefined) settleTopup(act, topup, fails);
  },
};
