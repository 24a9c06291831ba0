// What a subscription schedule does as its time comes: it starts its subscription, changes it at each phase, and
// ends as it was asked to.

import { schedule as setWait } from '../../kit/due.ts';
import { type Act, find, save } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { viewOf } from '../api/view.ts';
import { closeDiscount, isRedeemable, openDiscounts } from '../catalog/discounts.ts';
import type { Price } from '../catalog/records.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { type Added, checkAdded, openAdded } from './added-items.ts';
import { applyChanges } from './change.ts';
import { itemsOf, reschedule } from './clock.ts';
import { makeSubscription, type NewSubscription } from './create.ts';
import { cancelNow } from './end.ts';
import { changedItem, newItem } from './items.ts';
import type { Phase, Schedule, Subscription } from './records.ts';

/** `subscription_schedule.expiring`: a week ahead by the documentation, nine days by the vendor's own trigger. Seconds. */
const EXPIRING_SECONDS = 9 * 86_400;

type PhaseItem = Phase['items'][number];

/** What a schedule waits for, as the event that then falls due. */
const WAITS = ['schedule.start', 'schedule.phase', 'schedule.expiring'] as const;

export type ScheduleWait = (typeof WAITS)[number];

/** What it was to bill may be gone by the time it starts; then nothing starts. */
export function startOrAbort(act: Act, schedule: Schedule): void {
  try {
    start(act, schedule);
  } catch (thrown) {
    if (!(thrown instanceof StripeRefusal) || act.wrote) throw thrown;
    const aborted: Schedule = { ...schedule, canceled_at: act.at, status: 'canceled' };
    update(act, 'subscription_schedule', schedule, aborted, 'subscription_schedule.aborted');
  }
}

/** What a phase says of its subscription, over the schedule's settings. */
function wordsOf({ default_settings: settings }: Schedule, phase: Phase) {
  const asked = phase.collection_method ?? settings.collection_method;
  const collection: 'charge_automatically' | 'send_invoice' =
    asked === 'send_invoice' ? 'send_invoice' : 'charge_automatically';
  const days = phase.invoice_settings?.days_until_due ?? settings.invoice_settings.days_until_due ?? 30;
  return {
    automatic_tax: phase.automatic_tax ?? settings.automatic_tax,
    collection_method: collection,
    days_until_due: collection === 'send_invoice' ? days : null,
    default_payment_method: phase.default_payment_method ?? settings.default_payment_method,
    description: phase.description ?? settings.description,
  };
}

type Asked = {
  readonly coupon: string | null;
  readonly discount: string | null;
  readonly promotion_code: string | null;
};

type Ask = { coupon?: string; discount?: string; promotion_code?: string };

/** Discounts as a phase keeps them, as calls ask for them; less those that can be redeemed no more. */
function asksOf(act: Act, discounts: unknown): readonly Ask[] {
  return (discounts as readonly Asked[])
    .map(({ coupon, discount, promotion_code }) => ({
      ...(coupon === null ? {} : { coupon }),
      ...(discount === null ? {} : { discount }),
      ...(promotion_code === null ? {} : { promotion_code }),
    }))
    .filter(ask => isRedeemable(act, ask));
}

const idsOf = (rates: readonly { readonly id: string }[] | null | undefined): string[] =>
  (rates ?? []).map(({ id }) => id);

function addedOf(act: Act, phase: Phase): readonly Added[] {
  return checkAdded(
    act,
    phase.add_invoice_items.map((item: Phase['add_invoice_items'][number]) => ({
      discountable: item.discountable ?? true,
      discounts: asksOf(act, item.discounts),
      metadata: item.metadata ?? {},
      price: String(item.price),
      quantity: item.quantity ?? 1,
      tax_rates: idsOf(item.tax_rates),
    })),
  );
}

/** Makes the subscription of the first phase. */
export function start(act: Act, schedule: Schedule): Schedule {
  const [phase] = schedule.phases;
  if (phase === undefined) return schedule;
  act.tx.kind('customer.subscription.created');
  const words = wordsOf(schedule, phase);
  const params: NewSubscription = {
    add_invoice_items: addedOf(act, phase).map(({ given }) => given),
    automatic_tax: { enabled: words.automatic_tax?.enabled === true },
    collection_method: words.collection_method,
    customer: schedule.customer,
    default_tax_rates: idsOf(phase.default_tax_rates),
    description: words.description,
    discounts: asksOf(act, phase.discounts),
    items: phase.items.map((item: PhaseItem) => ({
      discounts: asksOf(act, item.discounts),
      metadata: item.metadata ?? {},
      price: item.price,
      ...(item.quantity === undefined ? {} : { quantity: item.quantity }),
      tax_rates: idsOf(item.tax_rates),
    })),
    metadata: phase.metadata ?? {},
    ...(phase.trial_end === null ? {} : { trial_end: phase.trial_end }),
    ...(words.days_until_due === null ? {} : { days_until_due: words.days_until_due }),
    ...(words.default_payment_method === null
      ? {}
      : { default_payment_method: words.default_payment_method }),
  };
  const made = makeSubscription(act, params, { drafts: true, schedule: schedule.id });
  const begun: Schedule = {
    ...schedule,
    current_phase: { start_date: phase.start_date, end_date: phase.end_date },
    status: 'active',
    subscription: made.id,
  };
  save(act, 'subscription_schedule', begun);
  setWaits(act, begun);
  return begun;
}

/** What an active schedule waits for; one function sets all of it from the schedule as it stands. */
export function setWaits(act: Act, schedule: Schedule): void {
  const last = schedule.phases.at(-1);
  const due = new Map<ScheduleWait, number>();
  if (schedule.status === 'not_started' && schedule.phases[0] !== undefined)
    due.set('schedule.start', schedule.phases[0].start_date);
  if (schedule.status === 'active' && schedule.current_phase !== null) {
    due.set('schedule.phase', schedule.current_phase.end_date);
    const notice = (last?.end_date ?? 0) - EXPIRING_SECONDS;
    if (notice > act.at) due.set('schedule.expiring', notice);
  }
  for (const wait of WAITS) {
    const at = due.get(wait);
    const key = `${wait.replace('.', '-')}:${schedule.id}`;
    if (at === undefined) act.tx.cancel(key);
    else setWait<Due>(act.tx, key, at * 1000, { kind: wait, schedule: schedule.id });
  }
}

/** A schedule that is made for less than that is told of as expiring at once. */
export function tellIfExpiring(act: Act, schedule: Schedule): void {
  const end = schedule.phases.at(-1)?.end_date ?? 0;
  if (schedule.status !== 'active' || end - EXPIRING_SECONDS > act.at) return;
  tell(act, 'subscription_schedule.expiring', 'subscription_schedule', schedule);
}

/** A phase that ends as its subscription renews is over first, so that the renewal bills the next one. */
export function phaseBeforeRenewal(act: Act, subscription: Subscription): void {
  const schedule = find(act, 'subscription_schedule', subscription.schedule ?? '');
  const end = schedule?.current_phase?.end_date;
  if (schedule?.status === 'active' && end !== undefined && end <= act.at) nextPhase(act, schedule);
}

export function nextPhase(act: Act, schedule: Schedule): void {
  const subscription = find(act, 'subscription', schedule.subscription ?? '');
  if (subscription === undefined || subscription.ended_at !== null) return;
  const next = schedule.phases.find(
    (phase: Phase) => phase.start_date >= (schedule.current_phase?.end_date ?? 0),
  );
  if (next === undefined) return finish(act, schedule, subscription);
  applyPhase(act, subscription, schedule, next);
  const moved: Schedule = {
    ...schedule,
    current_phase: { start_date: next.start_date, end_date: next.end_date },
  };
  update(act, 'subscription_schedule', schedule, moved, 'subscription_schedule.updated');
  setWaits(act, moved);
}

function finish(act: Act, schedule: Schedule, subscription: Subscription): void {
  const done: Schedule = { ...schedule, completed_at: act.at, current_phase: null, status: 'completed' };
  save(act, 'subscription_schedule', done);
  setWaits(act, done);
  tell(act, 'subscription_schedule.completed', 'subscription_schedule', done);
  if (schedule.end_behavior === 'release') release(act, done, 'subscription_schedule.released');
  if (schedule.end_behavior === 'cancel') cancelNow(act, subscription, 'cancellation_requested');
}

/** The subscription goes on without its schedule. */
export function release(
  act: Act,
  schedule: Schedule,
  type: string,
  { keepsEnd = false }: { readonly keepsEnd?: boolean } = {},
): Schedule {
  const subscription = find(act, 'subscription', schedule.subscription ?? '');
  const free: Schedule = {
    ...schedule,
    current_phase: null,
    released_at: act.at,
    released_subscription: schedule.subscription,
    status: 'released',
    subscription: null,
  };
  save(act, 'subscription_schedule', free);
  setWaits(act, free);
  if (subscription !== undefined && subscription.schedule === schedule.id) {
    const ends =
      keepsEnd && schedule.end_behavior === 'cancel' ? schedule.phases.at(-1)?.end_date : undefined;
    const after = { ...subscription, schedule: null, ...(ends === undefined ? {} : { cancel_at: ends }) };
    update(act, 'subscription', subscription, after, 'customer.subscription.updated');
    if (ends !== undefined) reschedule(act, after);
  }
  tell(act, type, 'subscription_schedule', free, viewOf(act, 'subscription_schedule', schedule));
  return free;
}

/** Brings a subscription and its items to what a phase says. */
export function applyPhase(
  act: Act,
  subscription: Subscription,
  schedule: Schedule,
  phase: Phase,
  behaviour: Phase['proration_behavior'] = phase.proration_behavior,
): void {
  const held = itemsOf(act, subscription.id);
  const period = held[0];
  const kept = new Set<string>();
  const changes = phase.items.map((given: PhaseItem, at: number) => {
    const before =
      held.find(item => item.price === given.price && !kept.has(item.id)) ??
      held.find((item, index) => index === at && !kept.has(item.id)) ??
      null;
    const price = find(act, 'price', given.price) as Price;
    const asked = {
      ...(given.quantity === undefined ? {} : { quantity: given.quantity }),
      tax_rates: idsOf(given.tax_rates),
    };
    if (before === null) {
      const span = {
        start: period?.current_period_start ?? act.at,
        end: period?.current_period_end ?? act.at,
      };
      return { before, after: newItem(act, subscription.id, price, asked, span) };
    }
    kept.add(before.id);
    return { before, after: changedItem(act, before, price, asked) };
  });
  const gone = held.filter(item => !kept.has(item.id)).map(before => ({ before, after: null }));
  openAdded(act, addedOf(act, phase), {
    customer: subscription.customer,
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  });
  applyChanges(act, subscription, {
    changes: [...changes, ...gone],
    how: { proration_behavior: behaviour as 'none' },
    next: turned(act, subscription, schedule, phase),
    prices: [],
    resetAnchor: phase.billing_cycle_anchor === 'phase_start',
  });
}

/** The subscription's own fields in a phase. What a phase does not say stays. */
function turned(act: Act, held: Subscription, schedule: Schedule, phase: Phase): Subscription {
  const words = wordsOf(schedule, phase);
  const asks = asksOf(act, phase.discounts);
  for (const id of held.discounts) if (!asks.some(({ discount }) => discount === id)) closeDiscount(act, id);
  const trial = phase.trial_end !== null && phase.trial_end > act.at ? phase.trial_end : null;
  if (trial !== null) {
    for (const item of itemsOf(act, held.id))
      save(act, 'subscription_item', { ...item, current_period_end: trial });
  }
  return {
    ...held,
    ...(words.automatic_tax === undefined ? {} : { automatic_tax: words.automatic_tax }),
    collection_method: words.collection_method,
    days_until_due: words.days_until_due,
    default_payment_method: words.default_payment_method ?? held.default_payment_method,
    ...(phase.default_tax_rates?.length ? { default_tax_rates: phase.default_tax_rates } : {}),
    description: words.description ?? held.description,
    discounts: openDiscounts(act, asks, { customer: held.customer, subscription: held.id }),
    metadata: { ...held.metadata, ...phase.metadata },
    ...(trial === null
      ? {}
      : {
          billing_cycle_anchor: trial,
          status: 'trialing',
          trial_end: trial,
          trial_start: held.trial_start ?? act.at,
        }),
  };
}
