// The setup intent of a subscription that asks for no money yet: with it the payer leaves a method for later.

import type { Reader } from '../api/views.ts';
import type { Subscription } from '../api/wire.ts';
import { tell } from '../events/events.ts';
import { newSetup } from '../payments/setup.ts';
import { type Act, save } from '../records.ts';

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

/** The subscription with what came of its setup: once it is through it waits no more, and its method is there. */
export function withSetup(reader: Reader, held: Subscription): Subscription {
  if (held.pending_setup_intent === null) return held;
  const setup = reader.get('setup_intent', held.pending_setup_intent);
  const status = setup?.['status'];
  if (status !== 'succeeded' && status !== 'canceled') return held;
  const method = status === 'succeeded' ? (setup?.['payment_method'] as string | null) : null;
  return {
    ...held,
    default_payment_method: held.default_payment_method ?? method,
    pending_setup_intent: null,
  };
}
