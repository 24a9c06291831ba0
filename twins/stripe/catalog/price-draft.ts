// A price as a call asks for it, not yet saved, and what a quantity of one costs.

import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { isCurrency } from '../api/money.ts';
import {
  boolean,
  choice,
  type Decoded,
  decimal,
  either,
  hash,
  integer,
  list,
  map,
  mergeMetadata,
  metadata,
  required,
  text,
} from '../api/params.ts';
import { customAmountOf, customAmountParam } from './custom-amount.ts';
import type { CurrencyOptions, Price, Tier } from './records.ts';

export const interval = choice('day', 'week', 'month', 'year');

const tier = hash({
  flat_amount: integer(0),
  flat_amount_decimal: decimal(),
  unit_amount: integer(0),
  unit_amount_decimal: decimal(),
  up_to: required(either(text(), integer(1))),
});

/** By currency, beside the price's own. */
export const currencyOptionsParam = map(
  hash({
    custom_unit_amount: customAmountParam,
    tax_behavior: choice('exclusive', 'inclusive', 'unspecified'),
    tiers: list(tier),
    unit_amount: integer(),
    unit_amount_decimal: decimal(),
  }),
);

/** What `price_data`, `default_price_data` and a price of its own share. */
export const priceFields = {
  currency: required(text()),
  metadata: metadata(),
  recurring: hash({ interval: required(interval), interval_count: integer(1) }),
  tax_behavior: choice('exclusive', 'inclusive', 'unspecified'),
  unit_amount: integer(),
  unit_amount_decimal: decimal(),
} as const;

export const createShape = {
  ...priceFields,
  active: boolean(),
  billing_scheme: choice('per_unit', 'tiered'),
  currency_options: currencyOptionsParam,
  custom_unit_amount: customAmountParam,
  lookup_key: text(200),
  nickname: text(),
  product: text(),
  product_data: hash({
    active: boolean(),
    id: text(),
    metadata: metadata(),
    name: required(text()),
    statement_descriptor: text(22),
    tax_code: text(),
    unit_label: text(12),
  }),
  recurring: hash({
    interval: required(interval),
    interval_count: integer(1),
    meter: text(),
    trial_period_days: integer(0),
    usage_type: choice('licensed', 'metered'),
  }),
  tiers: list(tier),
  tiers_mode: choice('graduated', 'volume'),
  transfer_lookup_key: boolean(),
  transform_quantity: hash({ divide_by: required(integer(1)), round: required(choice('down', 'up')) }),
} as const;

type Given = Partial<Decoded<typeof createShape>> & { readonly currency: string; readonly product: string };

/** A price that a call asks for; not yet saved. `param` is where in the call it is. */
export function newPrice(act: Act, given: Given, param: string): Price {
  const at = (name: string): string => (param === '' ? name : `${param}[${name}]`);
  const currency = given.currency.toLowerCase();
  if (!isCurrency(currency)) {
    throw invalid(`Invalid currency: ${given.currency}. Stripe currently supports ISO 4217 currency codes.`, {
      param: at('currency'),
    });
  }
  const tiered = given.billing_scheme === 'tiered';
  const amounts = amountsOf(given, tiered, at);
  const recurring = given.recurring;
  if (recurring !== undefined) checkInterval(recurring.interval, recurring.interval_count ?? 1, at);
  if (tiered && (given.tiers === undefined || given.tiers_mode === undefined)) {
    throw invalid('You must specify `tiers` and `tiers_mode` when `billing_scheme=tiered`.', {
      param: at('tiers'),
    });
  }
  return {
    id: act.tx.recordId('price_', 24),
    object: 'price',
    active: given.active ?? true,
    billing_scheme: given.billing_scheme ?? 'per_unit',
    created: act.at,
    currency,
    livemode: false,
    lookup_key: given.lookup_key ?? null,
    metadata: mergeMetadata({}, given.metadata),
    nickname: given.nickname ?? null,
    product: given.product,
    recurring:
      recurring === undefined
        ? null
        : {
            interval: recurring.interval,
            interval_count: recurring.interval_count ?? 1,
            meter: recurring.meter ?? null,
            trial_period_days: recurring.trial_period_days ?? null,
            usage_type: recurring.usage_type ?? 'licensed',
          },
    tax_behavior: given.tax_behavior ?? 'unspecified',
    tiers_mode: given.tiers_mode ?? null,
    transform_quantity: given.transform_quantity ?? null,
    type: recurring === undefined ? 'one_time' : 'recurring',
    ...amounts,
    $tiers: given.tiers?.map(tierOf) ?? null,
    ...(given.currency_options === undefined
      ? {}
      : { $options: optionsOf(given.currency_options, { own: currency, tiered, at }) }),
  };
}

type Options = Exclude<Given['currency_options'], undefined>;

/** `own`: the currency of the price itself, whose amounts are no option. */
export function optionsOf(
  given: Options,
  { own, tiered, at }: { own: string; tiered: boolean; at: (name: string) => string },
): CurrencyOptions {
  const options = Object.entries(given).map(([name, option]): [string, CurrencyOptions[string]] => {
    const currency = name.toLowerCase();
    const place = (field: string): string => at(`currency_options[${name}][${field}]`);
    if (!isCurrency(currency)) {
      throw invalid(`Invalid currency: ${name}. Stripe currently supports ISO 4217 currency codes.`, {
        param: at(`currency_options[${name}]`),
      });
    }
    if (tiered && option.tiers === undefined)
      throw invalid('You must specify `tiers` when `billing_scheme=tiered`.', { param: place('tiers') });
    const amounts = amountsOf({ ...option, currency, product: '' }, tiered, place);
    const behaviour = option.tax_behavior ?? 'unspecified';
    return [currency, { tax_behavior: behaviour, ...amounts, tiers: option.tiers?.map(tierOf) ?? null }];
  });
  return Object.fromEntries(options.filter(([currency]) => currency !== own));
}

/** The price as it is in a currency: its own, or one of its options. */
export function priceIn(price: Price, currency: string, param = 'currency'): Price {
  if (price.currency === currency) return price;
  const option = price.$options?.[currency];
  if (option === undefined) {
    throw invalid(
      `The price specified only supports \`${[price.currency, ...Object.keys(price.$options ?? {})].join('`, `')}\`. ` +
        `This doesn't match the expected currency: \`${currency}\`.`,
      { param },
    );
  }
  const { tiers, ...amounts } = option;
  return { ...price, currency, ...amounts, $tiers: tiers };
}

/** Whether a price has amounts in a currency. */
export const isIn = (price: Price, currency: string): boolean =>
  price.currency === currency || price.$options?.[currency] !== undefined;

function amountsOf(
  given: Given,
  tiered: boolean,
  at: (name: string) => string,
): Pick<Price, 'custom_unit_amount' | 'unit_amount' | 'unit_amount_decimal'> {
  const { unit_amount, unit_amount_decimal, tiers, recurring } = given;
  const others = { unit_amount, unit_amount_decimal, tiers, recurring };
  const custom_unit_amount = customAmountOf(given.custom_unit_amount, others, at);
  if (custom_unit_amount !== null)
    return { custom_unit_amount, unit_amount: null, unit_amount_decimal: null };
  return { custom_unit_amount, ...unitAmounts(given, tiered, at) };
}

function unitAmounts(
  given: Given,
  tiered: boolean,
  at: (name: string) => string,
): { unit_amount: number | null; unit_amount_decimal: string | null } {
  const { unit_amount, unit_amount_decimal } = given;
  if (tiered) return { unit_amount: null, unit_amount_decimal: null };
  if (unit_amount !== undefined && unit_amount_decimal !== undefined) {
    throw invalid('You may only specify one of these parameters: unit_amount, unit_amount_decimal.', {
      code: 'parameters_exclusive',
      param: at('unit_amount'),
    });
  }
  if (unit_amount !== undefined) return { unit_amount, unit_amount_decimal: String(unit_amount) };
  if (unit_amount_decimal !== undefined) {
    const number = Number(unit_amount_decimal);
    return { unit_amount: Number.isInteger(number) ? number : null, unit_amount_decimal };
  }
  throw invalid('Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.', {
    code: 'parameter_missing',
    param: at('unit_amount'),
  });
}

const INTERVAL_COUNT_MAX = { day: 1095, week: 156, month: 36, year: 3 } as const;

function checkInterval(
  unit: keyof typeof INTERVAL_COUNT_MAX,
  count: number,
  at: (name: string) => string,
): void {
  if (count > INTERVAL_COUNT_MAX[unit]) {
    throw invalid(`You cannot set a billing interval of more than 3 years.`, {
      param: at('recurring[interval_count]'),
    });
  }
}

function tierOf(given: { readonly [name: string]: unknown }): Tier {
  const amount = (whole: unknown, part: unknown): { whole: number | null; part: string | null } => {
    if (typeof whole === 'number') return { whole, part: String(whole) };
    if (typeof part === 'string')
      return { whole: Number.isInteger(Number(part)) ? Number(part) : null, part };
    return { whole: null, part: null };
  };
  const flat = amount(given['flat_amount'], given['flat_amount_decimal']);
  const unit = amount(given['unit_amount'], given['unit_amount_decimal']);
  const upTo = Number(given['up_to']);
  return {
    flat_amount: flat.whole,
    flat_amount_decimal: flat.part,
    unit_amount: unit.whole,
    unit_amount_decimal: unit.part,
    up_to: Number.isInteger(upTo) ? upTo : null,
  };
}

/** What `quantity` of a price costs, in the currency's smallest unit. */
export function amountOf(price: Price, quantity: number): number {
  const units = transformed(quantity, price.transform_quantity);
  if (price.billing_scheme !== 'tiered') return Math.round(Number(price.unit_amount_decimal ?? 0) * units);
  const tiers = price.$tiers ?? [];
  let total = 0;
  let below = 0;
  for (const { up_to, unit_amount_decimal, flat_amount_decimal } of tiers) {
    const top = up_to ?? Number.POSITIVE_INFINITY;
    const inside = price.tiers_mode === 'volume' ? (units <= top ? units : 0) : Math.min(units, top) - below;
    if (inside > 0) total += inside * Number(unit_amount_decimal ?? 0) + Number(flat_amount_decimal ?? 0);
    if (units <= top) break;
    below = top;
  }
  return Math.round(total);
}

function transformed(quantity: number, rule: Price['transform_quantity']): number {
  if (rule === null) return quantity;
  return rule.round === 'up' ? Math.ceil(quantity / rule.divide_by) : Math.floor(quantity / rule.divide_by);
}
