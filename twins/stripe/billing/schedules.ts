// Subscription schedules: phases written down ahead, as callers make, change, cancel and release them.
import type { Stripe } from 'stripe';
import { invalid } from '../errors.ts';
import { tell, update } from '../events.ts';
import { page } from '../list.ts';
import { integer, list, type Shape } from '../params.ts';
import { type Act, find, need, save } from '../records.ts';
import { itemsOf, periodOf } from '../subscription-clock.ts';
import { cancelNow } from '../subscription-end.ts';
import { choosePrice } from '../subscription-items.ts';
import { declaredShape, type Given, vendor, whole } from '../vendor.ts';
import { viewOf } from '../views.ts';
import type { Price } from '../wire.ts';
import { tagged } from './coupons.ts';
import type { Phase, Schedule } from './records.ts';
import { applyPhase, endOf, release, setWaits, start, tellIfExpiring } from './schedule-phases.ts';

/** Before 2025-09-30 a phase lasted for so many iterations of its price's interval. */
function withIterations(name: string): Shape {
  const { phases } = declaredShape(name);
  if (phases?.kind !== 'list' || phases.of.kind !== 'hash') return {};
  return {
    phases: { ...list({ kind: 'hash', shape: { ...phases.of.shape, iterations: integer(1) } } as never) },
  };
}

type CreateParams = Stripe.SubscriptionScheduleCreateParams;
type PhaseAsk = Given<NonNullable<CreateParams['phases']>[number]> & { readonly iterations?: number };

type ItemAsk = PhaseAsk['items'][number];

const DEFAULTS: Schedule['default_settings'] = {
  application_fee_percent: null,
  billing_cycle_anchor: 'automatic',
  billing_thresholds: null,
  collection_method: 'charge_automatically',
  default_payment_method: null,
  description: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    days_until_due: null,
    description: null,
    footer: null,
    issuer: { type: 'self' },
  },
  on_behalf_of: null,
  transfer_data: null,
};

/** The phases one after another from an instant on. Throws `StripeRefusal` for what does not fit. */
function phasesOf(act: Act, asks: readonly PhaseAsk[], from: number): Phase[] {
  if (asks.length === 0) {
    throw invalid('Missing required param: phases.', { code: 'parameter_missing', param: 'phases' });
  }
  let at = from;
  return asks.map((ask, index) => {
    const prices = ask.items.map((item: ItemAsk, place: number) => {
      const param = `phases[${index}][items][${place}]`;
      const chosen = choosePrice(act, item as never, param);
      if (chosen === null || chosen.made) {
        throw invalid(`Missing required param: ${param}[price].`, {
          code: 'parameter_missing',
          param: `${param}[price]`,
        });
      }
      return chosen.price;
    });
    const [first] = prices;
    if (first === undefined) throw invalid('A phase needs items.', { param: `phases[${index}][items]` });
    const begins = at;
    at = endOf(ask, first, begins);
    if (at <= begins) {
      throw invalid('The end date of a phase must be after its start date.', {
        param: `phases[${index}][end_date]`,
      });
    }
    return phase(ask, prices, first, begins, at);
  });
}

function phase(ask: PhaseAsk, prices: readonly Price[], first: Price, from: number, to: number): Phase {
  return {
    add_invoice_items: [],
    application_fee_percent: ask.application_fee_percent ?? null,
    billing_cycle_anchor: ask.billing_cycle_anchor ?? null,
    billing_thresholds: null,
    collection_method: ask.collection_method ?? null,
    currency: first.currency,
    default_payment_method: ask.default_payment_method ?? null,
    default_tax_rates: [],
    description: ask.description ?? null,
    discounts: [],
    end_date: to,
    invoice_settings: null,
    items: ask.items.map((item: ItemAsk, at: number) => ({
      billing_thresholds: null,
      discounts: [],
      metadata: tagged(null, item.metadata),
      plan: prices[at]?.id ?? '',
      price: prices[at]?.id ?? '',
      quantity: item.quantity ?? 1,
      tax_rates: [],
    })),
    metadata: tagged(null, ask.metadata),
    on_behalf_of: ask.on_behalf_of ?? null,
    proration_behavior: (ask.proration_behavior ?? 'create_prorations') as Phase['proration_behavior'],
    start_date: from,
    transfer_data: null,
    trial_end: ask.trial === true ? to : (ask.trial_end ?? null),
  };
}

const create = vendor<CreateParams>(
  'subscriptionSchedules.create',
  ({ act, params }) => {
    if (params.from_subscription !== undefined) return fromSubscription(act, params.from_subscription);
    if (params.customer === undefined) {
      throw invalid('Missing required param: customer.', { code: 'parameter_missing', param: 'customer' });
    }
    const customer = need(act, 'customer', params.customer, { param: 'customer' });
    const begins = typeof params.start_date === 'number' ? params.start_date : act.at;
    const phases = phasesOf(act, (params.phases ?? []) as readonly PhaseAsk[], begins);
    const settings = params.default_settings;
    const made = whole<Schedule>('subscription_schedule', {
      id: act.tx.id('sub_sched_', 24),
      billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: act.at },
      created: act.at,
      customer: customer.id,
      default_settings: {
        ...DEFAULTS,
        ...(settings?.billing_cycle_anchor === undefined
          ? {}
          : { billing_cycle_anchor: settings.billing_cycle_anchor }),
        ...(settings?.collection_method === undefined
          ? {}
          : { collection_method: settings.collection_method }),
        ...(settings?.default_payment_method === undefined
          ? {}
          : { default_payment_method: settings.default_payment_method }),
        ...(settings?.description === undefined ? {} : { description: settings.description }),
        invoice_settings: {
          ...DEFAULTS.invoice_settings,
          days_until_due: settings?.invoice_settings?.days_until_due ?? null,
        },
      } as Schedule['default_settings'],
      end_behavior: (params.end_behavior ?? 'release') as Schedule['end_behavior'],
      metadata: tagged(null, params.metadata),
      pause_schedules: [],
      phases,
      status: 'not_started',
      test_clock: customer.test_clock ?? null,
    });
    act.tx.kind('subscription_schedule.created');
    save(act, 'subscription_schedule', made);
    const begun = begins <= act.at ? start(act, made) : made;
    setWaits(act, begun);
    tell(act, 'subscription_schedule.created', 'subscription_schedule', begun);
    tellIfExpiring(act, begun);
    return viewOf(act.tx, 'subscription_schedule', begun);
  },
  withIterations('subscriptionSchedules.create'),
);

/** One phase: the subscription as it is, to the end of its period. */
function fromSubscription(act: Act, id: string): ReturnType<typeof viewOf> {
  const held = need(act, 'subscription', id, { param: 'from_subscription' });
  if (held.schedule !== null) {
    throw invalid('You cannot migrate a subscription that is already attached to a schedule.', {
      param: 'from_subscription',
    });
  }
  const items = itemsOf(act, held.id);
  const period = periodOf(items);
  const prices = items.map(item => need(act, 'price', item.price, { param: 'price' }));
  const ask = {
    items: items.map(item => ({ price: item.price, quantity: item.quantity ?? 1 })),
    metadata: held.metadata,
  } as unknown as PhaseAsk;
  const made = whole<Schedule>('subscription_schedule', {
    id: act.tx.id('sub_sched_', 24),
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: act.at },
    created: act.at,
    current_phase: { start_date: period.start, end_date: period.end },
    customer: held.customer,
    default_settings: { ...DEFAULTS, collection_method: held.collection_method },
    end_behavior: 'release',
    metadata: {},
    pause_schedules: [],
    phases: [phase(ask, prices, prices[0] as Price, period.start, period.end)],
    status: 'active',
    subscription: held.id,
    test_clock: held.test_clock,
  });
  save(act, 'subscription_schedule', made);
  save(act, 'subscription', { ...held, schedule: made.id });
  setWaits(act, made);
  tell(act, 'subscription_schedule.created', 'subscription_schedule', made);
  return viewOf(act.tx, 'subscription_schedule', made);
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
  viewOf(act.tx, 'subscription_schedule', needSchedule(act, path)),
);

const change = vendor<Stripe.SubscriptionScheduleUpdateParams>(
  'subscriptionSchedules.update',
  ({ act, path, params }) => {
    const held = needRunning(act, path, 'update');
    const asks = params.phases as unknown as
      | readonly (PhaseAsk & { start_date?: number | 'now' })[]
      | undefined;
    const given = asks?.[0]?.start_date;
    const from = typeof given === 'number' ? given : (held.phases[0]?.start_date ?? act.at);
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
      metadata: tagged(held.metadata, params.metadata),
      phases,
    };
    act.tx.kind('subscription_schedule.updated');
    const subscription = find(act, 'subscription', held.subscription ?? '');
    if (asks !== undefined && current !== null && subscription !== undefined)
      applyPhase(act, subscription, current);
    const after = update(act, 'subscription_schedule', held, next, 'subscription_schedule.updated');
    setWaits(act, after);
    return viewOf(act.tx, 'subscription_schedule', after);
  },
  withIterations('subscriptionSchedules.update'),
);

/** Stripe tells of a schedule that is given up with both names. */
const cancel = vendor<Stripe.SubscriptionScheduleCancelParams>(
  'subscriptionSchedules.cancel',
  ({ act, path }) => {
    const held = needRunning(act, path, 'cancel');
    const next: Schedule = { ...held, canceled_at: act.at, current_phase: null, status: 'canceled' };
    act.tx.kind('subscription_schedule.canceled');
    save(act, 'subscription_schedule', next);
    setWaits(act, next);
    const before = viewOf(act.tx, 'subscription_schedule', held);
    tell(act, 'subscription_schedule.canceled', 'subscription_schedule', next, before);
    tell(act, 'subscription_schedule.aborted', 'subscription_schedule', next, before);
    const subscription = find(act, 'subscription', held.subscription ?? '');
    if (subscription !== undefined && subscription.ended_at === null)
      cancelNow(act, subscription, 'cancellation_requested');
    return viewOf(act.tx, 'subscription_schedule', next);
  },
);

const releasing = vendor<Stripe.SubscriptionScheduleReleaseParams>(
  'subscriptionSchedules.release',
  ({ act, path }) =>
    viewOf(
      act.tx,
      'subscription_schedule',
      release(act, needRunning(act, path, 'release'), 'subscription_schedule.released'),
    ),
);

const listAll = vendor<Stripe.SubscriptionScheduleListParams>(
  'subscriptionSchedules.list',
  ({ act, params }) => {
    const { customer } = params;
    return page(act, 'subscription_schedule', params as never, '/v1/subscription_schedules', {
      ...(customer === undefined ? {} : { where: { customer } }),
      keep: held => params.scheduled !== true || held.status === 'not_started',
    });
  },
);

export const scheduleOperations = [create, retrieve, change, cancel, releasing, listAll];
