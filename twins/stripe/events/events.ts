// Events: what happened, as Stripe tells it. Each is a record, names the log entry it happened in, and is sent to
// every enabled endpoint that asked for it.

import { accountVersion } from '../api/account-version.ts';
import { type Act, save, select } from '../api/act.ts';
import { API_VERSION } from '../api/version.ts';
import { type View, viewOf } from '../api/view.ts';
import type { RecordName, Records } from '../records.ts';
import { eventAsOf } from '../versions/event.ts';
import { previousAttributes, same } from './previous-attributes.ts';
import type { Event, WebhookEndpoint } from './records.ts';

/** What one account may register. */
export const WEBHOOK_ENDPOINTS_MAX = 16;

/** Tells of a record as it now stands. */
export function tell<Name extends RecordName>(
  act: Act,
  type: string,
  name: Name,
  record: Records[Name],
  before?: View,
): void {
  tellView(act, type, viewOf(act, name, record), before);
}

/** Tells of an object. `before` is its view before an update; the event then carries what changed. */
export function tellView(act: Act, type: string, object: View, before?: View): void {
  const endpoints = listeners(act, type);
  const event: Event = {
    id: act.tx.recordId('evt_', 24),
    object: 'event',
    ...(act.account === null ? {} : { account: act.account }),
    api_version: accountVersion(act.tx),
    created: act.at,
    data:
      before === undefined ? { object } : { object, previous_attributes: previousAttributes(before, object) },
    livemode: false,
    pending_webhooks: endpoints.length,
    request: act.request,
    type,
  };
  act.tx.kind(type);
  save(act, 'event', event);
  send(act, event, endpoints);
}

/** Sends an event, once more where it was sent before. */
export function send(act: Act, event: Event, endpoints: readonly WebhookEndpoint[]): void {
  // Each endpoint hears in its own version; one of the account's has none of its own.
  const bodies = new Map<string, string>();
  const bodyFor = (version: string): string => {
    const held = bodies.get(version);
    if (held !== undefined) return held;
    const body = JSON.stringify(eventAsOf(act, event, version), null, 2);
    bodies.set(version, body);
    return body;
  };
  for (const endpoint of endpoints) {
    act.tx.deliver({
      endpoint: { id: endpoint.id, url: endpoint.url },
      event: { id: event.id, type: event.type },
      body: bodyFor(endpoint.api_version ?? event.api_version ?? API_VERSION),
      headers: DELIVERY_HEADERS,
    });
  }
}

/**
 * The enabled endpoints that asked for events of a type. Snapshots go to endpoints, thin events to those destinations
 * that take them, and those of the first version's objects to endpoints as well.
 */
export function listeners(
  act: Act,
  type: string,
  payload: 'snapshot' | 'thin' = 'snapshot',
): readonly WebhookEndpoint[] {
  return select(act.tx, 'webhook_endpoint', {
    where: { status: 'enabled' },
    order: 'oldest',
    limit: WEBHOOK_ENDPOINTS_MAX,
  }).items.filter(
    ({ enabled_events: asked, $connect, $payload: taken = type.startsWith('v2.') ? 'snapshot' : payload }) =>
      // Connect's endpoints hear of connected accounts, the others of the platform.
      ($connect === true) === (act.account !== null) &&
      taken === payload &&
      (asked.includes('*') || asked.includes(type)),
  );
}

export const DELIVERY_HEADERS = [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Cache-Control', 'no-cache'],
  ['User-Agent', 'Stripe/1.0 (+https://stripe.com/docs/webhooks)'],
  ['Accept', '*/*; q=0.5, application/xml'],
] as const;

/**
 * Saves a change and tells of it; a change that changes nothing is neither saved nor told. Returns the record.
 */
export function update<Name extends RecordName>(
  act: Act,
  name: Name,
  before: Records[Name],
  after: Records[Name],
  type: string,
): Records[Name] {
  if (same(before, after)) return before;
  const view = viewOf(act, name, before);
  save(act, name, after);
  tell(act, type, name, after, view);
  return after;
}

/** Waits of Stripe's three days of retries, in world milliseconds. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RETRY_WAITS = [
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
];

export function retryAfter(attempts: number): number | null {
  return RETRY_WAITS[attempts] ?? null;
}
