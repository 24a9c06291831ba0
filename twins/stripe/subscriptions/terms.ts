// The terms of a subscription that a call asks for: its prices, its trial, its first period and what that bills.

import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { periodAt } from '../api/periods.ts';
import { amountOf } from '../catalog/price-draft.ts';
import type { NewSubscription } from './create.ts';
import { type Chosen, checkAlike, choosePrice } from './items.ts';
import type { Subscription } from './records.ts';
import { SUBSCRIPTION_ITEMS_MAX } from './view.ts';

type Given = NewSubscription;

const DAY_SECONDS = 86_400;

export function chooseItems(act: Act, params: Given): readonly Chosen[] {
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
  checkAlike(chosen.map(({ price }) => price));
  return chosen;
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
  return { start: act.at, end: anchor };
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
  const whole = periodAt(anchor, intervalOf(chosen), period.start);
  return (period.end - period.start) / (whole.end - whole.start);
}

export function totalOf(chosen: readonly Chosen[], params: Given, share: number): number {
  const whole = chosen.map(({ price }, at) =>
    price.recurring?.usage_type === 'metered' ? 0 : amountOf(price, params.items[at]?.quantity ?? 1),
  );
  return whole.reduce((sum, amount) => sum + Math.round(amount * share), 0);
}
