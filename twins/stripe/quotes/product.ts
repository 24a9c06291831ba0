// Stripe's Quotes: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { type QuotesDue, quotesDue } from './due.ts';
import { quotePdfOperation } from './pdf.ts';
import { quoteOperations } from './quotes.ts';
import { QUOTE_RECORDS, type QuoteRecords } from './records.ts';

export const quotes: Product<QuoteRecords, QuotesDue> = {
  operations: [...quoteOperations, quotePdfOperation],
  records: QUOTE_RECORDS,
  due: quotesDue,
  models: [['quote', 'qt_', 'quotes']],
  events: [
    'invoice.created',
    'invoiceitem.created',
    'quote.accepted',
    'quote.canceled',
    'quote.created',
    'quote.finalized',
  ],
};
