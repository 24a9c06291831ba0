// What is kept of events: each as it was told, and the endpoints that hear of them.
import type { Stripe } from 'stripe';
import type { AccountVersion } from '../api/account-version.ts';
import type { RecordRows } from '../api/record-row.ts';
import { API_VERSION } from '../api/version.ts';
import type { Kept, Stored } from '../api/wire.ts';
import { eventAsOf } from '../versions/event.ts';

export type WebhookEndpoint = Stored<
  Stripe.WebhookEndpoint,
  'secret',
  {
    $secret: string;
    /** What an event destination of the second version is sent; none for an endpoint of the first. */
    $payload?: 'snapshot' | 'thin';
    /** Hears of what connected accounts do. */
    $connect?: boolean;
  }
>;
export type Event = {
  id: string;
  object: 'event';
  /** The connected account that it happened in. */
  account?: string;
  api_version: string | null;
  created: number;
  data: { object: { [field: string]: unknown }; previous_attributes?: { [field: string]: unknown } };
  livemode: boolean;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
};

export type EventRecords = {
  event: Event;
  webhook_endpoint: WebhookEndpoint;
  'v2.core.event_destination': Kept;
  account_version: AccountVersion;
  /** Says that there are records whose own instants are older than their entries: what was seen at the real vendor. */
  observed_mark: { id: string };
};

/** Stripe lists and finds events of thirty days. */
const EVENTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export const EVENT_RECORDS: RecordRows<EventRecords> = {
  event: {
    indexes: [['type']],
    quotes: ['data', 'object'],
    keptMs: EVENTS_KEPT_MS,
    // It is kept in today's shape, and told in the version that the account had then, whoever asks.
    inlined: (by, event) =>
      event.api_version === null || event.api_version === API_VERSION
        ? {}
        : { data: eventAsOf(by, event, event.api_version).data },
  },
  webhook_endpoint: { indexes: [['status']], noun: 'webhook endpoint' },
  'v2.core.event_destination': { indexes: [] },
  account_version: { indexes: [] },
  observed_mark: { indexes: [] },
};
