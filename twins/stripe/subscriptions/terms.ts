// The terms of a subscription that a call asks for: its prices, its trial, its first period and what that bills.

import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { boundary, type Interval, periodAt } from '../api/periods.ts';
import { amountOf, isIn, priceIn } from '../catalog/price-draft.ts';
import type { Customer } from '../customers/records.ts';
import type { NewSubscription } from './create.ts';
import { type Chosen, checkAlike, choosePrice } from './items.ts';
import type { Subscription } from './records.ts';
import { SUBSCRIPTION_ITEMS_MAX } from './view.ts';

type Given = NewSubscription;

const DAY_SECONDS = 86_400;

/** In the currency that is asked for, else the customer's where all prices have it, else their own. */
export function chooseItems(act: Act, params: Given, customer: Customer): readonly Chosen[] {
  if (params.items.length === 0) {
    throw invalid('Missing required param: items.', { code: 'parameter_missing', param: 'items' });
  }
  if (params.items.length > SUBSCRIPTION_ITEMS_MAX) {
    throw invalid(`A subscription can have at most ${SUBSCRIPTION_ITEMS_MAX} items.`, { param: 'items' });
  }
  const chosen = params.items.map((item, at) => {
    const choice = choosePrice(act, item, `items[${at}]`);
    if (choice === null) {
      throw invalid(`Missing required param: items[${at}][price].`, {
        code: 'parameter_missing',
        param: `items[${at}][price]`,
      });
    }
    return choice;
  });
  const ids = chosen.map(({ price }) => price.id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw invalid(`Cannot add multiple subscription items with the same plan: \`${twice}\``, {
      param: 'items',
    });
  }
  const prices = chosen.map(({ price }) => price);
  const asked = params.currency?.toLowerCase();
  const known = customer.currency ?? undefined;
  const currency = asked ?? (known !== undefined && prices.every(price => isIn(price, known)) ? known : null);
  if (currency === null) {
    checkAlike(prices);
    return chosen;
  }
  const priced = chosen.map(each => ({ ...each, price: priceIn(each.price, currency) }));
  checkAlike(priced.map(({ price }) => price));
  return priced;
}

/** When the trial ends, or null for none. */
export function trialEndOf(act: Act, params: Given, chosen: readonly Chosen[]): number | null {
  if (params.trial_end !== undefined && params.trial_period_days !== undefined) {
    throw invalid('You may only specify one of these parameters: trial_end, trial_period_days.', {
      code: 'parameters_exclusive',
      param: 'trial_end',
    });
  }
  if (params.trial_end === 'now') return null;
  if (params.trial_end !== undefined) {
    if (params.trial_end <= act.at)
      throw invalid('Invalid timestamp: must be an integer Unix timestamp in the future.', {
        param: 'trial_end',
      });
    return params.trial_end;
  }
  const planned = params.trial_from_plan === true ? chosen[0]?.price.recurring?.trial_period_days : null;
  const days = params.trial_period_days ?? planned ?? null;
  return days === null ? null : act.at + days * DAY_SECONDS;
}

function intervalOf(chosen: readonly Chosen[]): { interval: string; interval_count: number } {
  return chosen[0]?.price.recurring ?? { interval: 'month', interval_count: 1 };
}

export function firstPeriod(
  act: Act,
  params: Given,
  chosen: readonly Chosen[],
  trialEnd: number | null,
): { start: number; end: number } {
  if (trialEnd !== null) return { start: act.at, end: trialEnd };
  const whole = periodAt(act.at, intervalOf(chosen), act.at);
  const anchor = anchorAsked(act, params);
  if (anchor === undefined) return whole;
  if (anchor <= act.at || anchor > whole.end) {
    throw invalid(
      `billing_cycle_anchor must be a timestamp in the future and within one billing interval of the start.`,
      { param: 'billing_cycle_anchor' },
    );
  }
  if (params.backdate_start_date === undefined || params.proration_behavior === 'none')
    return { start: act.at, end: anchor };
  const natural = periodAt(anchor, intervalOf(chosen), act.at);
  const from = params.backdate_start_date;
  return { start: isFlexible(params) ? Math.max(from, natural.start) : from, end: anchor };
}

const isFlexible = (params: Given): boolean => params.billing_mode?.type !== 'classic';

/** A span of time, and how many periods it is. */
export type Part = { readonly start: number; readonly end: number; readonly share: number };
const PARTS_MAX = 250;

/**
 * The time between the start that is asked for and the first period: by natural periods, or (in the classic billing mode)
 * as one part, counted in periods that begin with that start.
 */
export function backdated(
  act: Act,
  params: Given,
  chosen: readonly Chosen[],
  trialEnd: number | null,
): readonly Part[] {
  const from = params.backdate_start_date;
  if (from === undefined) return [];
  if (from > act.at) {
    throw invalid('`backdate_start_date` must be a timestamp in the past.', { param: 'backdate_start_date' });
  }
  if (params.proration_behavior === 'none') return [];
  const interval = intervalOf(chosen);
  const { start: until } = firstPeriod(act, params, chosen, trialEnd);
  if (from >= until) return [];
  if (!isFlexible(params)) return [{ start: from, end: until, share: periodsIn(from, until, interval) }];
  const anchor = trialEnd ?? anchorAsked(act, params) ?? act.at;
  const parts: Part[] = [];
  for (let start = from; start < until; ) {
    const whole = periodAt(anchor, interval, start);
    const end = Math.min(whole.end, until);
    parts.push({ start, end, share: (end - start) / (whole.end - whole.start) });
    if (parts.length * chosen.length > PARTS_MAX) {
      throw invalid(`An invoice can have at most ${PARTS_MAX} line items.`, { param: 'backdate_start_date' });
    }
    start = end;
  }
  return parts;
}

/** How many periods a span is, the first of which begins with it, with the part of the last one. */
function periodsIn(from: number, to: number, interval: Interval): number {
  let whole = 0;
  while (boundary(from, interval, whole + 1) <= to) whole += 1;
  const last = periodAt(from, interval, to);
  return whole + (to - last.start) / (last.end - last.start);
}

type Config = NonNullable<Given['billing_cycle_anchor_config']>;

/** The anchor that was asked for: by its time, or by the day it is always to be on. Seconds. */
export function anchorAsked(act: Act, params: Given): number | undefined {
  const config = params.billing_cycle_anchor_config;
  if (config === undefined) return params.billing_cycle_anchor;
  if (params.billing_cycle_anchor !== undefined) {
    throw invalid(
      'You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config.',
      { code: 'parameters_exclusive', param: 'billing_cycle_anchor_config' },
    );
  }
  const now = new Date(act.tx.now);
  const on = (months: number): number => {
    const month = (config.month === undefined ? now.getUTCMonth() : config.month - 1) + months;
    const last = new Date(Date.UTC(now.getUTCFullYear(), month + 1, 0)).getUTCDate();
    const at = Date.UTC(
      now.getUTCFullYear(),
      month,
      Math.min(config.day_of_month, last),
      config.hour ?? now.getUTCHours(),
      config.minute ?? now.getUTCMinutes(),
      config.second ?? now.getUTCSeconds(),
    );
    return Math.floor(at / 1000);
  };
  const first = on(0);
  return first > act.at ? first : on(config.month === undefined ? 1 : 12);
}

export function anchorConfig(given: Config): NonNullable<Subscription['billing_cycle_anchor_config']> {
  return {
    day_of_month: given.day_of_month,
    hour: given.hour ?? null,
    minute: given.minute ?? null,
    month: given.month ?? null,
    second: given.second ?? null,
  };
}

/** A first period that ends at a later anchor bills its part, or nothing when prorations are off. */
export function shareOf(
  act: Act,
  params: Given,
  chosen: readonly Chosen[],
  period: { start: number; end: number },
): number {
  const anchor = anchorAsked(act, params);
  if (anchor === undefined) return 1;
  if (params.proration_behavior === 'none') return 0;
  const interval = intervalOf(chosen);
  // A classic part that began earlier is counted in periods of its own.
  if (period.start < act.at && !isFlexible(params)) return periodsIn(period.start, period.end, interval);
  const whole = periodAt(anchor, interval, period.start);
  return (period.end - period.start) / (whole.end - whole.start);
}

/** Of all the parts that are billed. */
export function totalOf(
  chosen: readonly Chosen[],
  params: Given,
  parts: readonly { readonly share: number }[],
): number {
  const whole = chosen.map(({ price }, at) =>
    price.recurring?.usage_type === 'metered' ? 0 : amountOf(price, params.items[at]?.quantity ?? 1),
  );
  const of = (share: number): number => whole.reduce((sum, amount) => sum + Math.round(amount * share), 0);
  return parts.reduce((sum, { share }) => sum + of(share), 0);
}
