// Quotes as this twin models it.
import type { Product } from '../api/product.ts';
import { type QuotesDue, quotesDue } from './due.ts';
import { quoteOperations } from './quotes.ts';
import { QUOTE_RECORDS, type QuoteRecords } from './records.ts';

export const quotes: Product<QuoteRecords, QuotesDue> = {
  operations: [...quoteOperations],
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
