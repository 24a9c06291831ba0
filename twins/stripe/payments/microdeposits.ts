// A bank account that is verified by what a payer sees on its statement: a payment or a setup waits until they told it.
import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import type { PaymentIntent, PaymentMethod, SetupIntent } from './records.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** What test mode deposits, as Stripe publishes it. */
const CODE = 'SM11AA';
const AMOUNTS = [32, 45];

type Intent = Pick<PaymentIntent | SetupIntent, 'payment_method_options'>;

/** Whether the intent asks for it and the account was not verified yet. Nobody who asks for nothing else waits. */
export function waitsForDeposits(intent: Intent, method: PaymentMethod): boolean {
  const options = intent.payment_method_options as {
    readonly us_bank_account?: { readonly verification_method?: string };
  } | null;
  return (
    method.type === 'us_bank_account' &&
    method.$setUp !== true &&
    options?.us_bank_account?.verification_method === 'microdeposits'
  );
}

export function depositsAction(act: Act, url: string) {
  return {
    type: 'verify_with_microdeposits',
    verify_with_microdeposits: {
      arrival_date: act.at + DAY_SECONDS,
      hosted_verification_url: url,
      microdeposit_type: 'descriptor_code' as const,
    },
  };
}

type Told = { readonly amounts?: readonly number[]; readonly descriptor_code?: string };

/** Throws where what was told is not what was deposited. */
export function checkDeposits({ amounts = [], descriptor_code: code }: Told): void {
  if (code !== undefined ? code === CODE : `${amounts.toSorted((a, b) => a - b)}` === `${AMOUNTS}`) return;
  if (code !== undefined) {
    throw invalid('The descriptor code provided does not match the one that was sent to the bank account.', {
      code: 'payment_method_microdeposit_verification_descriptor_code_mismatch',
      param: 'descriptor_code',
    });
  }
  throw invalid('The amounts provided do not match the amounts that were sent to the bank account.', {
    code: 'payment_method_microdeposit_verification_amounts_mismatch',
  });
}
