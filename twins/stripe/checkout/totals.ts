// What the lines of a checkout come to: less a discount, with taxes, and with shipping.

import type { Act } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { couponOf } from '../catalog/discounts.ts';
import type { Coupon, TaxRate } from '../catalog/records.ts';
import { type Line, subtotalOf } from './items.ts';
import type { Session } from './records.ts';

export type LineSum = {
  readonly amount_subtotal: number;
  readonly amount_discount: number;
  readonly amount_tax: number;
  readonly amount_total: number;
};

/** At most one discount is on a session. */
export type Redeemed = { readonly coupon: Coupon; readonly promotion: string | null };

type Ask = { readonly [field: string]: unknown };

/** The coupon that a session was asked to have. Throws for one that cannot be redeemed. */
export function redeemed(act: Act, asks: readonly Ask[] | undefined): Redeemed | null {
  if (asks === undefined || asks.length === 0) return null;
  if (asks.length > 1) throw invalid('You can apply at most one discount.', { param: 'discounts' });
  const { coupon, promotion_code } = asks[0] as { coupon?: string; promotion_code?: string };
  return couponOf(act, { coupon, promotion_code }, 'discounts[0]');
}

export function sumsOf(lines: readonly Line[], discount: Redeemed | null): readonly LineSum[] {
  const subtotals = lines.map(subtotalOf);
  const off = lines.map(() => 0);
  const coupon = discount?.coupon ?? null;
  if (coupon !== null) {
    const only = coupon.applies_to?.products ?? [];
    const at = lines.flatMap(({ price }, index) =>
      only.length === 0 || only.includes(String(price.product)) ? [index] : [],
    );
    let rest = Math.min(
      coupon.amount_off ?? 0,
      at.reduce((sum, index) => sum + (subtotals[index] ?? 0), 0),
    );
    for (const index of at) {
      const subtotal = subtotals[index] ?? 0;
      const less =
        coupon.percent_off === null
          ? Math.min(rest, subtotal)
          : Math.round((subtotal * coupon.percent_off) / 100);
      off[index] = less;
      rest -= less;
    }
  }
  return lines.map(({ taxRates }, index) => {
    const amount_subtotal = subtotals[index] ?? 0;
    const amount_discount = off[index] ?? 0;
    const left = amount_subtotal - amount_discount;
    const { inside, outside } = taxesOn(left, taxRates);
    return {
      amount_subtotal,
      amount_discount,
      amount_tax: inside + outside,
      amount_total: left + outside,
    };
  });
}

function taxesOn(amount: number, rates: readonly TaxRate[]): { inside: number; outside: number } {
  const included = rates.filter(({ inclusive }) => inclusive);
  const net = amount / (1 + included.reduce((sum, { percentage }) => sum + percentage, 0) / 100);
  const of = (held: readonly TaxRate[]): number =>
    held.reduce((sum, { percentage }) => sum + Math.round((net * percentage) / 100), 0);
  return { inside: of(included), outside: of(rates.filter(({ inclusive }) => !inclusive)) };
}

/** The amounts of a session, from those of its lines. */
export function withTotals(
  session: Session,
  sums: readonly LineSum[],
  shipping: number | null,
): Pick<Session, 'amount_subtotal' | 'amount_total' | 'total_details'> {
  if (session.mode === 'setup') return { amount_subtotal: null, amount_total: null, total_details: null };
  const of = (field: keyof LineSum): number => sums.reduce((sum, line) => sum + line[field], 0);
  return {
    amount_subtotal: of('amount_subtotal'),
    amount_total: of('amount_total') + (shipping ?? 0),
    total_details: {
      amount_discount: of('amount_discount'),
      amount_shipping: shipping ?? 0,
      amount_tax: of('amount_tax'),
    },
  };
}
