// Invoices and credit notes as PDF, at the addresses that their objects name.
import type { Reply } from '../../kit/reply.ts';
import { type Act, all, find, need } from '../api/act.ts';
import { money } from '../api/money.ts';
import { notice, type Screen } from '../api/screen.ts';
import { linesOf } from './draft.ts';
import { day, taxWords } from './page-words.ts';
import { makePdf, type PdfRow } from './pdf.ts';
import type { CreditNote, Invoice } from './records.ts';
import { sumOf } from './sums.ts';

const TOKEN = /^test_/;
const RULE: PdfRow = [''];

function invoicePdf(act: Act, invoice: Invoice): Uint8Array {
  const shown = (amount: number): string => money(amount, invoice.currency);
  const off = sumOf(invoice.total_discount_amounts);
  const taxes = taxWords(act, invoice).map(({ name, amount }): PdfRow => [name, shown(amount)]);
  return makePdf(`Invoice ${invoice.number ?? ''}`, [
    [`To: ${invoice.customer_name ?? ''} ${invoice.customer_email ?? ''}`],
    [`Date: ${day(invoice.status_transitions.finalized_at ?? invoice.created)}`],
    ...(invoice.due_date === null ? [] : [[`Due: ${day(invoice.due_date)}`] as const]),
    RULE,
    ...linesOf(act, invoice.id).map((line): PdfRow => [line.description ?? '', shown(line.amount)]),
    RULE,
    ['Subtotal', shown(invoice.subtotal)],
    ...(off === 0 ? [] : [['Discount', shown(-off)] as const]),
    ...taxes,
    ['Total', shown(invoice.total)],
    ['Amount due', shown(invoice.amount_remaining)],
    ...(invoice.footer === null ? [] : [RULE, [invoice.footer] as const]),
  ]);
}

function notePdf(act: Act, note: CreditNote): Uint8Array {
  const shown = (amount: number): string => money(amount, note.currency);
  const invoice = find(act, 'invoice', note.invoice);
  return makePdf(`Credit note ${note.number}`, [
    [`Of invoice ${invoice?.number ?? note.invoice}, ${day(note.created)}`],
    RULE,
    ...all(act, 'credit_note_line_item', { $credit_note: note.id }).map(
      (line): PdfRow => [line.description ?? '', shown(line.amount)],
    ),
    RULE,
    ['Total', shown(note.total)],
    ...(note.memo === null ? [] : [[note.memo] as const]),
  ]);
}

function pdfReply(body: Uint8Array): Reply {
  return {
    status: 200,
    headers: [
      ['Content-Type', 'application/pdf'],
      ['Cache-Control', 'no-store'],
    ],
    body,
  };
}

const idIn = (path: { readonly [name: string]: string }): string => (path['token'] ?? '').replace(TOKEN, '');

const invoiceDocument: Screen = {
  id: 'invoice-pdf',
  host: 'pay.stripe.com',
  path: '/invoice/{account}/{token}/pdf',
  run({ act, path }) {
    const held = need(act, 'invoice', idIn(path), { param: 'invoice', inPath: true });
    return held.status === 'draft'
      ? notice(404, 'Page not found', 'There is no such page.')
      : pdfReply(invoicePdf(act, held));
  },
};

const noteDocument: Screen = {
  id: 'credit-note-pdf',
  host: 'pay.stripe.com',
  path: '/credit_notes/{account}/{token}/pdf',
  run: ({ act, path }) =>
    pdfReply(notePdf(act, need(act, 'credit_note', idIn(path), { param: 'id', inPath: true }))),
};

export const documentScreens = [invoiceDocument, noteDocument];
