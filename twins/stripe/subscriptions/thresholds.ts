// Billing thresholds: once so much was used, or is owed for use, an invoice comes before the period's end.
import { type Act, find, need, save } from '../api/act.ts';
import { viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { billedOf } from './billed.ts';
import { restart } from './change.ts';
import { itemsOf, periodOf, reschedule } from './clock.ts';
import { type Cycle, draftOf, openDraft, usedOf } from './invoice.ts';
import { prorations, saveProrations } from './proration.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

/** Something was used: bills it where that reached a threshold. */
export function billThreshold(act: Act, held: Subscription): void {
  if (held.status !== 'active') return;
  const items = itemsOf(act, held.id);
  const metered = items.filter(item => isMetered(act, item));
  const ended = periodOf(items);
  const cycle: Cycle = {
    subscription: held,
    items: metered,
    reason: 'subscription_threshold',
    share: 1,
    period: { start: ended.start, end: act.at },
    waits: true,
  };
  if (!isReached(act, cycle)) return;
  act.tx.kind('invoice.created');
  const before = viewOf(act, 'subscription', held);
  const resets = held.billing_thresholds?.reset_billing_cycle_anchor === true;
  const begun = resets ? beganAnew(act, held, items, metered) : held;
  const invoice = openDraft(
    act,
    resets ? { ...cycle, subscription: begun, items: itemsOf(act, held.id) } : cycle,
  );
  if (!resets)
    for (const item of metered) {
      const quantity = usedOf(act, item, held, cycle.period);
      save(act, 'subscription_item', { ...item, $billed: { since: ended.start, quantity } });
    }
  const next = { ...begun, latest_invoice: invoice.id };
  save(act, 'subscription', next);
  reschedule(act, next);
  tell(act, 'customer.subscription.updated', 'subscription', next, before);
}

function isMetered(act: Act, item: SubscriptionItem): boolean {
  return find(act, 'price', item.price)?.recurring?.usage_type === 'metered';
}

function isReached(act: Act, cycle: Cycle): boolean {
  const { items, subscription, period } = cycle;
  const byUse = items.some(item => {
    const least = item.billing_thresholds?.usage_gte ?? null;
    return least !== null && usedOf(act, item, subscription, period) - billedOf(item, period.start) >= least;
  });
  const amount = subscription.billing_thresholds?.amount_gte ?? null;
  return byUse || (amount !== null && draftOf(act, cycle).invoice.subtotal >= amount);
}

/** The period begins now: what is billed ahead is given back for the rest of the old one. */
function beganAnew(
  act: Act,
  held: Subscription,
  items: readonly SubscriptionItem[],
  metered: readonly SubscriptionItem[],
): Subscription {
  const ahead = items.filter(item => !metered.includes(item)).map(item => ({ before: item, after: null }));
  saveProrations(act, prorations(act, held, ahead, act.at, true));
  const begun = restart(act, need(act, 'subscription', held.id, { param: 'id' }));
  save(act, 'subscription', begun);
  return begun;
}
