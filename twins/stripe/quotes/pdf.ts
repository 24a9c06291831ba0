// A quote as PDF.
import { type Act, need } from '../api/act.ts';
import { money } from '../api/money.ts';
import { operation } from '../api/operation.ts';
import { day } from '../invoicing/page-words.ts';
import { makePdf, type PdfRow } from '../invoicing/pdf.ts';
import { lineViews, pricedOf } from './draft.ts';
import type { Quote } from './records.ts';

const RULE: PdfRow = [''];

function quotePdf(act: Act, quote: Quote): Uint8Array {
  const shown = (amount: number): string => money(amount, quote.currency ?? 'usd');
  const lines = lineViews(act, quote, pricedOf(act, quote.$lines)).map(
    (line): PdfRow => [
      `${line['quantity']} x ${line['description'] ?? ''}`,
      shown(Number(line['amount_total'])),
    ],
  );
  return makePdf(`Quote ${quote.number ?? '(draft)'}`, [
    ...(quote.header === null ? [] : [[quote.header] as const]),
    [`Holds until ${day(quote.expires_at)}`],
    RULE,
    ...lines,
    RULE,
    ['Total', shown(quote.amount_total)],
    ...(quote.footer === null ? [] : [RULE, [quote.footer] as const]),
  ]);
}

/** At files.stripe.com. */
export const quotePdfOperation = operation(
  'quotes.pdf',
  'GET /v1/quotes/{quote}/pdf',
  {},
  ({ act, path }) => ({
    $type: 'application/pdf',
    $bytes: quotePdf(act, need(act, 'quote', path['quote'] ?? '', { param: 'quote', inPath: true })),
  }),
);
