// Which of the discounts that an object holds are still in force.

import type { Discount } from '../billing/records.ts';
import { type Act, find } from '../records.ts';

export function inForce(act: Act, ids: readonly string[]): readonly Discount[] {
  return ids
    .map(id => find(act, 'discount', id))
    .filter((held): held is Discount => held !== undefined && (held.end === null || held.end > act.at));
}
