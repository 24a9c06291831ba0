// A subscription's next period: it begins as the last one ends, and is billed.
import { type Act, find, save } from '../api/act.ts';
import { viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { itemsOf, periodOf, reschedule } from './clock.ts';
import { cancelNow } from './end.ts';
import { openDraft } from './invoice.ts';
import type { Subscription } from './records.ts';
import { phaseBeforeRenewal } from './schedule-phases.ts';
import { beginPeriod, endedByMissingMethod } from './trial.ts';

export function renew(act: Act, given: Subscription): void {
  phaseBeforeRenewal(act, given);
  const subscription = find(act, 'subscription', given.id) ?? given;
  const ended = periodOf(itemsOf(act, subscription.id));
  // The next phase may have ended it, or begun a period of its own.
  if (subscription.ended_at !== null || ended.end > act.at) return;
  const trialEnds = subscription.status === 'trialing';
  if (
    subscription.cancel_at_period_end ||
    (subscription.cancel_at !== null && subscription.cancel_at <= act.at)
  ) {
    cancelNow(act, subscription, 'cancellation_requested');
    return;
  }
  if (trialEnds && endedByMissingMethod(act, subscription)) return;
  const before = viewOf(act, 'subscription', subscription);
  beginPeriod(act, subscription, ended.end);
  const items = itemsOf(act, subscription.id);
  const pause = subscription.pause_collection?.behavior ?? null;
  act.tx.kind('invoice.created');
  const invoice = openDraft(act, {
    subscription,
    items,
    reason: 'subscription_cycle',
    share: 1,
    period: ended,
    waits: pause !== 'keep_as_draft',
  });
  const renewed: Subscription = {
    ...subscription,
    latest_invoice: invoice.id,
    status: trialEnds ? 'active' : subscription.status,
  };
  save(act, 'subscription', renewed);
  reschedule(act, renewed);
  tell(act, 'customer.subscription.updated', 'subscription', renewed, before);
}
