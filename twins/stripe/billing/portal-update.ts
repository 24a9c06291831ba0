// A change of plan or quantity that a customer asks for in the billing portal, done as its configuration says: at once or at the
// end of the period, in a trial or after it.
import { type Act, find, need } from '../api/act.ts';
import { amountOf } from '../catalog/price-draft.ts';
import type { Price } from '../catalog/records.ts';
import { applyChanges } from '../subscriptions/change.ts';
import { itemsOf } from '../subscriptions/clock.ts';
import { changedItem } from '../subscriptions/items.ts';
import type { Subscription, SubscriptionItem } from '../subscriptions/records.ts';
import { scheduleNext } from '../subscriptions/schedules.ts';
import { endTrialNow } from '../subscriptions/trial.ts';
import type { PortalConfiguration, PortalSession } from './records.ts';

type Features = PortalConfiguration['features'];
type May = Features['subscription_update'];
type Changed = { readonly before: SubscriptionItem; readonly after: SubscriptionItem };

/** The other prices that a subscription of one item may be switched to. */
export function choicesOf(
  act: Act,
  { subscription_update: may }: Features,
  held: Subscription,
): readonly Price[] {
  const items = itemsOf(act, held.id);
  if (!may.enabled || !may.default_allowed_updates.includes('price') || items.length !== 1) return [];
  return (may.products ?? [])
    .flatMap(({ prices }: { readonly prices: readonly string[] }) => prices)
    .filter((id: string) => id !== items[0]?.price)
    .map((id: string) => find(act, 'price', id))
    .filter((price: Price | undefined): price is Price => price?.active === true);
}

export function switchPlan(act: Act, features: Features, held: Subscription, id: string): true | null {
  const price = choicesOf(act, features, held).find(choice => choice.id === id);
  const [item] = itemsOf(act, held.id);
  if (price === undefined || item === undefined) return null;
  return change(act, features.subscription_update, held, [
    { before: item, after: changedItem(act, item, price, {}) },
  ]);
}

/** The change that the session was opened to have confirmed. */
export function confirmUpdate(
  act: Act,
  { flow }: PortalSession,
  { subscription_update: may }: Features,
  held: Subscription,
): true | null {
  const asked = flow?.subscription_update_confirm;
  if (asked == null || asked.subscription !== held.id) return null;
  const items = itemsOf(act, held.id);
  const changes = (asked.items ?? []).flatMap(
    (given: { readonly id: string | null; readonly price?: string | null; readonly quantity?: number }) => {
      const before = items.find(({ id }) => id === given.id);
      if (before === undefined) return [];
      const price =
        typeof given.price === 'string' ? need(act, 'price', given.price, { param: 'price' }) : null;
      const quantity = given.quantity === undefined ? {} : { quantity: given.quantity };
      return [{ before, after: changedItem(act, before, price, quantity) }];
    },
  );
  return change(act, may, held, changes);
}

/** Null for a subscription whose schedule says already what becomes of it. */
function change(act: Act, may: May, held: Subscription, changes: readonly Changed[]): true | null {
  if (held.schedule !== null) return null;
  if (held.status !== 'trialing' && waits(act, may, changes)) {
    const touched = new Map(changes.map(({ before, after }) => [before.id, after]));
    scheduleNext(
      act,
      held,
      itemsOf(act, held.id).map(item => touched.get(item.id) ?? item),
    );
    return true;
  }
  applyChanges(act, held, {
    changes,
    how: { proration_behavior: may.proration_behavior as 'none' },
    prices: [],
    resetAnchor: held.status !== 'trialing' && may.billing_cycle_anchor === 'now',
  });
  if (held.status === 'trialing' && may.trial_update_behavior === 'end_trial')
    endTrialNow(act, need(act, 'subscription', held.id, { param: 'subscription' }));
  return true;
}

/** Whether any condition of the configuration leaves the change to the end of the period. */
function waits(act: Act, may: May, changes: readonly Changed[]): boolean {
  const conditions: readonly { readonly type: string }[] = may.schedule_at_period_end.conditions;
  const price = (item: SubscriptionItem): Price => need(act, 'price', item.price, { param: 'price' });
  const amount = (item: SubscriptionItem): number => amountOf(price(item), item.quantity ?? 1);
  return conditions.some(({ type }) =>
    changes.some(({ before, after }) =>
      type === 'shortening_interval'
        ? daysOf(price(after)) < daysOf(price(before))
        : type === 'decreasing_item_amount' && amount(after) < amount(before),
    ),
  );
}

const DAYS: { readonly [interval: string]: number } = { day: 1, week: 7, month: 30, year: 365 };

/** About how many, to compare. */
function daysOf({ recurring }: Price): number {
  return (DAYS[recurring?.interval ?? 'month'] ?? 0) * (recurring?.interval_count ?? 1);
}
