// What the twin stores: the types of all products.
import type { RecordType, Wording } from '../kit/twin.ts';
import type { RecordTable } from './api/record-row.ts';
import { BALANCE_RECORDS, type BalanceRecords } from './balance/records.ts';
import { BILLING_RECORDS, type BillingRecords } from './billing/records.ts';
import { CATALOG_RECORDS, type CatalogRecords } from './catalog/records.ts';
import { CHECKOUT_RECORDS, type CheckoutRecords } from './checkout/records.ts';
import { CONNECT_RECORDS, type ConnectRecords } from './connect/records.ts';
import { CUSTOMER_RECORDS, type CustomerRecords } from './customers/records.ts';
import { EVENT_RECORDS, type EventRecords } from './events/records.ts';
import { FILE_RECORDS, type FileRecords } from './files/records.ts';
import { IDENTITY_RECORDS, type IdentityRecords } from './identity/records.ts';
import { INVOICING_RECORDS, type InvoicingRecords } from './invoicing/records.ts';
import { ISSUING_RECORDS, type IssuingRecords } from './issuing/records.ts';
import { PAYMENT_RECORDS, type PaymentRecords } from './payments/records.ts';
import { QUOTE_RECORDS, type QuoteRecords } from './quotes/records.ts';
import { REPORTING_RECORDS, type ReportingRecords } from './reporting/records.ts';
import { SUBSCRIPTION_RECORDS, type SubscriptionRecords } from './subscriptions/records.ts';
import { TAX_RECORDS, type TaxRecords } from './tax/records.ts';
import { TITLES } from './titles.ts';

export type Records = BalanceRecords &
  BillingRecords &
  CatalogRecords &
  CheckoutRecords &
  ConnectRecords &
  CustomerRecords &
  EventRecords &
  FileRecords &
  IdentityRecords &
  InvoicingRecords &
  IssuingRecords &
  PaymentRecords &
  QuoteRecords &
  ReportingRecords &
  SubscriptionRecords &
  TaxRecords;

export type RecordName = keyof Records;

export const RECORDS: RecordTable = {
  ...BALANCE_RECORDS,
  ...BILLING_RECORDS,
  ...CATALOG_RECORDS,
  ...CHECKOUT_RECORDS,
  ...CONNECT_RECORDS,
  ...CUSTOMER_RECORDS,
  ...EVENT_RECORDS,
  ...FILE_RECORDS,
  ...IDENTITY_RECORDS,
  ...INVOICING_RECORDS,
  ...ISSUING_RECORDS,
  ...PAYMENT_RECORDS,
  ...QUOTE_RECORDS,
  ...REPORTING_RECORDS,
  ...SUBSCRIPTION_RECORDS,
  ...TAX_RECORDS,
};

/** What the world is to know of them: the indexes that lists select on, and how people speak of them. */
export const RECORD_TYPES: { readonly [type: string]: RecordType } = Object.fromEntries(
  Object.entries<RecordType>(RECORDS).map(([type, { indexes, words, quotes, keptMs }]) => [
    type,
    {
      indexes,
      ...(words && { words }),
      ...(quotes && { quotes }),
      ...(keptMs && { keptMs }),
      ...(TITLES as { readonly [type: string]: Wording })[type],
    },
  ]),
);
