// Changing what a subscription bills: the items, what they give back and ask for, and the invoice when the
// change bills at once.

import { type Act, need, remove, save } from '../api/act.ts';
import { periodAt } from '../api/periods.ts';
import { type View, viewOf } from '../api/view.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { tell } from '../events/events.ts';
import { collect, finalize, methodFor, subscriptionPaid } from '../invoicing/collect.ts';
import { itemsOf, periodOf, reschedule } from './clock.ts';
import { openDraft } from './invoice.ts';
import { type ItemChange, prorations, saveProrations } from './proration.ts';
import type { Subscription, SubscriptionItem } from './records.ts';
import { withWatch } from './threshold-params.ts';

export type Prorating = {
  readonly proration_behavior?: 'always_invoice' | 'create_prorations' | 'none';
  /** With `default_incomplete` whoever pays is waited for. */
  readonly payment_behavior?: string;
  readonly proration_date?: number;
};

export type Changes = {
  readonly changes: readonly ItemChange[];
  readonly how: Prorating;
  /** Prices made for these items, to be saved with them. */
  readonly prices: readonly Price[];
  /** The subscription's own fields after the change. */
  readonly next?: Subscription;
  /** Bills anew from now on. */
  readonly resetAnchor?: boolean;
};

/** Writes a change of items (and of the subscription's own fields) and tells of it as one update. */
export function applyChanges(act: Act, subscription: Subscription, asked: Changes): Subscription {
  const before: View = viewOf(act, 'subscription', subscription);
  const held = itemsOf(act, subscription.id);
  act.tx.kind('customer.subscription.updated');
  for (const price of asked.prices) addPrice(act, price);
  const restarts = asked.resetAnchor === true || restartsOn(act, asked.changes, asked.prices);
  const running = subscription.status === 'active' || subscription.status === 'past_due';
  const behaviour = asked.how.proration_behavior ?? 'create_prorations';
  const at = Math.min(Math.max(asked.how.proration_date ?? act.at, periodOf(held).start), periodOf(held).end);
  // A restart bills the whole new period, so all that was is given back and nothing of the new is prorated.
  const touched = restarts ? wholeChange(held, asked.changes) : asked.changes;
  const items = running && behaviour !== 'none' ? prorations(act, subscription, touched, at, restarts) : [];
  saveProrations(act, items);
  for (const { before: old, after } of asked.changes) {
    if (after !== null) save(act, 'subscription_item', after);
    else if (old !== null) remove(act, 'subscription_item', old.id);
  }
  let next = asked.next ?? subscription;
  if (restarts) next = restart(act, next);
  const first = itemsOf(act, subscription.id)[0];
  next = withWatch({ ...next, $price: first?.price ?? next.$price }, itemsOf(act, subscription.id));
  save(act, 'subscription', next);
  if (running && (restarts || (behaviour === 'always_invoice' && items.length > 0))) {
    next = billNow(act, next, !restarts, asked.how.payment_behavior === 'default_incomplete');
  }
  reschedule(act, next);
  const after = viewOf(act, 'subscription', next);
  if (JSON.stringify(after) !== JSON.stringify(before)) {
    tell(act, 'customer.subscription.updated', 'subscription', next, before);
  }
  return next;
}

function wholeChange(
  held: readonly SubscriptionItem[],
  changes: readonly ItemChange[],
): readonly ItemChange[] {
  const touched = new Set(changes.map(({ before }) => before?.id));
  const rest = held.filter(item => !touched.has(item.id)).map(item => ({ before: item, after: null }));
  return [...changes.map(({ before }) => ({ before, after: null })), ...rest];
}

/** Another interval begins a period of its own. */
export function restartsOn(act: Act, changes: readonly ItemChange[], made: readonly Price[]): boolean {
  const priceOf = (id: string): Price =>
    made.find(price => price.id === id) ?? need(act, 'price', id, { param: 'price' });
  return changes.some(({ before, after }) => {
    if (before === null || after === null || before.price === after.price) return false;
    const was = priceOf(before.price).recurring;
    const now = priceOf(after.price).recurring;
    return was?.interval !== now?.interval || was?.interval_count !== now?.interval_count;
  });
}

/** The anchor moves to now, and every item begins a period. */
export function restart(act: Act, subscription: Subscription): Subscription {
  for (const item of itemsOf(act, subscription.id)) {
    const price = need(act, 'price', item.price, { param: 'price' });
    const interval = price.recurring ?? { interval: 'month', interval_count: 1 };
    const { start, end } = periodAt(act.at, interval, act.at);
    save(act, 'subscription_item', { ...item, current_period_end: end, current_period_start: start });
  }
  return { ...subscription, billing_cycle_anchor: act.at };
}

/** An invoice for the change, finalized and collected at once. */
export function billNow(
  act: Act,
  subscription: Subscription,
  onlyPending: boolean,
  /** Leaves the payment to whoever confirms the invoice's intent. */
  awaits = false,
): Subscription {
  const items = itemsOf(act, subscription.id);
  const draft = openDraft(act, {
    subscription,
    items,
    reason: 'subscription_update',
    share: 1,
    period: periodOf(items),
    waits: false,
    onlyPending,
  });
  const open = finalize(act, draft);
  let next: Subscription = { ...subscription, latest_invoice: open.id };
  if (open.status === 'open' && open.collection_method === 'charge_automatically') {
    const collected = awaits ? null : collect(act, open, methodFor(act, open), { offSession: false });
    if (collected?.outcome === 'paid') subscriptionPaid(act, collected.invoice);
    else next = { ...next, status: 'past_due' };
  }
  save(act, 'subscription', next);
  return next;
}
