// A card as somebody typed it in: its number, expiry and code, judged as the vendor judges them before any bank does.
import { StripeRefusal } from '../api/errors.ts';
import { cardOfNumber } from './test-cards.ts';

export type CardDetails = {
  readonly number: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly cvc?: string | undefined;
};

/** How many years ahead a card may still be valid. */
const EXPIRES_YEARS_MAX = 50;

/** The name of the test card that this is. `at` is the world's clock in seconds. Throws a 402 for what is none. */
export function cardNameOf(given: CardDetails, at: number): string {
  const digits = given.number.replaceAll(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(digits)) {
    throw refusal('invalid_number', 'The card number is not a valid credit card number.', 'number');
  }
  if (!passesLuhn(digits)) throw refusal('incorrect_number', 'Your card number is incorrect.', 'number');
  const today = new Date(at * 1000);
  const year = fullYear(given.exp_year);
  if (given.exp_month < 1 || given.exp_month > 12) {
    throw refusal('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  }
  const thisYear = today.getUTCFullYear();
  if (year < thisYear || year > thisYear + EXPIRES_YEARS_MAX) {
    throw refusal('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  }
  if (year === thisYear && given.exp_month < today.getUTCMonth() + 1) {
    throw refusal('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  }
  if (given.cvc !== undefined && !/^\d{3,4}$/.test(given.cvc)) {
    throw refusal('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  const name = cardOfNumber(digits);
  if (name !== null) return name;
  throw refusal(
    'card_declined',
    'Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
    'number',
    'test_mode_live_card',
  );
}

/** A year of two digits is of this century. */
export function fullYear(year: number): number {
  return year < 100 ? 2000 + year : year;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function refusal(code: string, message: string, param: string, decline_code?: string): StripeRefusal {
  return new StripeRefusal(402, message, {
    type: 'card_error',
    code,
    ...(decline_code === undefined ? {} : { decline_code }),
    param,
  });
}
