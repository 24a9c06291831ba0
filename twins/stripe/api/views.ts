// From a record to the object Stripe answers: the twin's own fields are left out, and what is held as records of
// its own (a subscription's items, an invoice's lines) is put in.
import type { RecordBody } from '../../kit/tx.ts';
import type { Coupon, CreditNote } from '../billing/records.ts';
import { isValid } from '../catalog/coupon-validity.ts';
import { inlined } from '../payments/views.ts';
import { type RecordName, type Records, select } from '../records.ts';
import { listView, type Reader, type View } from './view.ts';
import type { Invoice, Plan, Price, Subscription, SubscriptionItem } from './wire.ts';

/** How many lines an invoice shows in itself; the rest is on `/lines`. */
const INLINE_LINES = 10;
/** A subscription has at most 20 items at Stripe, and shows them all. */
export const SUBSCRIPTION_ITEMS_MAX = 20;

export function viewOf<Name extends RecordName>(reader: Reader, type: Name, record: Records[Name]): View {
  if (type === 'subscription') return subscriptionView(reader, record as Subscription);
  if (type === 'subscription_item') return itemView(reader, record as SubscriptionItem);
  if (type === 'invoice') return invoiceView(reader, record as Invoice);
  if (type === 'coupon')
    return { ...plain(record), valid: isValid(record as Coupon, Math.floor(reader.now / 1000)) };
  if (type === 'credit_note') return creditNoteView(reader, record as CreditNote);
  return {
    ...plain(record as RecordBody),
    ...inlined({ reader, viewById }, type, record.id, record as RecordBody),
  };
}

/** Reads and views; undefined when there is none. A deleted customer is viewed as deleted. */
export function viewById(reader: Reader, type: RecordName, id: string): View | undefined {
  const record = reader.get(type, id);
  return record === undefined ? undefined : viewOf(reader, type, record as unknown as Records[RecordName]);
}

function plain(record: RecordBody): View {
  const view: { [field: string]: unknown } = {};
  for (const [name, value] of Object.entries(record)) {
    if (!name.startsWith('$')) view[name] = value;
  }
  return view;
}

function subscriptionView(reader: Reader, given: Subscription): View {
  const record = withSetup(reader, given);
  const items = select(reader, 'subscription_item', {
    where: { subscription: record.id },
    order: 'oldest',
    limit: SUBSCRIPTION_ITEMS_MAX,
  });
  const data = items.items.map(item => itemView(reader, item));
  // A discount that is used up or over is on it no more.
  const discounts = record.discounts.filter((id: string) => {
    const end = reader.get('discount', id)?.['end'];
    return typeof end !== 'number' || end * 1000 > reader.now;
  });
  return {
    ...plain(record),
    discounts,
    items: {
      ...listView(data, items.more, `/v1/subscription_items?subscription=${record.id}`),
      total_count: data.length,
    },
  };
}

/** The subscription with what came of its setup: once it is through it waits no more, and its method is there. */
export function withSetup(reader: Reader, held: Subscription): Subscription {
  if (held.pending_setup_intent === null) return held;
  const setup = reader.get('setup_intent', held.pending_setup_intent);
  const status = setup?.['status'];
  if (status !== 'succeeded' && status !== 'canceled') return held;
  const method = status === 'succeeded' ? (setup?.['payment_method'] as string | null) : null;
  return {
    ...held,
    default_payment_method: held.default_payment_method ?? method,
    pending_setup_intent: null,
  };
}

function itemView(reader: Reader, record: SubscriptionItem): View {
  const price = reader.get<Price & RecordBody>('price', record.price);
  if (price === undefined) throw new Error(`${record.id} has a price that is gone: ${record.price}`);
  return { ...plain(record), plan: planOf(price), price: viewOf(reader, 'price', price) };
}

function invoiceView(reader: Reader, record: Invoice): View {
  const lines = select(reader, 'line_item', {
    where: { invoice: record.id },
    order: 'oldest',
    limit: INLINE_LINES,
  });
  return {
    ...plain(record),
    lines: {
      ...listView(
        lines.items.map(line => viewOf(reader, 'line_item', line)),
        lines.more,
        `/v1/invoices/${record.id}/lines`,
      ),
    },
  };
}

function creditNoteView(reader: Reader, record: CreditNote): View {
  const lines = select(reader, 'credit_note_line_item', {
    where: { $credit_note: record.id },
    order: 'oldest',
    limit: INLINE_LINES,
  });
  const data = lines.items.map(line => viewOf(reader, 'credit_note_line_item', line));
  return { ...plain(record), lines: listView(data, lines.more, `/v1/credit_notes/${record.id}/lines`) };
}

/** The plan that every recurring price still shows as. */
export function planOf(price: Price): Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: price.recurring?.meter ?? null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: price.tiers_mode,
    transform_usage: price.transform_quantity,
    trial_period_days: price.recurring?.trial_period_days ?? null,
    usage_type: price.recurring?.usage_type ?? 'licensed',
  };
}
