// How an invoice that Stripe collects by itself goes on: its draft's hour, the retries of a payment that failed, and
// what that does to its subscription.
import { schedule } from '../../kit/due.ts';
import { type Act, find } from '../api/act.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import {
  type Collected,
  collect,
  finalize,
  markDelinquent,
  methodFor,
  subscriptionPaid,
} from '../invoicing/collect.ts';
import { returnCredits } from '../invoicing/credits.ts';
import { returnBalance } from '../invoicing/customer-balance.ts';
import type { Invoice } from '../invoicing/records.ts';
import { reschedule } from './clock.ts';
import { cancelNow } from './end.ts';
import type { Subscription } from './records.ts';

const DAY_SECONDS = 86_400;
/** Waits between attempts on a renewal; after the last one fails the subscription is canceled. */
const DUNNING_WAITS_SECONDS = [3 * DAY_SECONDS, 5 * DAY_SECONDS, 7 * DAY_SECONDS] as const;

/** The hour of a draft is over. */
export function advance(act: Act, draft: Invoice): Invoice {
  act.tx.kind('invoice.finalized');
  const subscription =
    draft.$subscription === null ? undefined : find(act, 'subscription', draft.$subscription);
  const pause = subscription?.pause_collection?.behavior ?? null;
  const open = finalize(act, { ...draft, auto_advance: draft.auto_advance ?? false });
  if (open.status === 'paid') {
    subscriptionPaid(act, open);
    return open;
  }
  if (pause === 'void' || pause === 'mark_uncollectible') {
    return setAside(act, open, pause === 'void' ? 'void' : 'mark_uncollectible');
  }
  if (open.collection_method === 'send_invoice') {
    tell(act, 'invoice.sent', 'invoice', open);
    return open;
  }
  return settleAttempt(act, collect(act, open, methodFor(act, open), { offSession: true }));
}

/** A paused collection: the invoice is made, and nobody is asked to pay it. */
function setAside(act: Act, open: Invoice, how: 'void' | 'mark_uncollectible'): Invoice {
  const at = how === 'void' ? { voided_at: act.at } : { marked_uncollectible_at: act.at };
  const aside: Invoice = {
    ...open,
    auto_advance: false,
    status: how === 'void' ? 'void' : 'uncollectible',
    status_transitions: { ...open.status_transitions, ...at },
  };
  update(act, 'invoice', open, aside, 'invoice.updated');
  tell(act, how === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', 'invoice', aside);
  if (how === 'void') {
    returnCredits(act, aside);
    returnBalance(act, aside);
  }
  return aside;
}

/** Another attempt on an open invoice. */
export function retry(act: Act, open: Invoice): void {
  settleAttempt(act, collect(act, open, methodFor(act, open), { offSession: true }));
}

/** After an attempt on an invoice that Stripe collects by itself: active again, or the next step of dunning. */
function settleAttempt(act: Act, { invoice, outcome }: Collected): Invoice {
  if (outcome === 'paid') {
    subscriptionPaid(act, invoice);
    return invoice;
  }
  markDelinquent(act, invoice, true);
  // Without a payment method there is nothing to try again, and nothing that was tried in vain.
  const wait = outcome === 'no-method' ? undefined : DUNNING_WAITS_SECONDS[invoice.attempt_count - 1];
  const subscription =
    invoice.$subscription === null ? undefined : find(act, 'subscription', invoice.$subscription);
  const next = wait === undefined ? null : act.at + wait;
  const waiting: Invoice = { ...invoice, auto_advance: next !== null, next_payment_attempt: next };
  update(act, 'invoice', invoice, waiting, 'invoice.updated');
  if (next !== null)
    schedule<Due>(act.tx, `retry:${invoice.id}`, next * 1000, {
      kind: 'invoice.retry',
      invoice: invoice.id,
    });
  if (subscription === undefined || subscription.ended_at !== null) return waiting;
  if (next === null && outcome !== 'no-method') {
    cancelNow(act, subscription, 'payment_failed');
  } else if (subscription.status === 'active') {
    const late: Subscription = { ...subscription, status: 'past_due' };
    update(act, 'subscription', subscription, late, 'customer.subscription.updated');
    reschedule(act, late);
  }
  return waiting;
}

/** An invoice that was sent and not paid by its day. */
export function overdue(act: Act, invoice: Invoice): void {
  tell(act, 'invoice.overdue', 'invoice', invoice);
  markDelinquent(act, invoice, true);
  const subscription =
    invoice.$subscription === null ? undefined : find(act, 'subscription', invoice.$subscription);
  if (subscription?.status !== 'active') return;
  const late: Subscription = { ...subscription, status: 'past_due' };
  update(act, 'subscription', subscription, late, 'customer.subscription.updated');
  reschedule(act, late);
}
