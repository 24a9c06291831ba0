// What of a subscription's payments is a connected account's, and what of them the platform keeps.
import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { type Decoded, decimal, hash, required, text, unset } from '../api/params.ts';
import type { PaymentIntent } from '../payments/records.ts';
import type { Subscription } from './records.ts';

export const sharingParams = {
  application_fee_percent: unset(decimal()),
  on_behalf_of: unset(text()),
  transfer_data: unset(hash({ amount_percent: decimal(), destination: required(text()) })),
} as const;

type Given = Partial<Decoded<typeof sharingParams>>;
type Sharing = Pick<Subscription, 'application_fee_percent' | 'on_behalf_of' | 'transfer_data'>;

export const UNSHARED: Sharing = { application_fee_percent: null, on_behalf_of: null, transfer_data: null };

/** With what the call says of it. Throws before anything is written. */
export function sharingOf(act: Act, held: Sharing, given: Given): Sharing {
  const { application_fee_percent: fee, on_behalf_of: merchant, transfer_data: transfer } = given;
  if (merchant != null) need(act, 'account', merchant, { param: 'on_behalf_of' });
  if (transfer != null) need(act, 'account', transfer.destination, { param: 'transfer_data[destination]' });
  const next: Sharing = {
    application_fee_percent:
      fee === undefined ? held.application_fee_percent : percentOf(fee, 'application_fee_percent'),
    on_behalf_of: merchant === undefined ? held.on_behalf_of : merchant,
    transfer_data:
      transfer === undefined
        ? held.transfer_data
        : transfer === null
          ? null
          : {
              amount_percent: percentOf(transfer.amount_percent ?? null, 'transfer_data[amount_percent]'),
              destination: transfer.destination,
            },
  };
  if (next.application_fee_percent === null) return next;
  if (next.transfer_data?.amount_percent != null) {
    throw invalid(
      'You may only specify one of these parameters: application_fee_percent, transfer_data[amount_percent].',
      { code: 'parameters_exclusive', param: 'application_fee_percent' },
    );
  }
  if (next.transfer_data === null && act.account === null) {
    throw invalid(
      'Can only apply an application_fee_percent when the request is made on behalf of another account (using an OAuth ' +
        'key or the Stripe-Account header) or when `transfer_data[destination]` is set.',
      { param: 'application_fee_percent' },
    );
  }
  return next;
}

function percentOf(given: string | null, param: string): number | null {
  if (given === null) return null;
  const percent = Number(given);
  if (percent >= 0 && percent <= 100) return percent;
  throw invalid('Invalid decimal: must be between 0 and 100.', { param });
}

/** Of the intent that pays an invoice of the subscription. */
export function sharedBy(
  { application_fee_percent: fee, on_behalf_of, transfer_data: transfer }: Sharing,
  due: number,
): Pick<PaymentIntent, 'application_fee_amount' | 'on_behalf_of' | 'transfer_data'> {
  const part = (percent: number): number => Math.round((due * percent) / 100);
  return {
    application_fee_amount: fee === null ? null : part(fee),
    on_behalf_of,
    transfer_data:
      transfer === null
        ? null
        : {
            destination: transfer.destination,
            ...(transfer.amount_percent === null ? {} : { amount: part(transfer.amount_percent) }),
          },
  };
}
