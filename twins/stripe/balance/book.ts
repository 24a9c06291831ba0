// Money: what each account holds in each currency, and the balance transactions that made it so. Whole numbers of
// the smallest unit only; what is pending becomes available at midnight UTC of its day, by the world's clock.

import { schedule } from '../../kit/due.ts';
import { type Act, find, save, select } from '../api/act.ts';
import { isWhole } from '../api/money.ts';
import type { Reader, View } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tellView } from '../events/events.ts';
import type { BalanceAccount, BalanceTransaction } from './records.ts';

/** The platform's own account, where no connected account is named. */
export const PLATFORM = 'platform';
const DAY_SECONDS = 86_400;
/** A card payment is paid out two days after its own. */
export const SETTLES_AFTER_DAYS = 2;
const CURRENCIES_MAX = 200;

export type Booking = {
  /** Before the fee; negative takes. */
  readonly amount: number;
  readonly currency: string;
  readonly type: BalanceTransaction['type'];
  readonly category: string;
  readonly source: string | null;
  readonly fee?: number;
  readonly feeDescription?: string;
  readonly description?: string | null;
  /** Days until it can be paid out; none is at once. */
  readonly days?: number;
  /** That of the call where none is named. */
  readonly account?: string;
};

/** Books one balance transaction and moves the balance by its net. Saved; returned for its id. */
export function book(act: Act, booking: Booking): BalanceTransaction {
  const fee = booking.fee ?? 0;
  const days = booking.days ?? 0;
  const availableOn = days === 0 ? act.at : (Math.floor(act.at / DAY_SECONDS) + days) * DAY_SECONDS;
  const account = booking.account ?? act.account ?? PLATFORM;
  const made: BalanceTransaction = {
    id: act.tx.recordId('txn_', 24),
    object: 'balance_transaction',
    amount: booking.amount,
    available_on: availableOn,
    balance_type: 'payments',
    created: act.at,
    currency: booking.currency,
    description: booking.description ?? null,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency: booking.currency,
              description: booking.feeDescription ?? 'Stripe processing fees',
              type: 'stripe_fee',
            },
          ],
    net: booking.amount - fee,
    reporting_category: booking.category,
    source: booking.source,
    status: days === 0 ? 'available' : 'pending',
    type: booking.type,
    $account: account,
    $payout: null,
  };
  save(act, 'balance_transaction', made);
  move(act, account, booking.currency, made.net, days === 0 ? null : availableOn);
  return made;
}

function move(act: Act, account: string, currency: string, net: number, at: number | null): void {
  const held = balanceOf(act, account, currency);
  if (at === null) {
    save(act, 'balance_account', { ...held, available: held.available + net });
    return;
  }
  const key = String(at);
  const pending = { ...held.pending, [key]: (held.pending[key] ?? 0) + net };
  save(act, 'balance_account', { ...held, pending });
  // Whoever was the first to put something there waits for it already.
  if (held.pending[key] !== undefined) return;
  schedule<Due>(act.tx, `available:${held.id}:${key}`, at * 1000, {
    kind: 'balance.mature',
    balance: held.id,
    at: key,
  });
}

/** What an account holds in a currency; nothing where it never held any. */
export function balanceOf(act: Act, account: string, currency: string): BalanceAccount {
  const id = `${account}:${currency}`;
  return find(act, 'balance_account', id) ?? { id, $account: account, currency, available: 0, pending: {} };
}

/** What was pending until now can be paid out. */
export function becomeAvailable(act: Act, id: string, at: string): void {
  const held = find(act, 'balance_account', id);
  const amount = held?.pending[at];
  if (held === undefined || amount === undefined) return;
  const { [at]: _gone, ...pending } = held.pending;
  save(act, 'balance_account', { ...held, available: held.available + amount, pending });
  tellAvailable(act, held.$account);
}

export function tellAvailable(act: Act, account: string): void {
  tellView(act, 'balance.available', balanceView(act.tx, account));
}

export function balanceView(reader: Reader, account: string): View {
  const held = select(reader, 'balance_account', {
    where: { $account: account },
    order: 'oldest',
    limit: CURRENCIES_MAX,
  }).items;
  const shown = held.length > 0 ? held : [{ currency: 'usd', available: 0, pending: {} }];
  const total = (pending: { [at: string]: number }): number =>
    Object.values(pending).reduce((sum, amount) => sum + amount, 0);
  const line = (amount: number, currency: string): View => ({
    amount,
    currency,
    source_types: { card: amount },
  });
  return {
    object: 'balance',
    available: shown.map(({ available, currency }) => line(available, currency)),
    connect_reserved: shown.map(({ currency }) => ({ amount: 0, currency })),
    issuing: { available: [{ amount: 0, currency: shown[0]?.currency ?? 'usd' }] },
    livemode: false,
    pending: shown.map(({ pending, currency }) => line(total(pending), currency)),
    refund_and_dispute_prefunding: {
      available: shown.map(({ currency }) => ({ amount: 0, currency })),
      pending: shown.map(({ currency }) => ({ amount: 0, currency })),
    },
  };
}

/** Stripe's fee on a payment: 2.9% + 30 for cards, 0.8% and at most 5.00 for bank debits. Halves round up. */
export function feeOf(amount: number, currency: string, methodType: string): number {
  if (amount === 0) return 0;
  if (methodType === 'us_bank_account' || methodType === 'acss_debit') {
    return Math.min(500, Math.floor((amount * 8 + 500) / 1000));
  }
  if (methodType === 'customer_balance') return Math.min(500, Math.floor((amount * 5 + 500) / 1000));
  const fixed = isWhole(currency) ? 0 : 30;
  return Math.min(amount, Math.floor((amount * 29 + 500) / 1000) + fixed);
}
