// What a subscription waits for on the world's clock. One function sets every wait from the subscription as it
// stands, so that no operation has to know which of them it disturbs.

import { schedule } from '../../kit/due.ts';
import { type Act, all } from '../api/act.ts';
import type { Due } from '../due.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

const DAY_SECONDS = 86_400;
/** `customer.subscription.trial_will_end` comes three days ahead. */
export const TRIAL_NOTICE_SECONDS = 3 * DAY_SECONDS;
/** `invoice.upcoming` comes a week ahead: Stripe's setting when an account changes none. */
const UPCOMING_NOTICE_SECONDS = 7 * DAY_SECONDS;
/** A first payment may be outstanding for 23 hours. */
const INCOMPLETE_SECONDS = 23 * 60 * 60;

/** What it waits for, as the event that then falls due. */
const WAITS = [
  'subscription.renew',
  'subscription.trial_will_end',
  'subscription.upcoming',
  'subscription.expire',
  'subscription.cancel',
  'subscription.resume',
] as const;

export type SubscriptionWait = (typeof WAITS)[number];

/** All items of a subscription share their period: this twin has no mixed intervals. */
export function periodOf(items: readonly SubscriptionItem[]): { start: number; end: number } {
  const first = items[0];
  if (first === undefined) throw new Error('a subscription without items has no period');
  return { start: first.current_period_start, end: first.current_period_end };
}

export function itemsOf(act: Act, subscription: string): readonly SubscriptionItem[] {
  return all(act, 'subscription_item', { subscription });
}

export function reschedule(act: Act, subscription: Subscription): void {
  const due = new Map<SubscriptionWait, number>();
  const { status } = subscription;
  const period = periodOf(itemsOf(act, subscription.id));
  if (status === 'incomplete') due.set('subscription.expire', subscription.created + INCOMPLETE_SECONDS);
  if (status === 'active' || status === 'trialing' || status === 'past_due' || status === 'unpaid') {
    due.set('subscription.renew', period.end);
    const upcoming = period.end - UPCOMING_NOTICE_SECONDS;
    if (!subscription.cancel_at_period_end && upcoming > act.at) due.set('subscription.upcoming', upcoming);
    if (subscription.cancel_at !== null && subscription.cancel_at < period.end)
      due.set('subscription.cancel', subscription.cancel_at);
    const resumes = subscription.pause_collection?.resumes_at ?? null;
    if (resumes !== null) due.set('subscription.resume', resumes);
  }
  if (status === 'trialing' && subscription.trial_end !== null) {
    const notice = subscription.trial_end - TRIAL_NOTICE_SECONDS;
    if (notice > act.at) due.set('subscription.trial_will_end', notice);
  }
  for (const wait of WAITS) {
    const at = due.get(wait);
    // What falls due at one instant comes in the order of its keys: a cancel before a renewal, a notice after it.
    const key = `${wait.slice('subscription.'.length)}:${subscription.id}`;
    if (at === undefined) act.tx.cancel(key);
    else schedule<Due>(act.tx, key, at * 1000, { kind: wait, subscription: subscription.id });
  }
}
