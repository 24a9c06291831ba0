// The invoices of a subscription: its first, each period's, and those a change makes.

import { schedule } from '../../kit/due.ts';
import { type Act, find, need } from '../api/act.ts';
import { priceIn } from '../catalog/price-draft.ts';
import type { Due } from '../due.ts';
import { tell } from '../events/events.ts';
import {
  blankInvoice,
  type Charged,
  type Draft,
  invoiceItemLine,
  itemLine,
  pendingItems,
  saveDraft,
} from '../invoicing/draft.ts';
import type { Invoice, InvoiceItem } from '../invoicing/records.ts';
import { summed } from '../invoicing/sums.ts';
import { billedOf } from './billed.ts';
import { usageOf } from './meter-usage.ts';
import type { Subscription, SubscriptionItem } from './records.ts';
import type { Part } from './terms.ts';
import { recordedUse } from './usage-records.ts';

export type Cycle = {
  readonly subscription: Subscription;
  /** With the period that is billed. */
  readonly items: readonly SubscriptionItem[];
  readonly reason: NonNullable<Invoice['billing_reason']>;
  /** The part of a whole period that is billed; 0 for a trial. */
  readonly share: number;
  /** Parts of the time before that period, which a first invoice bills besides. */
  readonly earlier?: readonly Part[];
  /** What the invoice says it is for: the period that ended, or the one that begins. */
  readonly period: { readonly start: number; readonly end: number };
  /** Whether it waits an hour as a draft before Stripe moves it on. */
  readonly waits: boolean;
  /** Invoice items on top of those that are pending. */
  readonly more?: readonly InvoiceItem[];
  /** Without the items' own lines: only what is pending. */
  readonly onlyPending?: boolean;
};

/** The draft of a cycle; nothing is saved. */
export function draftOf(act: Act, cycle: Cycle): Draft {
  const { subscription, items } = cycle;
  const customer = need(act, 'customer', subscription.customer, { param: 'customer' });
  const advances = cycle.waits && subscription.pause_collection?.behavior !== 'keep_as_draft';
  const invoice = blankInvoice(act, {
    customer,
    subscription,
    currency: subscription.currency,
    reason: cycle.reason,
    period: cycle.period,
    collection: subscription.collection_method,
    advance: advances,
    daysUntilDue: subscription.days_until_due,
  });
  const extra = [
    ...pendingItems(act, customer.id, subscription.currency, subscription.id),
    ...(cycle.more ?? []),
  ].map(item => invoiceItemLine(act, invoice.id, item));
  const own =
    cycle.onlyPending === true
      ? []
      : items.flatMap(item =>
          [...earlierOf(act, item, cycle), chargedOf(act, item, cycle)].map(charged =>
            itemLine(act, invoice.id, subscription, charged),
          ),
        );
  const described = { ...invoice, description: subscription.description };
  const lines = [...extra, ...own];
  return summed(act, described, lines);
}

/** Use is billed after the period it was in; everything else before. */
function chargedOf(act: Act, item: SubscriptionItem, { share, subscription, period }: Cycle): Charged {
  const price = priceIn(need(act, 'price', item.price, { param: 'price' }), subscription.currency);
  const product = find(act, 'product', price.product);
  const productName = product?.name ?? price.product;
  if (price.recurring?.usage_type !== 'metered') return { item, price, productName, share };
  const used = Math.max(0, usedOf(act, item, subscription, period) - billedOf(item, period.start));
  return {
    item: {
      ...item,
      quantity: used,
      current_period_start: period.start,
      current_period_end: period.end,
    },
    price,
    productName,
    share: used === 0 ? 0 : 1,
  };
}

/** What was used of a metered item between two instants, whether it was billed or not. */
export function usedOf(
  act: Act,
  item: SubscriptionItem,
  { customer }: Pick<Subscription, 'customer'>,
  { start, end }: Cycle['period'],
): number {
  const { recurring } = need(act, 'price', item.price, { param: 'price' });
  const meter = find(act, 'billing.meter', recurring?.meter ?? '');
  return meter === undefined
    ? recordedUse(act, item.id, start, end)
    : usageOf(act, meter, customer, start, end);
}

/** What an item costs for the time before its period. Use is metered from the beginning on: nothing was used before. */
function earlierOf(act: Act, item: SubscriptionItem, cycle: Cycle): readonly Charged[] {
  const whole = chargedOf(act, item, cycle);
  if (whole.price.recurring?.usage_type === 'metered') return [];
  return (cycle.earlier ?? []).map(({ start, end, share }) => ({
    ...whole,
    item: { ...item, current_period_start: start, current_period_end: end },
    share,
  }));
}

/** Saves a cycle's draft, tells of it, and sets the hour after which Stripe finalizes it. */
export function openDraft(act: Act, cycle: Cycle): Invoice {
  const invoice = saveDraft(act, draftOf(act, cycle));
  tell(act, 'invoice.created', 'invoice', invoice);
  if (invoice.automatically_finalizes_at !== null) {
    schedule<Due>(act.tx, `finalize:${invoice.id}`, invoice.automatically_finalizes_at * 1000, {
      kind: 'invoice.finalize',
      invoice: invoice.id,
    });
  }
  return invoice;
}
