// A charge that is shared with a connected account: what the platform keeps is its application fee, the rest is
// transferred.

import { type Act, save } from '../api/act.ts';
import { book, PLATFORM } from '../balance/book.ts';
import { transfer } from '../balance/transfers.ts';
import type { ApplicationFee } from '../connect/records.ts';
import { tell } from '../events/events.ts';
import type { Charge } from './records.ts';

/** For a charge whose money is booked; returns it with its transfer and fee. Not saved. */
export function share(act: Act, charge: Charge): Charge {
  const destination = charge.transfer_data?.destination;
  if (typeof destination !== 'string') return direct(act, charge);
  const amount = charge.transfer_data?.amount ?? charge.amount_captured;
  const group = charge.transfer_group ?? `group_${charge.payment_intent ?? charge.id}`;
  const made = transfer(act, { amount, currency: charge.currency, destination, source: charge.id, group });
  const shared = { ...charge, transfer: made.id, transfer_group: group };
  const fee = charge.application_fee_amount;
  return fee === null || fee === 0
    ? shared
    : { ...shared, application_fee: keepFee(act, charge, destination, fee) };
}

/** A charge that a connected account made itself: only the platform's fee is shared. */
function direct(act: Act, charge: Charge): Charge {
  const fee = charge.application_fee_amount;
  if (act.account === null || fee === null || fee === 0) return charge;
  return { ...charge, application_fee: keepFee(act, charge, act.account, fee) };
}

function keepFee(act: Act, charge: Charge, account: string, amount: number): string {
  const id = act.tx.recordId('fee_', 24);
  book(act, {
    amount: -amount,
    currency: charge.currency,
    type: 'application_fee',
    category: 'fee',
    source: id,
    account,
  });
  const kept = book(act, {
    amount,
    currency: charge.currency,
    type: 'application_fee',
    category: 'platform_earning',
    source: id,
    account: PLATFORM,
  });
  const fee: ApplicationFee = {
    id,
    object: 'application_fee',
    account,
    amount,
    amount_refunded: 0,
    application: 'ca_twin',
    balance_transaction: kept.id,
    charge: charge.id,
    created: act.at,
    currency: charge.currency,
    fee_source: { charge: charge.id, type: 'charge' },
    livemode: false,
    originating_transaction: charge.id,
    refunded: false,
  };
  save(act, 'application_fee', fee);
  tell(act, 'application_fee.created', 'application_fee', fee);
  return id;
}
