// What happens to a change of a subscription that bills at once and cannot be paid at once: it is refused, or it waits.

import { schedule } from '../../kit/due.ts';
import { type Act, need, save } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { embedded, viewOf } from '../api/view.ts';
import { amountOf, priceIn } from '../catalog/price-draft.ts';
import type { Price } from '../catalog/records.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import { collect, finalize, methodFor } from '../invoicing/collect.ts';
import type { InvoiceItem } from '../invoicing/records.ts';
import { declineOf, foresee } from '../payments/attempt.ts';
import { declineParam } from '../payments/decline-param.ts';
import type { PaymentMethod } from '../payments/records.ts';
import { type Changes, restartsOn } from './change.ts';
import { itemsOf, periodOf } from './clock.ts';
import { openDraft } from './invoice.ts';
import { type ItemChange, prorations } from './proration.ts';
import type { Subscription, SubscriptionItem } from './records.ts';
import { inPeriodAt } from './trial.ts';

/** A pending update is given up after this long. Seconds. */
const PENDING_SECONDS = 23 * 60 * 60;

type Bill = {
  readonly currency: string;
  readonly restarts: boolean;
  readonly more: readonly InvoiceItem[];
  /** The items as they would be. */
  readonly items: readonly SubscriptionItem[];
};

/** What a change would bill at once; null where it bills nothing now. Nothing is saved. */
function billOf(act: Act, held: Subscription, asked: Changes): Bill | null {
  if (held.status !== 'active' && held.status !== 'past_due') return null;
  const restarts = asked.resetAnchor === true || restartsOn(act, asked.changes, asked.prices);
  if (!restarts && asked.how.proration_behavior !== 'always_invoice') return null;
  const items = itemsOf(act, held.id);
  const touched = new Set(asked.changes.map(({ before }) => before?.id));
  const after = [
    ...items.filter(item => !touched.has(item.id)),
    ...asked.changes.map(change => change.after).filter(item => item !== null),
  ];
  const given: readonly ItemChange[] = restarts
    ? items.map(before => ({ before, after: null }))
    : asked.changes;
  const more =
    asked.how.proration_behavior === 'none'
      ? []
      : prorations(act, held, given, asked.how.proration_date ?? act.at, restarts);
  const anchored = { ...held, billing_cycle_anchor: act.at };
  return {
    currency: held.currency,
    restarts,
    more,
    items: restarts ? after.map(item => inPeriodAt(act, anchored, item, act.at)) : after,
  };
}

function dueOf(act: Act, bill: Bill): number {
  const priceOf = (item: SubscriptionItem): Price =>
    priceIn(need(act, 'price', item.price, { param: 'price' }), bill.currency);
  const whole = bill.restarts
    ? bill.items.reduce((sum, item) => sum + amountOf(priceOf(item), item.quantity ?? 0), 0)
    : 0;
  return bill.more.reduce((sum, { amount }) => sum + amount, whole);
}

type How = { readonly behaviour: string | undefined; readonly offSession: boolean };

/**
 * Whether a change goes ahead (null), or what becomes of it: `error_if_incomplete` refuses it before anything is
 * written, `pending_if_incomplete` lets it wait for its invoice.
 */
export function holdChange(
  act: Act,
  subscription: Subscription,
  asked: Changes,
  how: How,
): Subscription | null {
  if (how.behaviour !== 'error_if_incomplete' && how.behaviour !== 'pending_if_incomplete') return null;
  if (subscription.collection_method !== 'charge_automatically' || asked.prices.length > 0) return null;
  const bill = billOf(act, subscription, asked);
  if (bill === null || dueOf(act, bill) <= 0) return null;
  const payer = methodFor(act, {
    default_payment_method: null,
    default_source: null,
    $subscription: subscription.id,
    customer: subscription.customer,
  });
  if (payer !== null && foresee(payer, how.offSession) === 'pays') return null;
  if (how.behaviour === 'error_if_incomplete') throw refusal(payer);
  return wait(act, subscription, asked, bill, payer, how.offSession);
}

function refusal(payer: PaymentMethod | null): StripeRefusal {
  if (payer === null) {
    return new StripeRefusal(400, 'This customer has no attached payment source or default payment method.', {
      type: 'invalid_request_error',
      code: 'resource_missing',
    });
  }
  const { code, decline_code, message } = declineOf(payer);
  return new StripeRefusal(402, message, {
    type: 'card_error',
    code,
    decline_code,
    ...declineParam({ code }),
  });
}

/** The invoice is made and tried; the subscription shows what it waits for. */
function wait(
  act: Act,
  subscription: Subscription,
  asked: Changes,
  bill: Bill,
  payer: PaymentMethod | null,
  offSession: boolean,
): Subscription {
  act.tx.kind('customer.subscription.updated');
  const before = viewOf(act, 'subscription', subscription);
  const draft = openDraft(act, {
    subscription,
    items: bill.restarts ? bill.items : itemsOf(act, subscription.id),
    reason: 'subscription_update',
    share: 1,
    period: periodOf(itemsOf(act, subscription.id)),
    waits: false,
    more: bill.more,
    onlyPending: !bill.restarts,
  });
  const open = finalize(act, draft);
  const expires = act.at + PENDING_SECONDS;
  const anchor = bill.restarts ? act.at : null;
  const next: Subscription = {
    ...subscription,
    latest_invoice: open.id,
    pending_update: {
      billing_cycle_anchor: anchor,
      cancel_at_period_end: null,
      discount: null,
      discounts: null,
      expires_at: expires,
      metadata: null,
      subscription_items: bill.items.map(item => embedded(act, 'subscription_item', item)),
      trial_end: null,
      trial_from_plan: null,
    },
    $pending: { invoice: open.id, changes: asked.changes, anchor },
  };
  save(act, 'subscription', next);
  schedule<Due>(act.tx, `pending:${next.id}`, expires * 1000, {
    kind: 'subscription.forget_change',
    subscription: next.id,
  });
  tell(act, 'customer.subscription.updated', 'subscription', next, before);
  collect(act, open, payer, { offSession });
  return next;
}
