// Prorations: what a change in mid-period gives back and asks for.

import { type Act, find, need, save } from '../api/act.ts';
import { amountOf } from '../catalog/price-draft.ts';
import type { Price } from '../catalog/records.ts';
import { tell } from '../events/events.ts';
import { blankItem } from '../invoicing/blank-item.ts';
import type { InvoiceItem } from '../invoicing/records.ts';
import type { Subscription, SubscriptionItem } from './records.ts';

export type ItemChange = {
  /** Null for an item that is new. */
  readonly before: SubscriptionItem | null;
  /** Null for an item that goes. */
  readonly after: SubscriptionItem | null;
};

/** Invoice items for the unused time of what was and the remaining time of what is; not saved. */
export function prorations(
  act: Act,
  subscription: Subscription,
  changes: readonly ItemChange[],
  at: number,
  /** Without the new side: a change that starts a period of its own bills that period whole. */
  creditOnly = false,
): readonly InvoiceItem[] {
  const made: InvoiceItem[] = [];
  for (const { before, after } of changes) {
    if (
      before !== null &&
      after !== null &&
      before.price === after.price &&
      before.quantity === after.quantity
    )
      continue;
    if (before !== null) made.push(part(act, subscription, before, before, at, -1));
    if (after !== null && !creditOnly) made.push(part(act, subscription, after, before ?? after, at, 1));
  }
  return made.filter(item => item.amount !== 0);
}

function part(
  act: Act,
  subscription: Subscription,
  item: SubscriptionItem,
  timed: SubscriptionItem,
  at: number,
  sign: 1 | -1,
): InvoiceItem {
  const price = need(act, 'price', item.price, { param: 'price' });
  const whole = timed.current_period_end - timed.current_period_start;
  const left = Math.max(0, timed.current_period_end - at);
  const quantity = item.quantity ?? 0;
  const amount = sign * Math.round((amountOf(price, quantity) * left) / Math.max(1, whole));
  return {
    ...blankItem(act, {
      amount,
      currency: price.currency,
      customer: subscription.customer,
      description: describe(act, price, quantity, at, sign),
      period: { end: timed.current_period_end, start: at },
      price,
      quantity,
    }),
    discountable: false,
    parent: {
      subscription_details: { subscription: subscription.id, subscription_item: item.id },
      type: 'subscription_details',
    },
    proration: true,
    proration_details: { credited_items: null, discount_amounts: [] },
    $subscription: subscription.id,
    $subscription_item: item.id,
  };
}

function describe(act: Act, price: Price, quantity: number, at: number, sign: 1 | -1): string {
  const name = find(act, 'product', price.product)?.name ?? price.product;
  const day = new Date(at * 1000);
  const shown = `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
  return `${sign < 0 ? 'Unused' : 'Remaining'} time on ${quantity === 1 ? '' : `${quantity} × `}${name} after ${shown}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function saveProrations(act: Act, items: readonly InvoiceItem[]): void {
  for (const item of items) {
    save(act, 'invoiceitem', item);
    tell(act, 'invoiceitem.created', 'invoiceitem', item);
  }
}
