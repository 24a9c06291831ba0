// What is kept of quotes.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { Stored } from '../api/wire.ts';

export type Quote = Stored<Stripe.Quote, 'line_items', { $lines: readonly QuoteLine[] }>;
export type QuoteLine = {
  readonly id: string;
  readonly price: string;
  readonly quantity: number;
  readonly discounts: readonly string[];
  readonly tax_rates: readonly string[];
};

export type QuoteRecords = { quote: Quote };

export const QUOTE_RECORDS: RecordRows<QuoteRecords> = {
  quote: { indexes: [['customer'], ['status']] },
};
