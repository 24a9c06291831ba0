// Whether a coupon can still be redeemed: its object shows it, and redeeming asks it.
import type { Coupon } from './records.ts';

/** `at` in seconds. */
export function isValid(coupon: Coupon, at: number): boolean {
  return (
    coupon.$gone !== true &&
    (coupon.redeem_by === null || coupon.redeem_by > at) &&
    (coupon.max_redemptions === null || coupon.times_redeemed < coupon.max_redemptions)
  );
}
