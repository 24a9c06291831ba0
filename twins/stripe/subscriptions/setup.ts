// The setup intent of a subscription that asks for no money yet: with it the payer leaves a method for later.

import { type Act, save } from '../api/act.ts';
import { tell } from '../events/events.ts';
import { newSetup } from '../payments/setup.ts';
import type { Subscription } from './records.ts';

/** Makes one; answers its id. */
export function openSetup(act: Act, subscription: Subscription): string {
  const made = {
    ...newSetup(act),
    customer: subscription.customer,
    description: 'Subscription creation',
  };
  save(act, 'setup_intent', made);
  tell(act, 'setup_intent.created', 'setup_intent', made);
  return made.id;
}
