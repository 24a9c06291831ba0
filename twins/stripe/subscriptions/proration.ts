// Prorations: what a change in mid-period gives back and asks for.

import { type Act, all, find, need, save } from '../api/act.ts';
import { amountOf, priceIn } from '../catalog/price-draft.ts';
import type { Discount, Price } from '../catalog/records.ts';
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
  const price = priceIn(need(act, 'price', item.price, { param: 'price' }), subscription.currency);
  const whole = timed.current_period_end - timed.current_period_start;
  const left = Math.max(0, timed.current_period_end - at);
  const quantity = item.quantity ?? 0;
  const gross = Math.round((amountOf(price, quantity) * left) / Math.max(1, whole));
  const off = discounted(act, { subscription, item, price, timed, gross, sign });
  return {
    ...blankItem(act, {
      amount: sign * (gross - off.reduce((sum, { amount }) => sum + amount, 0)),
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
    proration_details: {
      credited_items: null,
      discount_amounts: off,
    },
    $subscription: subscription.id,
    $subscription_item: item.id,
  };
}

type Side = {
  readonly subscription: Subscription;
  readonly item: SubscriptionItem;
  readonly price: Price;
  /** Whose period it is. */
  readonly timed: SubscriptionItem;
  readonly gross: number;
  readonly sign: 1 | -1;
};

/**
 * What discounts take off one side, each of what the one before it left: what comes back was paid less them, and what
 * remains will be. An amount is taken in the item's share of its subscription and of its period.
 */
function discounted(act: Act, side: Side): { readonly amount: number; readonly discount: string }[] {
  const { subscription, item, price, timed, gross, sign } = side;
  const own = subscription.discounts.length > 0;
  const customer = own ? undefined : find(act, 'customer', subscription.customer);
  const held = own ? subscription.discounts : customer?.discount == null ? [] : [customer.discount.id];
  const off: { amount: number; discount: string }[] = [];
  let left = gross;
  for (const id of [...item.discounts, ...held]) {
    const discount = find(act, 'discount', id);
    const coupon = discount === undefined ? undefined : find(act, 'coupon', discount.$coupon);
    if (discount === undefined || coupon === undefined) continue;
    const products = coupon.applies_to?.products ?? [];
    if (products.length > 0 && !products.includes(price.product)) continue;
    if (sign > 0 ? !isRunning(discount, act.at) : !wasPaidUnder(discount, subscription, timed)) continue;
    const amount =
      coupon.percent_off !== null
        ? Math.round((left * coupon.percent_off) / 100)
        : Math.min(left, Math.round((coupon.amount_off ?? 0) * shareOf(act, side)));
    left -= amount;
    off.push({ amount, discount: id });
  }
  return off;
}

function isRunning(discount: Discount, at: number): boolean {
  return discount.end === null || discount.end > at;
}

/** The period was billed while it ran, or used it up. */
function wasPaidUnder(
  discount: Discount,
  { latest_invoice: billed }: Subscription,
  timed: SubscriptionItem,
): boolean {
  const start = timed.current_period_start;
  return discount.start <= start && (isRunning(discount, start) || discount.$spent === billed);
}

/** Of a subscription's whole period, what one side of a change is. */
function shareOf(act: Act, { subscription, item, price, gross }: Side): number {
  const items = all(act, 'subscription_item', { subscription: subscription.id });
  const others = items
    .filter(({ id }) => id !== item.id)
    .map(held => {
      const other = priceIn(need(act, 'price', held.price, { param: 'price' }), subscription.currency);
      return amountOf(other, held.quantity ?? 0);
    });
  const whole = others.reduce((sum, amount) => sum + amount, amountOf(price, item.quantity ?? 0));
  return whole === 0 ? 0 : gross / whole;
}

function describe(act: Act, price: Price, quantity: number, at: number, sign: 1 | -1): string {
  const name = find(act, 'product', price.product)?.name ?? price.product;
  const day = new Date(at * 1000);
  const date = String(day.getUTCDate()).padStart(2, '0');
  const shown = `${date} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
  return `${sign < 0 ? 'Unused' : 'Remaining'} time on ${quantity === 1 ? '' : `${quantity} × `}${name} after ${shown}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function saveProrations(act: Act, items: readonly InvoiceItem[]): void {
  for (const item of items) {
    save(act, 'invoiceitem', item);
    tell(act, 'invoiceitem.created', 'invoiceitem', item);
  }
}
