// What is kept of balances: each movement, and where money went from there.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import { countedUnder } from '../api/view.ts';
import type { Kept, Stored } from '../api/wire.ts';

export type BalanceTransaction = Stored<
  Stripe.BalanceTransaction,
  never,
  { $account: string; $payout: string | null }
>;
/** What an account holds in one currency. */
export type BalanceAccount = {
  id: string;
  $account: string;
  currency: string;
  available: number;
  /** By the second at which it becomes available, as text. */
  pending: { [at: string]: number };
};
export type Payout = Stored<Stripe.Payout, never, { $account: string }>;
export type Transfer = Stored<Stripe.Transfer, 'reversals', object>;
export type TransferReversal = Stored<Stripe.TransferReversal, never, object>;
export type Topup = Stored<Stripe.Topup, never, object>;

export type BalanceRecords = {
  balance_transaction: BalanceTransaction;
  balance_account: BalanceAccount;
  payout: Payout;
  transfer: Transfer;
  transfer_reversal: TransferReversal;
  topup: Topup;
  balance_settings: Kept;
};

export const BALANCE_RECORDS: RecordRows<BalanceRecords> = {
  balance_transaction: {
    indexes: [
      ['$account'],
      ['$account', 'type'],
      ['$account', 'source'],
      ['$payout'],
      ['$account', 'currency'],
    ],
    noun: 'balance transaction',
    inlined: ({ tx }, { status, available_on }) =>
      status === 'pending' && available_on * 1000 <= tx.now ? { status: 'available' } : {},
  },
  balance_account: { indexes: [['$account']] },
  payout: { indexes: [['$account'], ['$account', 'status'], ['$account', 'destination']] },
  transfer: {
    indexes: [['destination'], ['transfer_group']],
    inlined: (by, { id }) => ({
      reversals: countedUnder(by, 'transfer_reversal', { transfer: id }, `/v1/transfers/${id}/reversals`),
    }),
    expandable: { destination_payment: 'empty' },
  },
  transfer_reversal: { indexes: [['transfer']], noun: 'transfer reversal' },
  topup: { indexes: [['status']] },
  balance_settings: { indexes: [] },
};
