// Stripe's Events: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { eventDestinationOperations } from './destinations.ts';
import { eventOperations } from './list.ts';
import { EVENT_RECORDS, type EventRecords } from './records.ts';
import { thinEventOperations } from './thin.ts';
import { webhookEndpointOperations } from './webhook-endpoints.ts';

export const events: Product<EventRecords> = {
  operations: [
    ...eventOperations,
    ...webhookEndpointOperations,
    ...eventDestinationOperations,
    ...thinEventOperations,
  ],
  records: EVENT_RECORDS,
  due: {},
  models: [
    ['event', 'evt_', 'events'],
    ['webhook_endpoint', 'we_', 'webhookEndpoints'],
  ],
  events: [
    'v1.billing.meter.error_report_triggered',
    'v1.billing.meter.no_meter_found',
    'v2.core.account.closed',
    'v2.core.account.created',
    'v2.core.account.updated',
    'v2.core.account[configuration.customer].capability_status_updated',
    'v2.core.account[configuration.customer].updated',
    'v2.core.account[configuration.merchant].capability_status_updated',
    'v2.core.account[configuration.merchant].updated',
    'v2.core.account[configuration.recipient].capability_status_updated',
    'v2.core.account[configuration.recipient].updated',
    'v2.core.account[defaults].updated',
    'v2.core.account[identity].updated',
    'v2.core.account_person.created',
    'v2.core.account_person.deleted',
    'v2.core.account_person.updated',
    'v2.core.event_destination.ping',
  ],
};
