// Stripe's Balance: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { balanceOperations } from './balances.ts';
import { type BalanceDue, balanceDue } from './due.ts';
import { payoutOperations } from './payouts.ts';
import { BALANCE_RECORDS, type BalanceRecords } from './records.ts';
import { balanceSettingsOperations } from './settings.ts';
import { topupOperations } from './topups.ts';
import { transferOperations } from './transfers.ts';

export const balance: Product<BalanceRecords, BalanceDue> = {
  operations: [
    ...balanceOperations,
    ...payoutOperations,
    ...topupOperations,
    ...transferOperations,
    ...balanceSettingsOperations,
  ],
  records: BALANCE_RECORDS,
  due: balanceDue,
  models: [
    ['balance', '', 'balance'],
    ['balance_transaction', 'txn_', 'balanceTransactions'],
    ['payout', 'po_', 'payouts'],
    ['topup', 'tu_', 'topups'],
    ['transfer', 'tr_', 'transfers'],
  ],
  events: [
    'balance.available',
    'balance_settings.updated',
    'payout.canceled',
    'payout.created',
    'payout.failed',
    'payout.paid',
    'payout.updated',
    'topup.canceled',
    'topup.created',
    'topup.failed',
    'topup.succeeded',
    'transfer.created',
    'transfer.reversed',
    'transfer.updated',
  ],
};
