// Discounts: a coupon at work, on a customer, a subscription, an invoice or one of their items.
import { invalid, missing } from '../errors.ts';
import { tell } from '../events.ts';
import { operation } from '../operation.ts';
import { boundary } from '../periods.ts';
import { type Act, find, need, save } from '../records.ts';
import { vendor, whole } from '../vendor.ts';
import { viewOf } from '../views.ts';
import type { Customer, Subscription } from '../wire.ts';
import { isValid } from './coupon-validity.ts';
import type { Coupon, Discount } from './records.ts';

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
};

type Redeemed = { readonly coupon: Coupon; readonly promotion: string | null };

/** The coupon that a parameter names. Throws `StripeRefusal` where it cannot be redeemed. */
function couponOf(act: Act, ask: DiscountAsk, param: string): Redeemed {
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
    return { coupon, promotion: code.id };
  }
  const coupon = find(act, 'coupon', ask.coupon ?? '');
  if (coupon === undefined || coupon.$gone === true) {
    throw missing('coupon', ask.coupon ?? '', { param: `${param}[coupon]` });
  }
  if (!isValid(coupon, act.at)) {
    throw invalid(`Coupon expired: ${coupon.id}`, { code: 'coupon_expired', param: `${param}[coupon]` });
  }
  return { coupon, promotion: null };
}

/** Refuses what cannot be redeemed, before anything is written. */
export function checkDiscounts(
  act: Act,
  asks: readonly DiscountAsk[] | null | undefined,
  param: string,
): void {
  for (const [at, ask] of (asks ?? []).entries()) {
    if (ask.discount !== undefined)
      need(act, 'discount', ask.discount, { param: `${param}[${at}][discount]` });
    else couponOf(act, ask, `${param}[${at}]`);
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

export function openDiscount(act: Act, ask: DiscountAsk, of: DiscountOf): Discount {
  const { coupon, promotion } = couponOf(act, ask, 'discounts');
  const months = coupon.duration === 'repeating' ? (coupon.duration_in_months ?? 0) : 0;
  const discount = whole<Discount>('discount', {
    id: act.tx.id('di_', 24),
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
  save(act, 'coupon', { ...coupon, times_redeemed: coupon.times_redeemed + 1 });
  const code = promotion === null ? undefined : find(act, 'promotion_code', promotion);
  if (code !== undefined) save(act, 'promotion_code', { ...code, times_redeemed: code.times_redeemed + 1 });
  save(act, 'discount', discount);
  // Stripe tells of what is on a customer or one of its subscriptions.
  if (of.invoice === undefined && of.invoice_item === undefined) {
    tell(act, 'customer.discount.created', 'discount', discount);
  }
  return discount;
}

export function closeDiscount(act: Act, id: string): void {
  const discount = find(act, 'discount', id);
  if (discount === undefined) return;
  tell(act, 'customer.discount.deleted', 'discount', discount);
  save(act, 'discount', { ...discount, end: act.at });
}

/** The customer's own discount, as the object shows it. */
export function customerDiscount(act: Act, customer: Customer, ask: DiscountAsk | null): Customer {
  const old = customer.discount?.id;
  if (old !== undefined) closeDiscount(act, old);
  if (ask === null) return { ...customer, discount: null };
  const made = openDiscount(act, ask, { customer: customer.id });
  const shown = viewOf(act.tx, 'discount', made) as unknown as NonNullable<Customer['discount']>;
  return { ...customer, discount: shown };
}

/** Checks a coupon before a customer is written. */
export function checkCoupon(act: Act, ask: DiscountAsk): void {
  couponOf(act, ask, 'coupon');
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
    ...viewOf(act.tx, 'discount', need(act, 'discount', discount.id, { param: 'discount' })),
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
    ...viewOf(act.tx, 'discount', need(act, 'discount', discount, { param: 'discount' })),
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
    return customer.discount as never;
  }),
];
