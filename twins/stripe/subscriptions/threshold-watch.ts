// Billing thresholds wait for use: what was used is looked at once, at the end of its minute, however much came in it.
import { schedule } from '../../kit/due.ts';
import { type Act, all } from '../api/act.ts';
import type { Due } from '../due.ts';
import type { Subscription } from './records.ts';

const LOOK_SECONDS = 60;

/** After a customer used something: has their subscriptions looked at that have a threshold. */
export function watchThresholds(act: Act, customer: string): void {
  for (const held of all(act, 'subscription', { customer }, isWatched)) watchThreshold(act, held.id);
}

const isWatched = (held: Subscription): boolean => held.ended_at === null && held.$watched === true;

/** The same minute ends at the same instant: more use does not put it off. */
export function watchThreshold(act: Act, subscription: string): void {
  const at = (Math.floor(act.at / LOOK_SECONDS) + 1) * LOOK_SECONDS;
  schedule<Due>(act.tx, `threshold:${subscription}`, at * 1000, {
    kind: 'subscription.threshold',
    subscription,
  });
}
