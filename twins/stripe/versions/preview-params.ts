// What the upcoming invoice took, as a preview takes it.
import type { FormMap } from '../../kit/form.ts';
import { each, move } from './form.ts';

const DETAILS = 'subscription_details';

/** What it said of a subscription stood beside the rest: `subscription_items`, `subscription_trial_end`. */
export function previewParams(form: FormMap): void {
  move(form, 'coupon', 'discounts[0][coupon]');
  for (const name of [...form.keys()]) {
    if (!name.startsWith('subscription_') || name === DETAILS) continue;
    move(form, name, `${DETAILS}[${name.slice('subscription_'.length)}]`);
  }
  for (const item of each(form, `${DETAILS}[items]`)) move(item, 'plan', 'price');
}
