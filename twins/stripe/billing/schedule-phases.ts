// What a subscription schedule does as its time comes: it starts its subscription, changes it at each phase, and
// ends as it was asked to.
import { tell, update } from '../events.ts';
import { boundary } from '../periods.ts';
import { type Act, find, save } from '../records.ts';
import { applyChanges } from '../subscription-change.ts';
import { itemsOf } from '../subscription-clock.ts';
import { makeSubscription, type NewSubscription } from '../subscription-create.ts';
import { cancelNow } from '../subscription-end.ts';
import { changedItem, newItem } from '../subscription-items.ts';
import { viewOf } from '../views.ts';
import type { Price, Subscription } from '../wire.ts';
import type { Phase, Schedule } from './records.ts';

/** `subscription_schedule.expiring` comes a week ahead. Seconds. */
const EXPIRING_SECONDS = 7 * 86_400;

type PhaseItem = Phase['items'][number];

/** A due event of a schedule. */
export function scheduleDue(act: Act, id: string, what: string): void {
  const schedule = find(act, 'subscription_schedule', id);
  if (schedule === undefined) return;
  if (what === 'start' && schedule.status === 'not_started') start(act, schedule);
  if (what === 'phase' && schedule.status === 'active') nextPhase(act, schedule);
  if (what === 'expiring' && schedule.status === 'active') {
    tell(act, 'subscription_schedule.expiring', 'subscription_schedule', schedule);
  }
}

/** Makes the subscription of the first phase. */
export function start(act: Act, schedule: Schedule): Schedule {
  const [phase] = schedule.phases;
  if (phase === undefined) return schedule;
  act.tx.kind('customer.subscription.created');
  const settings = schedule.default_settings;
  const params: NewSubscription = {
    customer: schedule.customer,
    items: phase.items.map((item: PhaseItem) => ({
      price: item.price,
      ...(item.quantity === undefined ? {} : { quantity: item.quantity }),
    })),
    metadata: phase.metadata ?? {},
    ...(phase.trial_end === null ? {} : { trial_end: phase.trial_end }),
    ...((phase.collection_method ?? settings.collection_method) === 'send_invoice'
      ? {
          collection_method: 'send_invoice' as const,
          days_until_due:
            phase.invoice_settings?.days_until_due ?? settings.invoice_settings.days_until_due ?? 30,
        }
      : {}),
    ...(settings.default_payment_method === null
      ? {}
      : { default_payment_method: settings.default_payment_method }),
  };
  const made = makeSubscription(act, params, { drafts: true });
  save(act, 'subscription', { ...made, schedule: schedule.id });
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
  const due = new Map<string, number>();
  if (schedule.status === 'not_started' && schedule.phases[0] !== undefined)
    due.set('start', schedule.phases[0].start_date);
  if (schedule.status === 'active' && schedule.current_phase !== null) {
    due.set('phase', schedule.current_phase.end_date);
    const notice = (last?.end_date ?? 0) - EXPIRING_SECONDS;
    if (notice > act.at) due.set('expiring', notice);
  }
  for (const what of ['start', 'phase', 'expiring']) {
    const at = due.get(what);
    const key = `schedule-${what}:${schedule.id}`;
    if (at === undefined) act.tx.cancel(key);
    else act.tx.schedule(key, at * 1000, { do: what, schedule: schedule.id });
  }
}

/** A schedule that is made for less than a week is told of as expiring at once. */
export function tellIfExpiring(act: Act, schedule: Schedule): void {
  const end = schedule.phases.at(-1)?.end_date ?? 0;
  if (schedule.status !== 'active' || end - EXPIRING_SECONDS > act.at) return;
  tell(act, 'subscription_schedule.expiring', 'subscription_schedule', schedule);
}

function nextPhase(act: Act, schedule: Schedule): void {
  const subscription = find(act, 'subscription', schedule.subscription ?? '');
  if (subscription === undefined || subscription.ended_at !== null) return;
  const next = schedule.phases.find(
    (phase: Phase) => phase.start_date >= (schedule.current_phase?.end_date ?? 0),
  );
  if (next === undefined) return finish(act, schedule, subscription);
  applyPhase(act, subscription, next);
  const moved: Schedule = {
    ...schedule,
    current_phase: { start_date: next.start_date, end_date: next.end_date },
  };
  update(act, 'subscription_schedule', schedule, moved, 'subscription_schedule.updated');
  setWaits(act, moved);
}

function finish(act: Act, schedule: Schedule, subscription: Subscription): void {
  if (schedule.end_behavior === 'release') {
    release(act, schedule, 'subscription_schedule.released');
    return;
  }
  const done: Schedule = { ...schedule, completed_at: act.at, current_phase: null, status: 'completed' };
  save(act, 'subscription_schedule', done);
  setWaits(act, done);
  tell(act, 'subscription_schedule.completed', 'subscription_schedule', done);
  if (schedule.end_behavior === 'cancel') cancelNow(act, subscription, 'cancellation_requested');
}

/** The subscription goes on without its schedule. */
export function release(act: Act, schedule: Schedule, type: string): Schedule {
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
    save(act, 'subscription', { ...subscription, schedule: null });
  }
  tell(act, type, 'subscription_schedule', free, viewOf(act.tx, 'subscription_schedule', schedule));
  return free;
}

/** Brings a subscription's items to what a phase says. */
export function applyPhase(act: Act, subscription: Subscription, phase: Phase): void {
  const held = itemsOf(act, subscription.id);
  const period = held[0];
  const kept = new Set<string>();
  const changes = phase.items.map((given: PhaseItem, at: number) => {
    const before =
      held.find(item => item.price === given.price && !kept.has(item.id)) ??
      held.find((item, index) => index === at && !kept.has(item.id)) ??
      null;
    const price = find(act, 'price', given.price) as Price;
    const asked = given.quantity === undefined ? {} : { quantity: given.quantity };
    if (before === null) {
      const span = {
        start: period?.current_period_start ?? act.at,
        end: period?.current_period_end ?? act.at,
      };
      return { before, after: newItem(act, subscription.id, price, asked, span) };
    }
    kept.add(before.id);
    return { before, after: changedItem(before, price, asked) };
  });
  const gone = held.filter(item => !kept.has(item.id)).map(before => ({ before, after: null }));
  applyChanges(act, subscription, {
    changes: [...changes, ...gone],
    how: { proration_behavior: phase.proration_behavior as 'none' },
    prices: [],
  });
}

type Lasting = {
  readonly end_date?: number | undefined;
  readonly duration?: { readonly interval: string; readonly interval_count?: number | undefined } | undefined;
  readonly iterations?: number | undefined;
};

/** When a phase that starts then is over: as it says, or after one interval of its price. */
export function endOf(given: Lasting, price: Price, from: number): number {
  if (given.end_date !== undefined) return given.end_date;
  if (given.duration !== undefined) {
    const { interval, interval_count = 1 } = given.duration;
    return boundary(from, { interval, interval_count }, 1);
  }
  const every = price.recurring ?? { interval: 'month', interval_count: 1 };
  return boundary(from, every, given.iterations ?? 1);
}
