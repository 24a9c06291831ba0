// What the billing side stores, and by what its lists select.
import type { Stripe } from 'stripe';
import type { RecordType } from '../../kit/twin.ts';
import type { Stored } from '../api/wire.ts';

export type Coupon = Stored<Stripe.Coupon, 'valid', { $gone?: boolean }>;
export type PromotionCode = Stored<Stripe.PromotionCode, never, { $coupon: string }>;
export type Discount = Stored<
  Stripe.Discount,
  never,
  {
    $coupon: string;
    /** The invoice that used up a discount of `once`. */
    $spent?: string;
  }
>;
export type TaxRate = Stored<Stripe.TaxRate, never, object>;
export type TaxId = Stored<Stripe.TaxId, never, { $owner: string }>;
export type BalanceTransaction = Stored<Stripe.CustomerBalanceTransaction, never, object>;
export type CreditNote = Stored<Stripe.CreditNote, 'lines', object>;
export type CreditNoteLine = Stored<Stripe.CreditNoteLineItem, never, { $credit_note: string }>;
export type Quote = Stored<Stripe.Quote, 'line_items', { $lines: readonly QuoteLine[] }>;
export type QuoteLine = {
  readonly id: string;
  readonly price: string;
  readonly quantity: number;
  readonly discounts: readonly string[];
  readonly tax_rates: readonly string[];
};
export type Schedule = Stored<Stripe.SubscriptionSchedule, never, object>;
export type Phase = Schedule['phases'][number];
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
  payload: { readonly [field: string]: unknown };
};
export type MeterSession = {
  id: string;
  object: 'v2.billing.meter_event_session';
  token: string;
  expires: number;
};

export type BillingRecords = {
  coupon: Coupon;
  promotion_code: PromotionCode;
  discount: Discount;
  tax_rate: TaxRate;
  tax_id: TaxId;
  customer_balance_transaction: BalanceTransaction;
  credit_note: CreditNote;
  credit_note_line_item: CreditNoteLine;
  quote: Quote;
  subscription_schedule: Schedule;
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

export const BILLING_RECORDS: { readonly [Name in keyof BillingRecords]: RecordType } = {
  coupon: { indexes: [['$gone']] },
  promotion_code: { indexes: [['code'], ['$coupon'], ['customer'], ['active']] },
  discount: { indexes: [['$coupon'], ['customer'], ['subscription']] },
  tax_rate: { indexes: [['active'], ['inclusive']] },
  tax_id: { indexes: [['customer'], ['$owner']] },
  customer_balance_transaction: { indexes: [['customer'], ['invoice']] },
  credit_note: { indexes: [['customer'], ['invoice']] },
  credit_note_line_item: { indexes: [['$credit_note']] },
  quote: { indexes: [['customer'], ['status']] },
  subscription_schedule: { indexes: [['customer'], ['subscription']] },
  'billing_portal.configuration': { indexes: [['active'], ['is_default']] },
  'billing_portal.session': { indexes: [['customer']] },
  'billing.meter': { indexes: [['status'], ['event_name']] },
  'billing.meter_event': { indexes: [['$meter'], ['$customer'], ['identifier']] },
  'billing.alert': { indexes: [['$meter']] },
  'billing.alert_use': { indexes: [] },
  'billing.credit_grant': { indexes: [['customer']] },
  'billing.credit_balance_transaction': { indexes: [['customer'], ['credit_grant']] },
  'test_helpers.test_clock': { indexes: [['status']] },
  'v2.billing.meter_event_session': { indexes: [['token']] },
  clock_wait: { indexes: [['clock']] },
};

export const BILLING_NOUNS: { readonly [type: string]: string } = {
  promotion_code: 'promotion code',
  credit_note: 'credit note',
  tax_rate: 'tax rate',
  tax_id: 'tax_id',
  subscription_schedule: 'subscription schedule',
  'billing_portal.configuration': 'configuration',
  'billing.meter': 'meter',
  'billing.alert': 'alert',
  'billing.credit_grant': 'credit grant',
  'test_helpers.test_clock': 'test clock',
};
