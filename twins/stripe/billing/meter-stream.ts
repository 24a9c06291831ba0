// Meter events of the API's second version: a session's token, the stream it opens, and the events in which
// Stripe tells afterwards what it could not count.

import { type Act, save, select } from '../api/act.ts';
import { invalid, StripeRefusal } from '../api/errors.ts';
import { vendor } from '../api/vendor.ts';
import { tellThin } from '../events/thin.ts';
import { cancelReading, type EventAsk, type EventFault, faultOf, meterOf, takeReading } from './meters.ts';

/** A token of the stream holds for a quarter of an hour. Seconds. */
const SESSION_SECONDS = 15 * 60;
const EVENTS_MAX = 100;
export const SESSION_TOKEN_PREFIX = 'mes_test_';

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

const openSession = vendor<object>('v2.billing.meterEventSession.create', ({ act }) => {
  const session = {
    id: act.tx.recordId('mes_', 24),
    object: 'v2.billing.meter_event_session' as const,
    token: act.tx.id(SESSION_TOKEN_PREFIX, 48),
    expires: act.at + SESSION_SECONDS,
  };
  act.tx.kind('v2.billing.meter_event_session.created');
  save(act, 'v2.billing.meter_event_session', session);
  return {
    id: session.id,
    object: session.object,
    authentication_token: session.token,
    created: iso(act.at),
    expires_at: iso(session.expires),
    livemode: false,
  };
});

type V2Event = {
  readonly event_name: string;
  readonly identifier?: string;
  readonly payload: { readonly [name: string]: string };
  readonly timestamp?: string;
};

function askOf(act: Act, event: V2Event, param: string): EventAsk {
  const at = event.timestamp === undefined ? act.at * 1000 : Date.parse(event.timestamp);
  if (Number.isNaN(at)) throw invalid(`${param} is not a timestamp of RFC 3339.`, { param });
  return { ...event, timestamp: Math.floor(at / 1000) };
}

const stream = vendor<{ events: V2Event[] }>(
  'v2.billing.meterEventStream.create',
  ({ act, params, call }) => {
    const bearer = String(call.headers['authorization'] ?? '').replace(/^bearer\s+/i, '');
    if (bearer.startsWith(SESSION_TOKEN_PREFIX)) checkSession(act, bearer);
    if (params.events.length > EVENTS_MAX) {
      throw invalid(`At most ${EVENTS_MAX} events are taken at once.`, { param: 'events' });
    }
    const asks = params.events.map((event, at) => askOf(act, event, `events[${at}].timestamp`));
    const faults = new Map<string | null, { readonly ask: EventAsk; readonly fault: EventFault }[]>();
    for (const ask of asks) {
      const meter = meterOf(act, ask.event_name);
      const fault =
        meter === undefined
          ? { code: 'no_meter', message: `No active meter found for event name ${ask.event_name}.` }
          : faultOf(act, meter, ask);
      if (fault === null) {
        if (meter !== undefined) takeReading(act, meter, ask);
        continue;
      }
      const key = meter?.id ?? null;
      faults.set(key, [...(faults.get(key) ?? []), { ask, fault }]);
    }
    for (const [meter, found] of faults) tellFaults(act, meter, found);
    return {};
  },
);

function checkSession(act: Act, token: string): void {
  const [session] = select(act.tx, 'v2.billing.meter_event_session', { where: { token }, limit: 1 }).items;
  if (session !== undefined && session.expires > act.at) return;
  throw new StripeRefusal(401, 'The temporary session token has expired.', {
    type: 'temporary_session_expired',
    code: 'billing_meter_event_session_expired',
  });
}

type Faulty = { readonly ask: EventAsk; readonly fault: EventFault };

/** One thin event for a meter's faults, or for those of no meter. Listed with the others, sent as it is. */
function tellFaults(act: Act, meter: string | null, found: readonly Faulty[]): void {
  const type = meter === null ? 'v1.billing.meter.no_meter_found' : 'v1.billing.meter.error_report_triggered';
  const codes = [...new Set(found.map(({ fault }) => fault.code))];
  const data = {
    developer_message_summary: `There ${found.length === 1 ? 'is 1 invalid event' : `are ${found.length} invalid events`}`,
    reason: {
      error_count: found.length,
      error_types: codes.map(code => {
        const same = found.filter(({ fault }) => fault.code === code);
        return {
          code,
          error_count: same.length,
          sample_errors: same.slice(0, 10).map(({ ask, fault }) => ({
            error_message: fault.message,
            request: { identifier: ask.identifier ?? '' },
          })),
        };
      }),
    },
    validation_end: iso(act.at),
    validation_start: iso(act.at - 10),
  };
  const related =
    meter === null
      ? {}
      : { related: { id: meter, type: 'billing.meter', url: `/v1/billing/meters/${meter}` } };
  tellThin(act, type, { data, ...related });
}

const createEvent = vendor<V2Event>('v2.billing.meterEvents.create', ({ act, params }) => {
  const ask = askOf(act, params, 'timestamp');
  const meter = meterOf(act, ask.event_name);
  if (meter === undefined) {
    throw invalid(`No active meter found for event name ${ask.event_name}.`, {
      code: 'resource_missing',
      param: 'event_name',
    });
  }
  const fault = faultOf(act, meter, ask);
  if (fault !== null) throw invalid(fault.message, { code: fault.code, param: 'payload' });
  const held = takeReading(act, meter, ask);
  return {
    object: 'v2.billing.meter_event',
    created: iso(held.created),
    event_name: held.event_name,
    identifier: held.identifier,
    livemode: false,
    payload: held.payload,
    timestamp: iso(held.timestamp),
  };
});

const adjust = vendor<{ cancel: { identifier: string }; event_name: string; type: string }>(
  'v2.billing.meterEventAdjustments.create',
  ({ act, params }) => {
    cancelReading(act, params.event_name, params.cancel.identifier);
    return {
      id: act.tx.id('mtre_adj_', 24),
      object: 'v2.billing.meter_event_adjustment',
      cancel: { identifier: params.cancel.identifier },
      created: iso(act.at),
      event_name: params.event_name,
      livemode: false,
      status: 'complete',
      type: 'cancel',
    };
  },
);

export const meterStreamOperations = [openSession, stream, createEvent, adjust];
