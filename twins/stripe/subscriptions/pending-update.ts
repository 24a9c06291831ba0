// A change of a subscription that waits until its invoice is paid: it then takes effect, or is forgotten after a day.

import { type Act, find, need, remove, save } from '../api/act.ts';
import { periodAt } from '../api/periods.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { returnCredits } from '../invoicing/credits.ts';
import { returnBalance } from '../invoicing/customer-balance.ts';
import type { Invoice } from '../invoicing/records.ts';
import { itemsOf, reschedule } from './clock.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

export type Pending = {
  readonly invoice: string;
  readonly changes: readonly {
    readonly before: SubscriptionItem | null;
    readonly after: SubscriptionItem | null;
  }[];
  /** Where the anchor goes; null where it stays. Seconds. */
  readonly anchor: number | null;
};

/** The invoice was paid: the change takes effect, from when it was asked for. */
export function applyPending(act: Act, subscription: Subscription, pending: Pending): Subscription {
  const before = viewOf(act, 'subscription', subscription);
  for (const { before: old, after } of pending.changes) {
    if (after !== null) save(act, 'subscription_item', after);
    else if (old !== null) remove(act, 'subscription_item', old.id);
  }
  if (pending.anchor !== null) {
    for (const item of itemsOf(act, subscription.id)) {
      const price = need(act, 'price', item.price, { param: 'price' });
      const every = price.recurring ?? { interval: 'month', interval_count: 1 };
      const { start, end } = periodAt(pending.anchor, every, pending.anchor);
      save(act, 'subscription_item', { ...item, current_period_end: end, current_period_start: start });
    }
  }
  const next: Subscription = {
    ...subscription,
    billing_cycle_anchor: pending.anchor ?? subscription.billing_cycle_anchor,
    pending_update: null,
    $pending: null,
    $price: itemsOf(act, subscription.id)[0]?.price ?? subscription.$price,
  };
  save(act, 'subscription', next);
  act.tx.cancel(`pending:${subscription.id}`);
  reschedule(act, next);
  tell(act, 'customer.subscription.pending_update_applied', 'subscription', next, before);
  tell(act, 'customer.subscription.updated', 'subscription', next, before);
  return next;
}

/** Nobody paid: the subscription stays as it is, and the invoice asks for nothing. */
export function expirePending(act: Act, subscription: Subscription, pending: Pending): void {
  const invoice = find(act, 'invoice', pending.invoice);
  if (invoice?.status === 'open') {
    const voided: Invoice = {
      ...invoice,
      amount_remaining: 0,
      auto_advance: false,
      next_payment_attempt: null,
      status: 'void',
      status_transitions: { ...invoice.status_transitions, voided_at: act.at },
    };
    update(act, 'invoice', invoice, voided, 'invoice.updated');
    tell(act, 'invoice.voided', 'invoice', voided);
    returnCredits(act, voided);
    returnBalance(act, voided);
  }
  const before = viewOf(act, 'subscription', subscription);
  const next: Subscription = { ...subscription, pending_update: null, $pending: null };
  save(act, 'subscription', next);
  tell(act, 'customer.subscription.pending_update_expired', 'subscription', next, before);
}
