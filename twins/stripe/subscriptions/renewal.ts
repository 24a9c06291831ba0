// What Stripe does on its own as the world's clock moves: renewals, their drafts' hour, the retries of a payment
// that failed, notices, and ends.
import type { DueEvent } from '../../kit/twin.ts';
import type { Tx } from '../../kit/tx.ts';
import { scoped } from '../api/account-scope.ts';
import { viewOf } from '../api/views.ts';
import type { Invoice, InvoiceLineItem, Subscription } from '../api/wire.ts';
import { grantDue } from '../billing/credit-grants.ts';
import { foreseeCredits, returnCredits } from '../billing/credits.ts';
import { advanceNow } from '../billing/test-clocks.ts';
import { returnBalance } from '../customers/balance.ts';
import { tell, tellView, update } from '../events/events.ts';
import { type Collected, collect, finalize, methodFor, subscriptionPaid } from '../invoicing/collect.ts';
import type { Draft } from '../invoicing/draft.ts';
import { quoteDue } from '../invoicing/quotes.ts';
import { paymentDue } from '../payments/due.ts';
import { type Act, actOf, find, save } from '../records.ts';
import { itemsOf, periodOf, reschedule } from './clock.ts';
import { cancelNow, expire } from './end.ts';
import { draftOf, openDraft } from './invoice.ts';
import { expirePending } from './pending-update.ts';
import { phaseBeforeRenewal, scheduleDue } from './schedule-phases.ts';
import { beginPeriod, endedByMissingMethod, inPeriodAt } from './trial.ts';

const DAY_SECONDS = 86_400;
/** Waits between attempts on a renewal; after the last one fails the subscription is canceled. */
const DUNNING_WAITS_SECONDS = [3 * DAY_SECONDS, 5 * DAY_SECONDS, 7 * DAY_SECONDS] as const;

/** `Twin.due`: the payload says what to do with what; a record that is gone or moved on is left alone. */
export function due(event: DueEvent, tx: Tx): void {
  const { $acct: owner, ...payload } = event.payload;
  const account = typeof owner === 'string' ? owner : null;
  const own = scoped(tx, { account, learns: false });
  happen(actOf(own, { id: null, idempotency_key: null }, account), payload);
}

/** What falls due, by the world's clock or by a test clock's. */
function happen(act: Act, payload: { readonly [field: string]: unknown }): void {
  if (paymentDue(act, payload)) return;
  const {
    do: what,
    subscription: subscriptionId,
    invoice: invoiceId,
    schedule,
    clock,
    grant,
    quote,
  } = payload;
  if (typeof clock === 'string') return advanceNow(act, clock, happen);
  if (typeof grant === 'string') return grantDue(act, grant);
  if (typeof quote === 'string') return quoteDue(act, quote);
  if (typeof schedule === 'string') return scheduleDue(act, schedule, String(what));
  if (typeof invoiceId === 'string') {
    const invoice = find(act, 'invoice', invoiceId);
    if (invoice !== undefined) invoiceDue(act, invoice, String(what));
  } else if (typeof subscriptionId === 'string') {
    const subscription = find(act, 'subscription', subscriptionId);
    if (subscription !== undefined && subscription.ended_at === null)
      subscriptionDue(act, subscription, String(what));
  }
}

function subscriptionDue(act: Act, subscription: Subscription, what: string): void {
  switch (what) {
    case 'renew':
      return renew(act, subscription);
    case 'cancel':
      cancelNow(act, subscription, 'cancellation_requested');
      return;
    case 'expire':
      if (subscription.status === 'incomplete') expire(act, subscription);
      return;
    case 'trial_will_end':
      return tell(act, 'customer.subscription.trial_will_end', 'subscription', subscription);
    case 'upcoming':
      return tellUpcoming(act, subscription);
    case 'pending':
      if (subscription.$pending != null) expirePending(act, subscription, subscription.$pending);
      return;
    case 'resume': {
      const next = { ...subscription, pause_collection: null };
      update(act, 'subscription', subscription, next, 'customer.subscription.updated');
      return reschedule(act, next);
    }
    default:
      throw new Error(`nothing is known of ${what}`);
  }
}

function invoiceDue(act: Act, invoice: Invoice, what: string): void {
  switch (what) {
    case 'finalize':
      if (invoice.status === 'draft') advance(act, invoice);
      return;
    case 'retry':
      if (invoice.status === 'open')
        settleAttempt(act, collect(act, invoice, methodFor(act, invoice), { offSession: true }));
      return;
    case 'overdue':
      if (invoice.status === 'open') overdue(act, invoice);
      return;
    default:
      throw new Error(`nothing is known of ${what}`);
  }
}

function renew(act: Act, given: Subscription): void {
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
  const before = viewOf(act.tx, 'subscription', subscription);
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

/** The hour of a draft is over. */
function advance(act: Act, draft: Invoice): Invoice {
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

/** After an attempt on an invoice that Stripe collects by itself: active again, or the next step of dunning. */
function settleAttempt(act: Act, { invoice, outcome }: Collected): Invoice {
  if (outcome === 'paid') {
    subscriptionPaid(act, invoice);
    return invoice;
  }
  // Without a payment method there is nothing to try again, and nothing that was tried in vain.
  const wait = outcome === 'no-method' ? undefined : DUNNING_WAITS_SECONDS[invoice.attempt_count - 1];
  const subscription =
    invoice.$subscription === null ? undefined : find(act, 'subscription', invoice.$subscription);
  const next = wait === undefined ? null : act.at + wait;
  const waiting: Invoice = { ...invoice, auto_advance: next !== null, next_payment_attempt: next };
  update(act, 'invoice', invoice, waiting, 'invoice.updated');
  if (next !== null)
    act.tx.schedule(`retry:${invoice.id}`, next * 1000, { do: 'retry', invoice: invoice.id });
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
function overdue(act: Act, invoice: Invoice): void {
  tell(act, 'invoice.overdue', 'invoice', invoice);
  const subscription =
    invoice.$subscription === null ? undefined : find(act, 'subscription', invoice.$subscription);
  if (subscription?.status !== 'active') return;
  const late: Subscription = { ...subscription, status: 'past_due' };
  update(act, 'subscription', subscription, late, 'customer.subscription.updated');
  reschedule(act, late);
}

/** A paused subscription goes on: its period begins now, and is billed and collected at once. */
export function resumeNow(act: Act, subscription: Subscription): Subscription {
  const before = viewOf(act.tx, 'subscription', subscription);
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

/** `invoice.upcoming` shows the invoice to come; it has no id, because there is none yet. */
function tellUpcoming(act: Act, subscription: Subscription): void {
  const { draft, at } = upcomingDraft(act, subscription);
  const { id: _none, ...upcoming } = previewView(act, draft.invoice, draft.lines, at);
  tellView(act, 'invoice.upcoming', upcoming);
}

/** The next cycle's invoice as it would be, by what is known now; and when it would be made. */
export function upcomingDraft(
  act: Act,
  subscription: Subscription,
): { readonly draft: Draft; readonly at: number } {
  const items = itemsOf(act, subscription.id);
  const ended = periodOf(items);
  const next = items.map(item => inPeriodAt(act, subscription, item, ended.end));
  const draft = draftOf(act, {
    subscription,
    items: next,
    reason: 'upcoming',
    share: 1,
    period: ended,
    waits: true,
  });
  return { draft, at: ended.end };
}

/** A draft that was never saved, as an object with its lines in it. */
export function previewView(
  act: Act,
  invoice: Invoice,
  lines: readonly InvoiceLineItem[],
  created: number,
): { readonly [field: string]: unknown } {
  const counted = foreseeCredits(act, invoice, lines);
  const shown = {
    ...viewOf(act.tx, 'invoice', {
      ...counted.invoice,
      created,
      automatically_finalizes_at: null,
      next_payment_attempt: created,
    }),
    id: `upcoming_${invoice.id}`,
  };
  const data = counted.lines.map(line => ({ ...viewOf(act.tx, 'line_item', line), invoice: shown.id }));
  return { ...shown, lines: { object: 'list', data, has_more: false, url: `/v1/invoices/upcoming/lines` } };
}
