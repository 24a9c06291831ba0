// What is told of a price. A recurring one is a plan too, so that programs written for plans hear of it: first the plan, then
// the price, as Stripe tells it.
import { type Act, save } from '../api/act.ts';
import { tell, tellView, update } from '../events/events.ts';
import { same } from '../events/previous-attributes.ts';
import { planView } from './plan-view.ts';
import type { Price } from './records.ts';

/** Saves a new price and tells of it. */
export function addPrice(act: Act, price: Price): void {
  save(act, 'price', price);
  if (price.type === 'recurring') tellView(act, 'plan.created', planView(price));
  tell(act, 'price.created', 'price', price);
}

/** Saves a change and tells of what changed: of the plan only what a plan shows. Returns the price. */
export function changePrice(act: Act, before: Price, after: Price): Price {
  if (before.type === 'recurring') {
    const [was, is] = [planView(before), planView(after)];
    if (!same(was, is)) tellView(act, 'plan.updated', is, was);
  }
  return update(act, 'price', before, after, 'price.updated');
}

/** Tells that a price is gone; to keep or to remove it is the caller's. */
export function tellPriceDeleted(act: Act, price: Price): void {
  if (price.type === 'recurring') tellView(act, 'plan.deleted', planView(price));
  tell(act, 'price.deleted', 'price', price);
}
