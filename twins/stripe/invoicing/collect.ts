// From draft to paid: finalizing an invoice, collecting it, and what that means for its subscription.

import { schedule } from '../../kit/due.ts';
import { type Act, all, find, need, save } from '../api/act.ts';
import { viewOf } from '../api/view.ts';
import type { Customer } from '../customers/records.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { type Attempted, attempt, declineOf, foresee } from '../payments/attempt.ts';
import { canceled, newIntent } from '../payments/intent-draft.ts';
import type { PaymentIntent, PaymentMethod } from '../payments/records.ts';
import { reschedule } from '../subscriptions/clock.ts';
import { applyPending } from '../subscriptions/pending-update.ts';
import type { Subscription } from '../subscriptions/records.ts';
import { sharedBy } from '../subscriptions/sharing.ts';
import { withSetup } from '../subscriptions/view.ts';
import { useCredits } from './credits.ts';
import { moveBalance } from './customer-balance.ts';
import type { Invoice, InvoicePayment } from './records.ts';

/**
 * Opens a draft: it gets its number, its balance is settled, and there is an intent to pay it with. `paid`: the one that has
 * paid it. `atOnce`: it was begun in this very request, and nobody is told of a change.
 */
export function finalize(
  act: Act,
  given: Invoice,
  { paid = null, atOnce = false }: { readonly paid?: PaymentIntent | null; readonly atOnce?: boolean } = {},
): Invoice {
  const customer = need(act, 'customer', given.customer ?? '', { param: 'customer' });
  const before = viewOf(act, 'invoice', given);
  const draft = useCredits(act, given);
  const balance = settleBalance(customer, draft);
  const due = Math.max(0, draft.total + balance.applied);
  const intent =
    due === 0
      ? null
      : (paid ?? {
          ...newIntent(act, {
            amount: due,
            currency: draft.currency,
            customer: customer.id,
            description: intentDescription(draft),
            invoice: draft.id,
            // What pays a subscription first is kept with its customer, for the renewals.
            keepsMethod:
              draft.billing_reason === 'subscription_create' &&
              draft.collection_method === 'charge_automatically',
          }),
          ...sharingIn(act, draft, due),
        });
  const url = `https://invoice.stripe.com/i/acct_twin/test_${draft.id}`;
  const open: Invoice = {
    ...draft,
    amount_due: due,
    amount_remaining: due,
    automatically_finalizes_at: null,
    effective_at: draft.effective_at ?? act.at,
    ending_balance: balance.after,
    hosted_invoice_url: `${url}?s=ap`,
    invoice_pdf: `https://pay.stripe.com/invoice/acct_twin/test_${draft.id}/pdf?s=ap`,
    number:
      draft.number ??
      `${customer.invoice_prefix}-${String(customer.next_invoice_sequence ?? 1).padStart(4, '0')}`,
    starting_balance: customer.balance,
    status: 'open',
    status_transitions: { ...draft.status_transitions, finalized_at: act.at },
    $payment_intent: intent?.id ?? null,
  };
  act.tx.kind('invoice.finalized');
  act.tx.cancel(`finalize:${draft.id}`);
  const moved = balance.after - customer.balance;
  const settled =
    moved === 0
      ? customer
      : moveBalance(act, customer, {
          amount: moved,
          currency: draft.currency,
          type: 'applied_to_invoice',
          invoice: draft.id,
        }).customer;
  const counted: Customer = {
    ...settled,
    next_invoice_sequence: (customer.next_invoice_sequence ?? 1) + (draft.number === null ? 1 : 0),
  };
  const billed: Customer = { ...counted, currency: customer.currency ?? draft.currency };
  save(act, 'customer', billed);
  // Their first bill settles their currency, and Stripe tells of that; of the numbers that are counted on nobody is told.
  if (billed.currency !== customer.currency)
    tell(act, 'customer.updated', 'customer', billed, viewOf(act, 'customer', counted));
  save(act, 'invoice', open);
  if (intent !== null) {
    save(act, 'payment_intent', intent);
    save(act, 'invoice_payment', openPayment(act, open, intent));
    if (paid === null) tell(act, 'payment_intent.created', 'payment_intent', intent);
  }
  tell(act, 'invoice.finalized', 'invoice', open);
  if (!atOnce) tell(act, 'invoice.updated', 'invoice', open, before);
  if (open.due_date !== null)
    schedule<Due>(act.tx, `overdue:${open.id}`, open.due_date * 1000, {
      kind: 'invoice.overdue',
      invoice: open.id,
    });
  return due === 0 ? markPaid(act, open, null, { atOnce }) : open;
}

/** What a connected account has of it. */
function sharingIn(act: Act, { $subscription: id }: Invoice, due: number): Partial<PaymentIntent> {
  const subscription = id === null ? undefined : find(act, 'subscription', id);
  return subscription === undefined ? {} : sharedBy(subscription, due);
}

function intentDescription(draft: Invoice): string | null {
  if (draft.$subscription === null) return draft.description;
  return draft.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update';
}

/** A negative balance is credit, a positive one is owed. `applied` is added to the total. */
function settleBalance(customer: Customer, { currency, total }: Invoice): { applied: number; after: number } {
  // A balance in another currency waits for an invoice in its own.
  if (customer.balance !== 0 && customer.currency != null && customer.currency !== currency && total >= 0) {
    return { applied: 0, after: customer.balance };
  }
  const sum = total + customer.balance;
  if (sum >= 0) return { applied: customer.balance, after: 0 };
  return { applied: -total, after: sum };
}

export function openPayment(act: Act, invoice: Invoice, intent: PaymentIntent): InvoicePayment {
  return {
    id: act.tx.recordId('inpay_', 24),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: intent.amount,
    created: act.at,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
    $payment_intent: intent.id,
  };
}

/** Invoice, subscription, customer: the first that names a payment method. */
export function methodFor(
  act: Act,
  invoice: Pick<Invoice, 'default_payment_method' | 'default_source' | '$subscription' | 'customer'>,
): PaymentMethod | null {
  const held = invoice.$subscription === null ? undefined : find(act, 'subscription', invoice.$subscription);
  const subscription = held === undefined ? undefined : withSetup(act, held);
  const customer = find(act, 'customer', invoice.customer ?? '');
  const id =
    invoice.default_payment_method ??
    invoice.default_source ??
    subscription?.default_payment_method ??
    subscription?.default_source ??
    customer?.invoice_settings.default_payment_method ??
    customer?.default_source ??
    null;
  return id === null ? null : (find(act, 'payment_method', id) ?? null);
}

export type Collected = {
  readonly invoice: Invoice;
  readonly outcome: 'paid' | 'processing' | 'declined' | 'action' | 'no-method';
  /** The attempt, when there was a method to try. */
  readonly attempted: Attempted | null;
};

export type HowCollected = {
  readonly offSession: boolean;
  readonly returnUrl?: string | null;
  /** Who pays confirms it: an attempt that Stripe did not make by itself, and does not count. */
  readonly byPayer?: boolean;
  /** It was begun in this very request, and nobody is told of a change. */
  readonly atOnce?: boolean;
};

/** Tries to pay an open invoice. What follows for its subscription is the caller's. */
export function collect(act: Act, open: Invoice, method: PaymentMethod | null, how: HowCollected): Collected {
  const held = find(act, 'payment_intent', open.$payment_intent ?? '');
  if (held === undefined) throw new Error(`${open.id} is open and has no payment intent`);
  if (method === null) {
    const failed = { ...open, attempt_count: open.attempt_count + 1, attempted: true };
    save(act, 'invoice', failed);
    tell(act, 'invoice.payment_failed', 'invoice', failed);
    return { invoice: failed, outcome: 'no-method', attempted: null };
  }
  const offSession = how.offSession && !wantsItsOwner(method);
  act.tx.kind(foresee(method, offSession) === 'pays' ? 'invoice.paid' : 'invoice.payment_failed');
  const attempted = attempt(act, held, method, { offSession, returnUrl: how.returnUrl ?? null });
  const count = open.attempt_count + (how.byPayer === true ? 0 : 1);
  const tried = { ...open, attempt_count: count, attempted: true };
  if (attempted.outcome === 'processing') {
    save(act, 'invoice', tried);
    return { invoice: tried, outcome: 'processing', attempted };
  }
  if (attempted.outcome === 'paid') {
    const paid = markPaid(act, tried, attempted.intent, { atOnce: how.atOnce === true });
    return { invoice: paid, outcome: 'paid', attempted };
  }
  save(act, 'invoice', tried);
  tell(act, 'invoice.payment_failed', 'invoice', tried);
  if (attempted.outcome !== 'action') return { invoice: tried, outcome: 'declined', attempted };
  tell(act, 'invoice.payment_action_required', 'invoice', tried);
  return { invoice: tried, outcome: 'action', attempted };
}

/** An invoice whose card must be confirmed waits for that, also where nobody is there yet to confirm it. */
function wantsItsOwner(method: PaymentMethod): boolean {
  return foresee(method, true) === 'declines' && declineOf(method).code === 'authentication_required';
}

/** `intent` is null when nothing was due or it was paid outside Stripe. */
export function markPaid(
  act: Act,
  invoice: Invoice,
  intent: PaymentIntent | null,
  { outOfBand = false, atOnce = false }: { readonly outOfBand?: boolean; readonly atOnce?: boolean } = {},
): Invoice {
  const held = find(act, 'invoice', invoice.id);
  const before = viewOf(act, 'invoice', held ?? invoice);
  const paid: Invoice = {
    ...invoice,
    amount_paid: outOfBand ? 0 : invoice.amount_due,
    ...(outOfBand ? { amount_paid_off_stripe: invoice.amount_due } : {}),
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: act.at },
  };
  save(act, 'invoice', paid);
  for (const key of ['retry', 'overdue', 'finalize']) act.tx.cancel(`${key}:${paid.id}`);
  if (intent !== null) settlePayment(act, paid, intent);
  markDelinquent(act, paid, false);
  act.tx.kind('invoice.paid');
  if (!atOnce) tell(act, 'invoice.updated', 'invoice', paid, before);
  tell(act, 'invoice.paid', 'invoice', paid);
  tell(act, 'invoice.payment_succeeded', 'invoice', paid);
  return paid;
}

/**
 * Stripe's customer shows what became of any invoice of theirs last: delinquent once a payment that it makes by itself
 * failed or a due date passed, and no more once one is paid or given up.
 */
export function markDelinquent(act: Act, invoice: Invoice, delinquent: boolean): void {
  const customer = find(act, 'customer', invoice.customer ?? '');
  if (customer === undefined || (customer.delinquent ?? false) === delinquent) return;
  update(act, 'customer', customer, { ...customer, delinquent }, 'customer.updated');
}

function settlePayment(act: Act, paid: Invoice, intent: PaymentIntent): void {
  const payment = all(act, 'invoice_payment', { invoice: paid.id }).find(
    held => held.$payment_intent === intent.id,
  );
  if (payment === undefined) return;
  const settled: InvoicePayment = {
    ...payment,
    amount_paid: intent.amount_received,
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: act.at },
  };
  save(act, 'invoice_payment', settled);
  tell(act, 'invoice_payment.paid', 'invoice_payment', settled);
}

/** An intent was paid by hand: so is the invoice it belongs to. */
export function settlePaid(act: Act, intent: PaymentIntent): void {
  const invoice = intent.$invoice === null ? undefined : find(act, 'invoice', intent.$invoice);
  if (invoice === undefined || (invoice.status !== 'open' && invoice.status !== 'uncollectible')) return;
  const tried = { ...invoice, attempt_count: invoice.attempt_count + 1 };
  if (intent.id === invoice.$payment_intent) return subscriptionPaid(act, markPaid(act, tried, intent));
  paidBeside(act, invoice, intent);
}

/** A payment that was attached pays what it can; the invoice's own intent is for the rest. */
function paidBeside(act: Act, invoice: Invoice, intent: PaymentIntent): void {
  settlePayment(act, invoice, intent);
  const sum = invoice.amount_paid + intent.amount_received;
  const own = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  if (sum < invoice.amount_due) {
    const left = invoice.amount_due - sum;
    if (own !== undefined) save(act, 'payment_intent', { ...own, amount: left });
    const next = { ...invoice, amount_paid: sum, amount_remaining: left };
    update(act, 'invoice', invoice, next, 'invoice.updated');
    return;
  }
  const over = sum - invoice.amount_due;
  const paid = markPaid(act, { ...invoice, amount_overpaid: over }, null);
  if (over > 0) tell(act, 'invoice.overpaid', 'invoice', paid);
  closeIntent(act, paid);
  subscriptionPaid(act, paid);
}

/** A payment brings a subscription that waited for it back to active. */
export function subscriptionPaid(act: Act, invoice: Invoice): void {
  const held = invoice.$subscription === null ? undefined : find(act, 'subscription', invoice.$subscription);
  if (held === undefined || held.ended_at !== null) return;
  const pending = held.$pending ?? null;
  const subscription = pending?.invoice === invoice.id ? applyPending(act, held, pending) : held;
  const waited = ['incomplete', 'past_due', 'unpaid'].includes(subscription.status);
  const method = methodToKeep(act, subscription, invoice);
  if (!waited && method === subscription.default_payment_method) return;
  const paid: Subscription = {
    ...subscription,
    default_payment_method: method,
    ...(waited ? { status: 'active', $attempts: 0 } : {}),
  };
  update(act, 'subscription', subscription, paid, 'customer.subscription.updated');
  if (waited) reschedule(act, paid);
}

/** The subscription's own, or what paid it, where it asks to keep that (`save_default_payment_method`). */
function methodToKeep(act: Act, subscription: Subscription, invoice: Invoice): string | null {
  const held = subscription.default_payment_method;
  if (subscription.payment_settings?.save_default_payment_method !== 'on_subscription') return held;
  const intent = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  return intent?.status === 'succeeded' ? (intent.payment_method ?? held) : held;
}

/** An invoice that is settled otherwise needs its intent no more. */
export function closeIntent(act: Act, invoice: Invoice): void {
  const intent = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  if (intent === undefined || intent.status === 'succeeded' || intent.status === 'canceled') return;
  const closed = canceled(act, intent, 'void_invoice');
  save(act, 'payment_intent', closed);
  tell(act, 'payment_intent.canceled', 'payment_intent', closed);
  for (const payment of all(act, 'invoice_payment', { invoice: invoice.id })) {
    if (payment.status !== 'open') continue;
    save(act, 'invoice_payment', {
      ...payment,
      status: 'canceled',
      status_transitions: { ...payment.status_transitions, canceled_at: act.at },
    });
  }
}
