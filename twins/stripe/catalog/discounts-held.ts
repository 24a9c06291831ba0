// Which of the discounts that an object holds are still in force.

import { type Act, find } from '../api/act.ts';
import type { Discount } from './records.ts';

export function inForce(act: Act, ids: readonly string[]): readonly Discount[] {
  return ids
    .map(id => find(act, 'discount', id))
    .filter((held): held is Discount => held !== undefined && (held.end === null || held.end > act.at));
}
