// Billing thresholds as calls ask for them.
import { invalid } from '../api/errors.ts';
import { boolean, type Decoded, hash, integer, required, unset } from '../api/params.ts';
import type { Price } from '../catalog/records.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

export const thresholdsParam = unset(hash({ amount_gte: integer(1), reset_billing_cycle_anchor: boolean() }));
export const itemThresholdsParam = unset(hash({ usage_gte: required(integer(1)) }));

type Asked = Decoded<{ t: typeof thresholdsParam; i: typeof itemThresholdsParam }>;

/** An empty value takes it away. */
export function thresholdsOf(given: NonNullable<Asked['t']> | null): Subscription['billing_thresholds'] {
  if (given === null) return null;
  if (given.amount_gte === undefined && given.reset_billing_cycle_anchor === undefined) return null;
  return {
    amount_gte: given.amount_gte ?? null,
    reset_billing_cycle_anchor: given.reset_billing_cycle_anchor ?? false,
  };
}

/** Only what is metered can reach a number of units. Undefined where the call says nothing of it. */
export function checkItemThreshold(given: Asked['i'], price: Price, param: string): void {
  if (given == null || price.recurring?.usage_type === 'metered') return;
  throw invalid('`billing_thresholds` can only be set on subscription items with a metered price.', {
    param: `${param}[billing_thresholds]`,
  });
}

/** With what makes its use looked at: a threshold of its own or of an item. */
export function withWatch(held: Subscription, items: readonly SubscriptionItem[]): Subscription {
  const watched = held.billing_thresholds !== null || items.some(item => item.billing_thresholds !== null);
  const { $watched: _, ...rest } = held;
  return watched ? { ...rest, $watched: true } : (rest as Subscription);
}
