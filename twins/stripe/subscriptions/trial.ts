// The end of a trial: the first real period begins, or, with nothing to pay with, what the subscription asked for.

import { type Act, need, save } from '../api/act.ts';
import { periodAt } from '../api/periods.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { methodFor } from '../invoicing/collect.ts';
import { billNow } from './change.ts';
import { itemsOf, reschedule } from './clock.ts';
import { cancelNow } from './end.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

/** Whether the trial ended without a payment method and the subscription therefore does not go on. */
export function endedByMissingMethod(act: Act, subscription: Subscription): boolean {
  const behaviour = subscription.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice';
  if (behaviour === 'create_invoice' || subscription.collection_method !== 'charge_automatically')
    return false;
  const method = methodFor(act, {
    default_payment_method: null,
    default_source: null,
    $subscription: subscription.id,
    customer: subscription.customer,
  });
  if (method !== null) return false;
  if (behaviour === 'cancel') {
    cancelNow(act, subscription, 'payment_failed');
    return true;
  }
  const paused: Subscription = { ...subscription, status: 'paused' };
  act.tx.kind('customer.subscription.paused');
  update(act, 'subscription', subscription, paused, 'customer.subscription.updated');
  tell(act, 'customer.subscription.paused', 'subscription', paused);
  reschedule(act, paused);
  return true;
}

/** Moves every item to the period that holds `at`, counted from the anchor. */
export function beginPeriod(act: Act, subscription: Subscription, at: number): void {
  for (const item of itemsOf(act, subscription.id)) {
    save(act, 'subscription_item', inPeriodAt(act, subscription, item, at));
  }
}

export function inPeriodAt(
  act: Act,
  subscription: Subscription,
  item: SubscriptionItem,
  at: number,
): SubscriptionItem {
  const price = need(act, 'price', item.price, { param: 'price' });
  const interval = price.recurring ?? { interval: 'month', interval_count: 1 };
  const { start, end } = periodAt(subscription.billing_cycle_anchor, interval, at);
  return { ...item, current_period_end: end, current_period_start: start };
}

/** A caller ends the trial: what is due is invoiced and collected at once. */
export function endTrialNow(act: Act, subscription: Subscription): void {
  const ended: Subscription = { ...subscription, trial_end: act.at };
  if (endedByMissingMethod(act, ended)) return;
  const before = viewOf(act, 'subscription', subscription);
  const begun: Subscription = { ...ended, billing_cycle_anchor: act.at, status: 'active' };
  save(act, 'subscription', begun);
  beginPeriod(act, begun, act.at);
  const billed = billNow(act, begun, false);
  reschedule(act, billed);
  tell(act, 'customer.subscription.updated', 'subscription', billed, before);
}
