// What Billing keeps besides subscriptions and invoices: the portal, meters and their readings, credits, and test
// clocks with what waits on them.
import type { Stripe } from 'stripe';
import type { DuePayload } from '../../kit/due.ts';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';
import type { Due } from '../due.ts';

export type PortalConfiguration = Stored<Stripe.BillingPortal.Configuration, never, object>;
export type PortalSession = Stored<Stripe.BillingPortal.Session, never, object>;
export type Meter = Stored<Stripe.Billing.Meter, never, object>;
/** An event of a meter as it was taken in; what it adds up to is read from these. */
export type MeterReading = {
  id: string;
  object: 'billing.meter_event';
  created: number;
  event_name: string;
  identifier: string;
  livemode: boolean;
  payload: { [name: string]: string };
  timestamp: number;
  $meter: string;
  /** `<meter>:<customer>`: what summaries select on. */
  $customer: string;
  $value: number;
};
export type Alert = Stored<Stripe.Billing.Alert, never, { $meter: string }>;
/** What a customer used since an alert was made, and whether it was told; its id is `<alert>:<customer>`. */
export type AlertUse = { id: string; object: 'billing.alert_use'; value: number; told: boolean };
export type CreditGrant = Stored<Stripe.Billing.CreditGrant, never, { $left: number }>;
export type CreditTransaction = Stored<Stripe.Billing.CreditBalanceTransaction, never, { customer: string }>;
export type TestClock = Stored<Stripe.TestHelpers.TestClock, never, object>;
/** What objects of a test clock wait for; the world's own clock knows nothing of it. */
export type ClockWait = {
  id: string;
  object: 'clock_wait';
  clock: string;
  at: number;
  payload: DuePayload<Due>;
};
export type MeterSession = {
  id: string;
  object: 'v2.billing.meter_event_session';
  token: string;
  expires: number;
};

export type BillingRecords = {
  'billing_portal.configuration': PortalConfiguration;
  'billing_portal.session': PortalSession;
  'billing.meter': Meter;
  'billing.meter_event': MeterReading;
  'billing.alert': Alert;
  'billing.alert_use': AlertUse;
  'billing.credit_grant': CreditGrant;
  'billing.credit_balance_transaction': CreditTransaction;
  'test_helpers.test_clock': TestClock;
  'v2.billing.meter_event_session': MeterSession;
  clock_wait: ClockWait;
};

export const BILLING_RECORDS: RecordRows<BillingRecords> = {
  'billing_portal.configuration': { indexes: [['active'], ['is_default']], noun: 'configuration' },
  'billing_portal.session': { indexes: [['customer']] },
  'billing.meter': { indexes: [['status'], ['event_name']], noun: 'meter' },
  'billing.meter_event': { indexes: [['$meter'], ['$customer'], ['identifier']] },
  'billing.alert': { indexes: [['$meter']], noun: 'alert' },
  'billing.alert_use': { indexes: [] },
  'billing.credit_grant': { indexes: [['customer']], noun: 'credit grant' },
  'billing.credit_balance_transaction': { indexes: [['customer'], ['credit_grant']] },
  'test_helpers.test_clock': { indexes: [['status']], noun: 'test clock' },
  'v2.billing.meter_event_session': { indexes: [['token']] },
  clock_wait: { indexes: [['clock']] },
};
