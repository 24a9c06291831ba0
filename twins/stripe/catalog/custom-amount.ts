// A price whose amount its buyer chooses: between which amounts, and which one is proposed.
import { invalid } from '../api/errors.ts';
import { minimumOf, money } from '../api/money.ts';
import { boolean, type Decoded, hash, integer, required } from '../api/params.ts';
import type { Price } from './records.ts';

export const customAmountParam = hash({
  enabled: required(boolean()),
  maximum: integer(1),
  minimum: integer(0),
  preset: integer(0),
});

type Given = Decoded<{ a: typeof customAmountParam }>['a'];
export type CustomAmount = Price['custom_unit_amount'];

/** `others`: the parameters that say a price's amount, or how often it is billed; none goes with a chosen one. */
export function customAmountOf(
  given: Given,
  others: { readonly [name: string]: unknown },
  at: (name: string) => string,
): CustomAmount {
  if (given === undefined) return null;
  if (!given.enabled) {
    throw invalid('You must set `custom_unit_amount[enabled]` to `true` to use `custom_unit_amount`.', {
      param: at('custom_unit_amount[enabled]'),
    });
  }
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined) continue;
    throw invalid(`You may only specify one of these parameters: custom_unit_amount, ${name}.`, {
      code: 'parameters_exclusive',
      param: at('custom_unit_amount'),
    });
  }
  const { maximum = null, minimum = null, preset = null } = given;
  if (maximum !== null && minimum !== null && maximum < minimum) {
    throw invalid(
      '`custom_unit_amount[maximum]` must be greater than or equal to `custom_unit_amount[minimum]`.',
      {
        param: at('custom_unit_amount[maximum]'),
      },
    );
  }
  if (preset !== null && (preset < (minimum ?? 0) || preset > (maximum ?? preset))) {
    throw invalid('`custom_unit_amount[preset]` must be between the minimum and the maximum.', {
      param: at('custom_unit_amount[preset]'),
    });
  }
  return { maximum, minimum, preset };
}

/** What is wrong with the amount that somebody chose; null where it may be paid. */
export function amountFault(
  custom: NonNullable<CustomAmount>,
  amount: number,
  currency: string,
): string | null {
  const least = custom.minimum ?? minimumOf(currency)?.amount ?? 1;
  if (!Number.isSafeInteger(amount) || amount < least) return `Enter at least ${money(least, currency)}.`;
  if (custom.maximum !== null && amount > custom.maximum)
    return `Enter at most ${money(custom.maximum, currency)}.`;
  return null;
}
