// Discounts: a coupon at work, on a customer, a subscription, an invoice or one of their items.

import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid, missing, StripeRefusal } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { boundary } from '../api/periods.ts';
import { vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import type { Customer } from '../customers/records.ts';
import { tell } from '../events/events.ts';
import type { Subscription } from '../subscriptions/records.ts';
import { isValid } from './coupon-validity.ts';
import type { Coupon, Discount, PromotionCode } from './records.ts';

export type DiscountAsk = {
  readonly coupon?: string | undefined;
  readonly discount?: string | undefined;
  readonly promotion_code?: string | undefined;
};

/** On what a discount is. */
export type DiscountOf = {
  readonly customer: string | null;
  readonly subscription?: string;
  readonly subscription_item?: string;
  readonly invoice?: string;
  readonly invoice_item?: string;
  /** Of an offer: nothing is told of it before it is accepted. */
  readonly quote?: true;
};

type Redeemed = { readonly coupon: Coupon; readonly promotion: string | null };

/** Who redeems, and what for, as far as it is known; what is not known is not held against a code. */
export type Order = {
  readonly customer?: string | null;
  readonly amount?: number;
  readonly currency?: string;
};

/** The coupon that a parameter names. Throws `StripeRefusal` where it cannot be redeemed. */
export function couponOf(act: Act, ask: DiscountAsk, param: string, order: Order = {}): Redeemed {
  if (ask.promotion_code !== undefined) {
    const code = need(act, 'promotion_code', ask.promotion_code, { param: `${param}[promotion_code]` });
    const coupon = need(act, 'coupon', code.$coupon, { param });
    const spent = code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions;
    const late = code.expires_at !== null && code.expires_at <= act.at;
    if (!code.active || spent || late || !isValid(coupon, act.at)) {
      throw invalid(`This promotion code cannot be redeemed because it is not active: ${code.id}`, {
        code: 'promotion_code_expired',
        param: `${param}[promotion_code]`,
      });
    }
    const kept = restrictedBy(act, code, order);
    if (kept !== null) {
      throw invalid(`This promotion code cannot be redeemed because ${kept}.`, {
        param: `${param}[promotion_code]`,
      });
    }
    return { coupon: inCurrency(coupon, order, `${param}[promotion_code]`), promotion: code.id };
  }
  const coupon = find(act, 'coupon', ask.coupon ?? '');
  if (coupon === undefined || coupon.$gone === true) {
    throw missing('coupon', ask.coupon ?? '', { param: `${param}[coupon]` });
  }
  if (!isValid(coupon, act.at)) {
    throw invalid(`Coupon expired: ${coupon.id}`, { code: 'coupon_expired', param: `${param}[coupon]` });
  }
  return { coupon: inCurrency(coupon, order, `${param}[coupon]`), promotion: null };
}

function inCurrency(coupon: Coupon, { currency }: Order, param: string): Coupon {
  if (coupon.currency !== null && currency !== undefined && coupon.currency !== currency) {
    throw invalid(
      `The coupon ${coupon.id} takes off an amount in ${coupon.currency}, and this is in ${currency}.`,
      { param },
    );
  }
  return coupon;
}

/** Why a code is not for this order; null when it is. */
function restrictedBy(act: Act, code: PromotionCode, order: Order): string | null {
  if (code.customer !== null && order.customer !== undefined && code.customer !== order.customer)
    return 'it is for another customer';
  const {
    first_time_transaction: first,
    minimum_amount: least,
    minimum_amount_currency: currency,
  } = code.restrictions;
  if (first && typeof order.customer === 'string' && hasPaid(act, order.customer))
    return 'the associated customer has prior transactions';
  const amount = order.currency === undefined || order.currency === currency ? order.amount : undefined;
  if (least !== null && amount !== undefined && amount < least)
    return `the order is below the minimum amount of ${least} ${currency}`;
  return null;
}

function hasPaid(act: Act, customer: string): boolean {
  const found = select(act.tx, 'payment_intent', {
    where: { customer },
    limit: 1,
    keep: body => body['status'] === 'succeeded',
  });
  return found.items.length > 0;
}

/** Refuses what cannot be redeemed, before anything is written. */
export function checkDiscounts(
  act: Act,
  asks: readonly DiscountAsk[] | null | undefined,
  param: string,
  order: Order = {},
): void {
  const seen = new Set<string>();
  for (const [at, ask] of (asks ?? []).entries()) {
    const named = ask.discount ?? ask.promotion_code ?? ask.coupon ?? '';
    if (seen.has(named)) throw invalid(`The discount ${named} cannot be applied twice.`, { param });
    seen.add(named);
    if (ask.discount !== undefined)
      need(act, 'discount', ask.discount, { param: `${param}[${at}][discount]` });
    else couponOf(act, ask, `${param}[${at}]`, order);
  }
}

/** Whether what was asked for earlier can still be had. */
export function isRedeemable(act: Act, ask: DiscountAsk): boolean {
  try {
    checkDiscounts(act, [ask], 'discounts');
    return true;
  } catch (thrown) {
    if (thrown instanceof StripeRefusal) return false;
    throw thrown;
  }
}

/** The ids of discounts, made where they are new. Only after `checkDiscounts`. */
export function openDiscounts(
  act: Act,
  asks: readonly DiscountAsk[] | null | undefined,
  of: DiscountOf,
): string[] {
  return (asks ?? []).map(ask => ask.discount ?? openDiscount(act, ask, of).id);
}

export function openDiscount(
  act: Act,
  ask: DiscountAsk,
  of: DiscountOf,
  instead: Discount | null = null,
): Discount {
  const { discount, coupon, promotion } = draftDiscount(act, ask, of);
  if (of.quote === undefined) redeem(act, coupon, promotion);
  save(act, 'discount', discount);
  // Stripe tells of what is on a customer or one of its subscriptions.
  if (instead !== null) {
    tell(act, 'customer.discount.updated', 'discount', discount, viewOf(act, 'discount', instead));
  } else if (of.invoice === undefined && of.invoice_item === undefined && of.quote === undefined) {
    tell(act, 'customer.discount.created', 'discount', discount);
  }
  return discount;
}

/** A discount as it would be; nothing is saved. Throws `StripeRefusal` for what cannot be redeemed. */
export function draftDiscount(
  act: Act,
  ask: DiscountAsk,
  of: DiscountOf,
): Redeemed & { readonly discount: Discount } {
  const { coupon, promotion } = couponOf(act, ask, 'discounts');
  const months = coupon.duration === 'repeating' ? (coupon.duration_in_months ?? 0) : 0;
  const discount = whole<Discount>('discount', {
    id: act.tx.recordId('di_', 24),
    customer: of.customer,
    end: months === 0 ? null : boundary(act.at, { interval: 'month', interval_count: months }, 1),
    invoice: of.invoice ?? null,
    invoice_item: of.invoice_item ?? null,
    promotion_code: promotion,
    source: { coupon: coupon.id, type: 'coupon' },
    start: act.at,
    subscription: of.subscription ?? null,
    subscription_item: of.subscription_item ?? null,
    $coupon: coupon.id,
  });
  return { discount, coupon, promotion };
}

function redeem(act: Act, coupon: Coupon, promotion: string | null): void {
  save(act, 'coupon', { ...coupon, times_redeemed: coupon.times_redeemed + 1 });
  const code = promotion === null ? undefined : find(act, 'promotion_code', promotion);
  if (code !== undefined) save(act, 'promotion_code', { ...code, times_redeemed: code.times_redeemed + 1 });
}

export function closeDiscount(act: Act, id: string): void {
  const discount = find(act, 'discount', id);
  if (discount === undefined) return;
  tell(act, 'customer.discount.deleted', 'discount', discount);
  save(act, 'discount', { ...discount, end: act.at });
}

/** The customer's own discount, as the object shows it. */
export function customerDiscount(act: Act, customer: Customer, ask: DiscountAsk | null): Customer {
  const old = find(act, 'discount', customer.discount?.id ?? '') ?? null;
  if (ask === null) {
    if (old !== null) closeDiscount(act, old.id);
    return { ...customer, discount: null };
  }
  if (old !== null) save(act, 'discount', { ...old, end: act.at });
  const made = openDiscount(act, ask, { customer: customer.id }, old);
  const shown = viewOf(act, 'discount', made) as unknown as NonNullable<Customer['discount']>;
  return { ...customer, discount: shown };
}

/** Checks a coupon before a customer is written. */
export function checkCoupon(act: Act, ask: DiscountAsk, customer: string | null): void {
  couponOf(act, ask, 'coupon', { customer });
}

const endOfCustomer = vendor<object>('customers.deleteDiscount', ({ act, path }) => {
  const id = path['id'] ?? path['customerId'] ?? path['customer'] ?? '';
  const customer = need(act, 'customer', id, { param: 'customer', inPath: true });
  const discount = customer.discount;
  if (discount == null)
    throw invalid(`No active discount for customer: ${customer.id}`, { code: 'resource_missing' });
  closeDiscount(act, discount.id);
  save(act, 'customer', { ...customer, discount: null });
  return {
    ...viewOf(act, 'discount', need(act, 'discount', discount.id, { param: 'discount' })),
    deleted: true,
  };
});

const endOfSubscription = vendor<object>('subscriptions.deleteDiscount', ({ act, path }) => {
  const id = path['id'] ?? path['subscriptionExposedId'] ?? path['subscription'] ?? '';
  const held: Subscription = need(act, 'subscription', id, { param: 'subscription', inPath: true });
  const [discount, ...rest] = held.discounts;
  if (discount === undefined) {
    throw invalid(`No active discount for subscription: ${held.id}`, { code: 'resource_missing' });
  }
  closeDiscount(act, discount);
  save(act, 'subscription', { ...held, discounts: rest });
  return {
    ...viewOf(act, 'discount', need(act, 'discount', discount, { param: 'discount' })),
    deleted: true,
  };
});

/** The SDK has no name for these; the API answers them. */
export const discountOperations = [
  endOfCustomer,
  endOfSubscription,
  operation('discounts.retrieve', 'GET /v1/customers/{customer}/discount', {}, ({ act, path }) => {
    const customer = need(act, 'customer', path['customer'] ?? '', { param: 'customer', inPath: true });
    if (customer.discount == null)
      throw missing('discount', customer.id, { param: 'customer', inPath: true });
    return customer.discount;
  }),
];
