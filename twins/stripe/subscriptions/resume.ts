// A paused subscription that goes on.
import { type Act, save } from '../api/act.ts';
import { viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { itemsOf, periodOf, reschedule } from './clock.ts';
import { openDraft } from './invoice.ts';
import type { Subscription } from './records.ts';
import { beginPeriod } from './trial.ts';

/** Its period begins now, and is billed and collected at once. */
export function resumeNow(act: Act, subscription: Subscription): Subscription {
  const before = viewOf(act, 'subscription', subscription);
  act.tx.kind('customer.subscription.resumed');
  const begun: Subscription = { ...subscription, billing_cycle_anchor: act.at, status: 'active' };
  save(act, 'subscription', begun);
  beginPeriod(act, begun, act.at);
  const invoice = openDraft(act, {
    subscription: begun,
    items: itemsOf(act, begun.id),
    reason: 'subscription_update',
    share: 1,
    period: periodOf(itemsOf(act, begun.id)),
    waits: true,
  });
  const resumed: Subscription = { ...begun, latest_invoice: invoice.id };
  save(act, 'subscription', resumed);
  reschedule(act, resumed);
  tell(act, 'customer.subscription.resumed', 'subscription', resumed);
  tell(act, 'customer.subscription.updated', 'subscription', resumed, before);
  return resumed;
}
