// What a subscription shows besides its own fields: its items, and what came of its setup.
import type { RecordBody } from '../../kit/tx.ts';
import { select } from '../api/act.ts';
import { listView, type View, type Viewer, viewOf } from '../api/view.ts';
import { planOf } from '../catalog/plan-view.ts';
import type { Price } from '../catalog/records.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

/** A subscription has at most 20 items at Stripe, and shows them all. */
export const SUBSCRIPTION_ITEMS_MAX = 20;

export function subscriptionInlined(by: Viewer, held: Subscription): View {
  const { tx } = by;
  const items = select(tx, 'subscription_item', {
    where: { subscription: held.id },
    order: 'oldest',
    limit: SUBSCRIPTION_ITEMS_MAX,
  });
  const data = items.items.map(item => viewOf(by, 'subscription_item', item));
  const [only, ...others] = data;
  // A discount that is used up or over is on it no more.
  const discounts = held.discounts.filter((id: string) => {
    const end = tx.get('discount', id)?.['end'];
    return typeof end !== 'number' || end * 1000 > tx.now;
  });
  return {
    ...afterSetup(by, held),
    discounts,
    items: {
      ...listView(data, items.more, `/v1/subscription_items?subscription=${held.id}`),
      total_count: data.length,
    },
    // What it had before it could have several items: no declaration names them, every answer has them still.
    plan: others.length > 0 ? null : (only?.['plan'] ?? null),
    quantity: others.length > 0 ? null : (only?.['quantity'] ?? null),
  };
}

/** The subscription with what came of its setup: once it is through it waits no more, and its method is there. */
export function withSetup(by: Pick<Viewer, 'tx'>, held: Subscription): Subscription {
  const after = afterSetup(by, held);
  return after === null ? held : { ...held, ...after };
}

function afterSetup(
  { tx }: Pick<Viewer, 'tx'>,
  held: Subscription,
): Pick<Subscription, 'default_payment_method' | 'pending_setup_intent'> | null {
  if (held.pending_setup_intent === null) return null;
  const setup = tx.get('setup_intent', held.pending_setup_intent);
  const status = setup?.['status'];
  if (status !== 'succeeded' && status !== 'canceled') return null;
  const method = status === 'succeeded' ? (setup?.['payment_method'] as string | null) : null;
  return { default_payment_method: held.default_payment_method ?? method, pending_setup_intent: null };
}

export function itemInlined(by: Viewer, item: SubscriptionItem): View {
  const price = by.tx.get<Price & RecordBody>('price', item.price);
  if (price === undefined) throw new Error(`${item.id} has a price that is gone: ${item.price}`);
  return { plan: planOf(price), price: viewOf(by, 'price', price) };
}
