// Which parameter of a card a decline is about, as Stripe's errors name it.
import type { Decline } from '../test-cards/list.ts';

const PARAMS: { readonly [code: string]: string } = {
  expired_card: 'exp_month',
  incorrect_cvc: 'cvc',
  incorrect_number: 'number',
};

/** A field of the error; none for a decline that is about the whole card. */
export function declineParam({ code }: Pick<Decline, 'code'>): { readonly param?: string } {
  const param = PARAMS[code];
  return param === undefined ? {} : { param };
}
