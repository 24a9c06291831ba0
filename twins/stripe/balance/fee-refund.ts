// Giving an application fee back, whole or in part: by itself, or with the refund of what it was taken from.
import { type Act, find, save } from '../api/act.ts';
import type { ApplicationFee, FeeRefund } from '../connect/records.ts';
import { update } from '../events/events.ts';
import { book, PLATFORM } from './book.ts';

export function refundFee(
  act: Act,
  fee: ApplicationFee,
  amount: number,
  metadata: { [name: string]: string } = {},
): FeeRefund {
  const id = act.tx.id('fr_', 24);
  const { currency } = fee;
  const type = 'application_fee_refund';
  const given = book(act, {
    ...{ amount: -amount, currency, type, source: id },
    category: 'platform_earning_refund',
    account: PLATFORM,
  });
  book(act, { amount, currency, type, category: 'fee', source: id, account: String(fee.account) });
  const made: FeeRefund = {
    id,
    object: 'fee_refund',
    amount,
    balance_transaction: given.id,
    created: act.at,
    currency,
    fee: fee.id,
    metadata,
  };
  save(act, 'fee_refund', made);
  const total = fee.amount_refunded + amount;
  const next = { ...fee, amount_refunded: total, refunded: total === fee.amount };
  update(act, 'application_fee', fee, next, 'application_fee.refunded');
  return made;
}

/** Of a charge that is refunded in part, the same part of its fee. */
export function refundFeeOf(act: Act, id: string | null, part: { amount: number; of: number }): void {
  const fee = id === null ? undefined : find(act, 'application_fee', id);
  if (fee === undefined) return;
  const share = Math.floor((fee.amount * part.amount) / part.of);
  const amount = Math.min(fee.amount - fee.amount_refunded, share);
  if (amount > 0) refundFee(act, fee, amount);
}
