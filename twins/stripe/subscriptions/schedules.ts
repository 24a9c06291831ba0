// Subscription schedules: phases written down ahead, as callers make, change, cancel and release them.
import type { Stripe } from 'stripe';
import { type Act, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { inRange, page } from '../api/list.ts';
import { integer, list, type Shape } from '../api/params.ts';
import { declaredShape, vendor, whole } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import type { Customer } from '../customers/records.ts';
import { tell, update } from '../events/events.ts';
import { billNow } from './change.ts';
import { itemsOf, periodOf } from './clock.ts';
import { cancelNow } from './end.ts';
import { prorations, saveProrations } from './proration.ts';
import type { Phase, Schedule, Subscription, SubscriptionItem } from './records.ts';
import { type PhaseAsk, phaseOf, phasesOf, SCHEDULE_UNMODELLED, settingsOf } from './schedule-draft.ts';
import { applyPhase, release, setWaits, start, tellIfExpiring } from './schedule-phases.ts';

type CreateParams = Stripe.SubscriptionScheduleCreateParams;

/** Phases that are also counted in iterations, as older versions of the API did. */
function withIterations(name: string): Shape {
  const { phases } = declaredShape(name);
  if (phases?.kind !== 'list' || phases.of.kind !== 'hash') return {};
  return {
    phases: { ...list({ kind: 'hash', shape: { ...phases.of.shape, iterations: integer(1) } }) },
  };
}

const create = vendor<CreateParams>(
  'subscriptionSchedules.create',
  ({ act, params }) => {
    if (params.from_subscription !== undefined)
      return viewOf(act, 'subscription_schedule', fromSubscription(act, params.from_subscription));
    if (params.customer === undefined) {
      throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
    }
    const made = makeSchedule(act, {
      customer: need(act, 'customer', params.customer, { param: 'customer' }),
      begins: typeof params.start_date === 'number' ? params.start_date : act.at,
      phases: (params.phases ?? []) as unknown as readonly PhaseAsk[],
      settings: params.default_settings,
      endBehavior: params.end_behavior ?? 'release',
      metadata: mergeTags(null, params.metadata),
    });
    return viewOf(act, 'subscription_schedule', made);
  },
  withIterations('subscriptionSchedules.create'),
  SCHEDULE_UNMODELLED,
);

type NewSchedule = {
  readonly customer: Customer;
  /** Seconds. */
  readonly begins: number;
  readonly phases: readonly PhaseAsk[];
  readonly settings: Parameters<typeof settingsOf>[0];
  readonly endBehavior: string;
  readonly metadata: { [name: string]: string };
};

/** Makes a schedule, and its subscription where its time has come. */
export function makeSchedule(act: Act, asked: NewSchedule): Schedule {
  const { customer, begins } = asked;
  act.tx.kind('subscription_schedule.created');
  const phases = phasesOf(act, asked.phases, begins);
  const made = whole<Schedule>('subscription_schedule', {
    ...blank(act),
    customer: customer.id,
    default_settings: settingsOf(asked.settings),
    end_behavior: asked.endBehavior as Schedule['end_behavior'],
    metadata: asked.metadata,
    phases,
    status: 'not_started',
    test_clock: customer.test_clock ?? null,
  });
  save(act, 'subscription_schedule', made);
  const begun = begins <= act.at ? start(act, made) : made;
  setWaits(act, begun);
  tell(act, 'subscription_schedule.created', 'subscription_schedule', begun);
  tellIfExpiring(act, begun);
  return begun;
}

function blank(act: Act): Pick<Schedule, 'id' | 'billing_mode' | 'created' | 'pause_schedules'> {
  return {
    id: act.tx.recordId('sub_sched_', 24),
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: act.at },
    created: act.at,
    pause_schedules: [],
  };
}

/** One phase: the subscription as it is, to the end of its period. */
function fromSubscription(act: Act, id: string): Schedule {
  const held = need(act, 'subscription', id, { param: 'from_subscription' });
  if (held.schedule !== null) {
    throw invalid('You cannot migrate a subscription that is already attached to a schedule.', {
      param: 'from_subscription',
    });
  }
  const items = itemsOf(act, held.id);
  const { start: from, end: to } = periodOf(items);
  const prices = items.map(item => need(act, 'price', item.price, { param: 'price' }));
  const ask = {
    default_tax_rates: held.default_tax_rates?.map(({ id: rate }: { id: string }) => rate),
    discounts: held.discounts.map((discount: string) => ({ discount })),
    items: items.map(item => ({ price: item.price, quantity: item.quantity ?? 1 })),
    metadata: held.metadata,
    ...(held.trial_end === null || held.trial_end <= act.at ? {} : { trial_end: held.trial_end }),
  } as unknown as PhaseAsk;
  const made = whole<Schedule>('subscription_schedule', {
    ...blank(act),
    current_phase: { start_date: from, end_date: to },
    customer: held.customer,
    default_settings: settingsOf({
      collection_method: held.collection_method as 'charge_automatically' | 'send_invoice',
    }),
    end_behavior: 'release',
    metadata: {},
    phases: [phaseOf(act, ask, { prices, added: [], from, to })],
    status: 'active',
    subscription: held.id,
    test_clock: held.test_clock,
  });
  save(act, 'subscription_schedule', made);
  update(act, 'subscription', held, { ...held, schedule: made.id }, 'customer.subscription.updated');
  setWaits(act, made);
  tell(act, 'subscription_schedule.created', 'subscription_schedule', made);
  return made;
}

/** The items that a subscription has from the end of its period on; it is let go by its schedule then. */
export function scheduleNext(
  act: Act,
  held: Subscription,
  items: readonly Pick<SubscriptionItem, 'price' | 'quantity'>[],
): void {
  act.tx.kind('subscription_schedule.created');
  const made = fromSubscription(act, held.id);
  const { end_date: from } = made.phases[0]!;
  const asked = { items: items.map(({ price, quantity }) => ({ price, quantity: quantity ?? 1 })) };
  const next = { ...made, phases: [...made.phases, ...phasesOf(act, [asked as unknown as PhaseAsk], from)] };
  setWaits(act, update(act, 'subscription_schedule', made, next, 'subscription_schedule.updated'));
}

function needSchedule(act: Act, path: { readonly [name: string]: string }): Schedule {
  return need(act, 'subscription_schedule', path['id'] ?? '', { param: 'schedule', inPath: true });
}

/** Only what has not ended takes changes. */
function needRunning(act: Act, path: { readonly [name: string]: string }, verb: string): Schedule {
  const held = needSchedule(act, path);
  if (held.status === 'active' || held.status === 'not_started') return held;
  throw invalid(
    `You cannot ${verb} a subscription schedule that is currently in the \`${held.status}\` status. It must be in the \`not_started\` or \`active\` status.`,
  );
}

const retrieve = vendor<object>('subscriptionSchedules.retrieve', ({ act, path }) =>
  viewOf(act, 'subscription_schedule', needSchedule(act, path)),
);

const change = vendor<Stripe.SubscriptionScheduleUpdateParams>(
  'subscriptionSchedules.update',
  ({ act, path, params }) => {
    const held = needRunning(act, path, 'update');
    const asks = params.phases as unknown as readonly PhaseAsk[] | undefined;
    const given = asks?.[0]?.start_date;
    const from = given === 'now' ? act.at : (given ?? held.phases[0]?.start_date ?? act.at);
    act.tx.kind('subscription_schedule.updated');
    const phases = asks === undefined ? held.phases : phasesOf(act, asks, from);
    const current =
      held.status === 'active'
        ? (phases.find(({ start_date, end_date }: Phase) => start_date <= act.at && act.at < end_date) ??
          null)
        : null;
    const next: Schedule = {
      ...held,
      ...(params.end_behavior === undefined ? {} : { end_behavior: params.end_behavior }),
      current_phase:
        current === null
          ? held.current_phase
          : { start_date: current.start_date, end_date: current.end_date },
      default_settings: settingsOf(params.default_settings, held.default_settings),
      metadata: mergeTags(held.metadata, params.metadata),
      phases,
    };
    const subscription = find(act, 'subscription', held.subscription ?? '');
    if (asks !== undefined && current !== null && subscription !== undefined) {
      applyPhase(act, subscription, next, current, params.proration_behavior);
    }
    const after = update(act, 'subscription_schedule', held, next, 'subscription_schedule.updated');
    setWaits(act, after);
    return viewOf(act, 'subscription_schedule', after);
  },
  withIterations('subscriptionSchedules.update'),
  SCHEDULE_UNMODELLED,
);

/** Stripe tells of a schedule that is given up with both names. */
const cancel = vendor<Stripe.SubscriptionScheduleCancelParams>(
  'subscriptionSchedules.cancel',
  ({ act, path, params }) => {
    const held = needRunning(act, path, 'cancel');
    const next: Schedule = { ...held, canceled_at: act.at, current_phase: null, status: 'canceled' };
    act.tx.kind('subscription_schedule.canceled');
    save(act, 'subscription_schedule', next);
    setWaits(act, next);
    const before = viewOf(act, 'subscription_schedule', held);
    tell(act, 'subscription_schedule.canceled', 'subscription_schedule', next, before);
    tell(act, 'subscription_schedule.aborted', 'subscription_schedule', next, before);
    const subscription = find(act, 'subscription', held.subscription ?? '');
    if (subscription !== undefined && subscription.ended_at === null) {
      cancelNow(act, settled(act, subscription, params), 'cancellation_requested');
    }
    return viewOf(act, 'subscription_schedule', next);
  },
);

/** As the defaults of this call are: what is not used is given back, and what is open is billed. */
function settled(
  act: Act,
  subscription: Subscription,
  { invoice_now = true, prorate = true }: { readonly invoice_now?: boolean; readonly prorate?: boolean },
): Subscription {
  if (subscription.status !== 'active' && subscription.status !== 'past_due') return subscription;
  if (prorate) {
    const gone = itemsOf(act, subscription.id).map(item => ({ before: item, after: null }));
    saveProrations(act, prorations(act, subscription, gone, act.at));
  }
  return invoice_now ? billNow(act, subscription, true) : subscription;
}

const releasing = vendor<Stripe.SubscriptionScheduleReleaseParams>(
  'subscriptionSchedules.release',
  ({ act, path, params }) => {
    const held = needRunning(act, path, 'release');
    const keepsEnd = params.preserve_cancel_date === true;
    return viewOf(
      act,
      'subscription_schedule',
      release(act, held, 'subscription_schedule.released', { keepsEnd }),
    );
  },
);

type Range = Parameters<typeof inRange>[1];

const listAll = vendor<Stripe.SubscriptionScheduleListParams>(
  'subscriptionSchedules.list',
  ({ act, params }) => {
    const { customer } = params;
    return page(act, 'subscription_schedule', params, '/v1/subscription_schedules', {
      ...(customer === undefined ? {} : { where: { customer } }),
      keep: held =>
        (params.scheduled !== true || held.status === 'not_started') &&
        inRange(held.canceled_at, params.canceled_at as Range) &&
        inRange(held.completed_at, params.completed_at as Range) &&
        inRange(held.released_at, params.released_at as Range),
    });
  },
);

export const scheduleOperations = [create, retrieve, change, cancel, releasing, listAll];
