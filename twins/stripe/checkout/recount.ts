// A session counted anew, once its buyer (or its owner) has chosen how many, shipped how, and with which discount.

import { type Act, find, save } from '../api/act.ts';
import { itemsOf, linesToRecount } from './items.ts';
import type { Session } from './records.ts';
import { costOf } from './shipping.ts';
import { type Redeemed, sumsOf, withTotals } from './totals.ts';

export type Choices = {
  /** By the id of the line item. */
  readonly quantities?: ReadonlyMap<string, number>;
  /** By the id of the line item, where its buyer says what one costs. */
  readonly amounts?: ReadonlyMap<string, number>;
  readonly discount?: Redeemed;
  /** The id of a rate that the session offers. */
  readonly shipping?: string | undefined;
};

/** The session is not saved; its line items are, where they changed. */
export function withNewSums(act: Act, held: Session, choices: Choices): Session {
  const items = itemsOf(act.tx, held.id).map(item => {
    const chosen = choices.amounts?.get(item.id);
    const quantity = choices.quantities?.get(item.id) ?? item.quantity;
    return { ...item, quantity, ...(chosen === undefined ? {} : { $chosen: chosen }) };
  });
  const discount = choices.discount ?? discountOf(act, held);
  const sums = sumsOf(linesToRecount(act, items), discount);
  for (const [index, item] of items.entries()) save(act, 'item', { ...item, ...sums[index] });
  const options = held.shipping_options;
  const taken = options.find(
    ({ shipping_rate }: { shipping_rate: unknown }) => shipping_rate === choices.shipping,
  );
  const shipping_cost = taken === undefined ? held.shipping_cost : costOf(taken);
  const session: Session = {
    ...held,
    discounts:
      choices.discount === undefined
        ? held.discounts
        : [
            {
              coupon: choices.discount.promotion === null ? choices.discount.coupon.id : null,
              promotion_code: choices.discount.promotion,
            },
          ],
    shipping_cost,
  };
  return { ...session, ...withTotals(session, sums, shipping_cost?.amount_total ?? null) };
}

/** The discount that is on a session; it was checked when it came on it. */
export function discountOf(act: Act, held: Session): Redeemed | null {
  const [on] = held.discounts ?? [];
  if (on === undefined) return null;
  const promotion =
    typeof on.promotion_code === 'string' ? find(act, 'promotion_code', on.promotion_code) : undefined;
  const coupon = find(act, 'coupon', promotion?.$coupon ?? String(on.coupon));
  return coupon === undefined ? null : { coupon, promotion: promotion?.id ?? null };
}
