// The ends of a subscription: canceled by a caller, at the end of its period, or because nobody paid.

import { type Act, all, save } from '../api/act.ts';
import { tell, update } from '../events/events.ts';
import { returnCredits } from '../invoicing/credits.ts';
import { returnBalance } from '../invoicing/customer-balance.ts';
import type { Invoice } from '../invoicing/records.ts';
import { reschedule } from './clock.ts';
import type { Subscription } from './records.ts';

type Reason = NonNullable<NonNullable<Subscription['cancellation_details']>['reason']>;

/** Cancels at once. Its drafts no longer advance, and open invoices are no longer collected by themselves. */
export function cancelNow(act: Act, subscription: Subscription, reason: Reason): Subscription {
  const canceled: Subscription = {
    ...subscription,
    cancel_at_period_end: false,
    canceled_at: subscription.canceled_at ?? act.at,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...subscription.cancellation_details,
      reason: subscription.cancellation_details?.reason ?? reason,
    },
    ended_at: act.at,
    status: 'canceled',
  };
  save(act, 'subscription', canceled);
  reschedule(act, canceled);
  act.tx.kind('customer.subscription.deleted');
  tell(act, 'customer.subscription.deleted', 'subscription', canceled);
  stopCollecting(act, subscription.id);
  return canceled;
}

/** The first payment never came. */
export function expire(act: Act, subscription: Subscription): void {
  act.tx.kind('customer.subscription.updated');
  const expired: Subscription = { ...subscription, ended_at: act.at, status: 'incomplete_expired' };
  update(act, 'subscription', subscription, expired, 'customer.subscription.updated');
  reschedule(act, expired);
  for (const invoice of all(act, 'invoice', { $subscription: subscription.id }, isOpen)) {
    const voided = {
      ...invoice,
      amount_remaining: 0,
      auto_advance: false,
      next_payment_attempt: null,
      status: 'void' as const,
      status_transitions: { ...invoice.status_transitions, voided_at: act.at },
    };
    update(act, 'invoice', invoice, voided, 'invoice.updated');
    tell(act, 'invoice.voided', 'invoice', voided);
    returnCredits(act, voided);
    returnBalance(act, voided);
  }
}

const isOpen = (invoice: Invoice): boolean => invoice.status === 'open';

function stopCollecting(act: Act, subscription: string): void {
  const unsettled = (invoice: Invoice): boolean => invoice.status === 'draft' || isOpen(invoice);
  for (const invoice of all(act, 'invoice', { $subscription: subscription }, unsettled)) {
    act.tx.cancel(`finalize:${invoice.id}`);
    act.tx.cancel(`retry:${invoice.id}`);
    if (invoice.auto_advance !== true && invoice.next_payment_attempt === null) continue;
    const still = {
      ...invoice,
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    };
    update(act, 'invoice', invoice, still, 'invoice.updated');
  }
}
