// Quotes that nobody accepts end by the world's clock.
import type { DueHandlers } from '../../kit/due.ts';
import type { Falling } from '../api/product.ts';
import { endQuote } from '../quotes/quotes.ts';

export type QuotesDue = { 'quote.expire': { readonly quote: string } };

export const quotesDue: DueHandlers<QuotesDue, Falling> = {
  'quote.expire': ({ quote }, { act }) => endQuote(act, quote),
};
