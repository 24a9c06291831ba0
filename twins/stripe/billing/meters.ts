// Meters: what is counted by use, the events that count it, and what they add up to.
import type { Stripe } from 'stripe';
import { type Act, find, need, remove, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { onItsClock } from '../api/test-clock.ts';
import { vendor, whole } from '../api/vendor.ts';
import { listView, type View, viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { usageOf } from '../subscriptions/meter-usage.ts';
import { watchThresholds } from '../subscriptions/threshold-watch.ts';
import { tellAlerts } from './alerts.ts';
import type { Meter, MeterReading } from './records.ts';

/** Events may be told of up to 35 days late, and five minutes early. Seconds. */
const PAST_SECONDS_MAX = 35 * 86_400;
const FUTURE_SECONDS_MAX = 5 * 60;

const create = vendor<Stripe.Billing.MeterCreateParams>('billing.meters.create', ({ act, params }) => {
  if (meterOf(act, params.event_name) !== undefined) {
    throw invalid(`An active meter already uses the event name ${params.event_name}.`, {
      code: 'resource_already_exists',
      param: 'event_name',
    });
  }
  const meter = whole<Meter>('billing.meter', {
    id: act.tx.id('mtr_test_', 24),
    created: act.at,
    customer_mapping: {
      event_payload_key: params.customer_mapping?.event_payload_key ?? 'stripe_customer_id',
      type: 'by_id',
    },
    default_aggregation: { formula: params.default_aggregation.formula },
    display_name: params.display_name,
    event_name: params.event_name,
    event_time_window: params.event_time_window ?? null,
    status: 'active',
    status_transitions: { deactivated_at: null },
    updated: act.at,
    value_settings: { event_payload_key: params.value_settings?.event_payload_key ?? 'value' },
  });
  save(act, 'billing.meter', meter);
  tell(act, 'billing.meter.created', 'billing.meter', meter);
  return viewOf(act, 'billing.meter', meter);
});

export function meterOf(act: Act, eventName: string): Meter | undefined {
  return select(act.tx, 'billing.meter', {
    where: { event_name: eventName },
    limit: 1,
    keep: meter => meter['status'] === 'active',
  }).items[0];
}

function needMeter(act: Act, path: { readonly [name: string]: string }): Meter {
  return need(act, 'billing.meter', path['id'] ?? '', { param: 'id', inPath: true });
}

const retrieve = vendor<object>('billing.meters.retrieve', ({ act, path }) =>
  viewOf(act, 'billing.meter', needMeter(act, path)),
);

const change = vendor<Stripe.Billing.MeterUpdateParams>('billing.meters.update', ({ act, path, params }) => {
  const held = needMeter(act, path);
  const next: Meter = { ...held, display_name: params.display_name ?? held.display_name, updated: act.at };
  return viewOf(act, 'billing.meter', update(act, 'billing.meter', held, next, 'billing.meter.updated'));
});

const deactivate = vendor<object>('billing.meters.deactivate', ({ act, path }) => {
  const held = needMeter(act, path);
  const next: Meter = {
    ...held,
    status: 'inactive',
    status_transitions: { deactivated_at: held.status_transitions.deactivated_at ?? act.at },
  };
  return viewOf(act, 'billing.meter', update(act, 'billing.meter', held, next, 'billing.meter.deactivated'));
});

const reactivate = vendor<object>('billing.meters.reactivate', ({ act, path }) => {
  const held = needMeter(act, path);
  const other = meterOf(act, held.event_name);
  if (other !== undefined && other.id !== held.id) {
    throw invalid(`An active meter already uses the event name ${held.event_name}.`, {
      code: 'resource_already_exists',
    });
  }
  const next: Meter = { ...held, status: 'active', status_transitions: { deactivated_at: null } };
  return viewOf(act, 'billing.meter', update(act, 'billing.meter', held, next, 'billing.meter.reactivated'));
});

const listAll = vendor<Stripe.Billing.MeterListParams>('billing.meters.list', ({ act, params }) =>
  page(
    act,
    'billing.meter',
    params,
    '/v1/billing/meters',
    params.status === undefined ? {} : { where: { status: params.status } },
  ),
);

export type EventAsk = {
  readonly event_name: string;
  readonly identifier?: string | undefined;
  readonly payload: { readonly [name: string]: string };
  /** Seconds. */
  readonly timestamp: number;
};

/** What is wrong with an event, as Stripe names it; null for nothing. */
export type EventFault = { readonly code: string; readonly message: string };

/** Why an event cannot be counted by its meter. */
export function faultOf(act: Act, meter: Meter, ask: EventAsk): EventFault | null {
  const customerKey = meter.customer_mapping.event_payload_key;
  const customer = ask.payload[customerKey];
  const value = ask.payload[meter.value_settings.event_payload_key];
  if (customer === undefined) {
    return { code: 'meter_event_no_customer_defined', message: `The event payload has no ${customerKey}.` };
  }
  if (find(act, 'customer', customer) === undefined) {
    return { code: 'meter_event_customer_not_found', message: `No such customer: '${customer}'` };
  }
  if (value === undefined && meter.default_aggregation.formula !== 'count') {
    return {
      code: 'meter_event_value_not_found',
      message: `The event payload has no ${meter.value_settings.event_payload_key}.`,
    };
  }
  if (value !== undefined && !/^-?\d{1,15}(\.\d{1,12})?$/.test(value)) {
    return { code: 'meter_event_invalid_value', message: `The value ${value.slice(0, 40)} is not a number.` };
  }
  if (ask.timestamp < act.at - PAST_SECONDS_MAX) {
    return { code: 'timestamp_too_far_in_past', message: 'The event is more than 35 days old.' };
  }
  if (ask.timestamp > act.at + FUTURE_SECONDS_MAX) {
    return { code: 'timestamp_in_future', message: 'The event is more than five minutes in the future.' };
  }
  return null;
}

/** Counts an event. One identifier counts once a day. */
export function takeReading(act: Act, meter: Meter, ask: EventAsk): MeterReading {
  const identifier = ask.identifier ?? act.tx.id('', 24);
  const twice = select(act.tx, 'billing.meter_event', { where: { identifier }, limit: 1 }).items[0];
  if (twice !== undefined && twice.$meter === meter.id) return twice;
  const customer = ask.payload[meter.customer_mapping.event_payload_key] ?? '';
  const reading: MeterReading = {
    id: act.tx.recordId('mtre_', 24),
    object: 'billing.meter_event',
    created: act.at,
    event_name: ask.event_name,
    identifier,
    livemode: false,
    payload: { ...ask.payload },
    timestamp: ask.timestamp,
    $meter: meter.id,
    $customer: `${meter.id}:${customer}`,
    $value: Number(ask.payload[meter.value_settings.event_payload_key] ?? 1),
  };
  act.tx.kind('billing.meter_event.created');
  save(act, 'billing.meter_event', reading);
  tellAlerts(act, meter, customer, reading.$value);
  watchThresholds(act, customer);
  return reading;
}

const createEvent = vendor<Stripe.Billing.MeterEventCreateParams>(
  'billing.meterEvents.create',
  ({ act: world, params }) => {
    const meter = meterOf(world, params.event_name);
    if (meter === undefined) {
      throw invalid(`No active meter found for event name ${params.event_name}.`, {
        code: 'resource_missing',
        param: 'event_name',
      });
    }
    const payload = params.payload as { readonly [name: string]: string };
    // A customer of a test clock uses things in its time.
    const customer = payload[meter.customer_mapping.event_payload_key];
    const act = onItsClock(world, {}, { customer });
    const ask: EventAsk = { ...params, payload, timestamp: params.timestamp ?? act.at };
    const fault = faultOf(act, meter, ask);
    if (fault !== null) throw invalid(fault.message, { code: fault.code, param: 'payload' });
    const { id: _none, ...shown } = viewOf(act, 'billing.meter_event', takeReading(act, meter, ask));
    return shown;
  },
);

/** Stripe takes an event back within a day of it. */
export function cancelReading(act: Act, eventName: string, identifier: string): void {
  const held = select(act.tx, 'billing.meter_event', { where: { identifier }, limit: 1 }).items[0];
  if (held === undefined || held.event_name !== eventName) {
    throw invalid(`No meter event with the identifier ${identifier} was found.`, {
      code: 'resource_missing',
      param: 'cancel[identifier]',
    });
  }
  act.tx.kind('billing.meter_event.canceled');
  remove(act, 'billing.meter_event', held.id);
}

const adjust = vendor<Stripe.Billing.MeterEventAdjustmentCreateParams>(
  'billing.meterEventAdjustments.create',
  ({ act, params }) => {
    const identifier = params.cancel?.identifier;
    if (identifier === undefined) {
      throw invalid('Missing required param: cancel[identifier].', {
        code: 'parameter_missing',
        param: 'cancel[identifier]',
      });
    }
    cancelReading(act, params.event_name, identifier);
    return {
      object: 'billing.meter_event_adjustment',
      cancel: { identifier },
      event_name: params.event_name,
      livemode: false,
      status: 'complete',
      type: 'cancel',
    };
  },
);

const WINDOWS: { readonly [window: string]: number } = { hour: 3_600, day: 86_400 };
const WINDOWS_MAX = 1_000;

const summaries = vendor<Stripe.Billing.MeterListEventSummariesParams>(
  'billing.meters.listEventSummaries',
  ({ act, path, params }) => {
    const meter = needMeter(act, path);
    const { customer, start_time: start, end_time: end } = params;
    need(act, 'customer', customer, { param: 'customer' });
    if (start % 60 !== 0 || end % 60 !== 0) {
      throw invalid('start_time and end_time must align with minute boundaries.', { param: 'start_time' });
    }
    if (end <= start) throw invalid('end_time must be after start_time.', { param: 'end_time' });
    const step = WINDOWS[params.value_grouping_window ?? ''] ?? end - start;
    if ((end - start) / step > WINDOWS_MAX)
      throw invalid('The range has too many windows.', { param: 'end_time' });
    const data: View[] = [];
    for (let from = start; from < end; from += step) {
      const to = Math.min(end, from + step);
      data.unshift({
        id: `mtrusg_test_${meter.id.slice(-8)}${from.toString(36)}`,
        object: 'billing.meter_event_summary',
        aggregated_value: usageOf(act, meter, customer, from, to),
        end_time: to,
        livemode: false,
        meter: meter.id,
        start_time: from,
      });
    }
    const limit = params.limit ?? 10;
    const at = data.findIndex(({ id }) => id === params.starting_after) + 1;
    return listView(
      data.slice(at, at + limit),
      data.length > at + limit,
      `/v1/billing/meters/${meter.id}/event_summaries`,
    );
  },
);

export const meterOperations = [
  create,
  retrieve,
  change,
  deactivate,
  reactivate,
  listAll,
  createEvent,
  adjust,
  summaries,
];
