// What invoicing keeps: invoices with their lines, what waits to be on one, and notes that take back.
import type { Stripe } from 'stripe';
import { select } from '../api/act.ts';
import type { RecordRows } from '../api/record-row.ts';
import { listUnder, listView, type View, type Viewer, viewOf } from '../api/view.ts';
import type { Stored } from '../api/wire.ts';

/** Its lines and payments are records of their own. */
export type Invoice = Stored<
  Stripe.Invoice,
  'lines' | 'payments',
  { $subscription: string | null; $payment_intent: string | null }
>;
export type InvoiceLineItem = Stored<
  Stripe.InvoiceLineItem,
  never,
  { $invoice_item: string | null; $tax_rates?: readonly string[] }
>;
export type InvoiceItem = Stored<
  Stripe.InvoiceItem,
  never,
  { $subscription: string | null; $subscription_item: string | null }
>;
export type InvoicePayment = Stored<Stripe.InvoicePayment, never, { $payment_intent: string | null }>;
export type CreditNote = Stored<Stripe.CreditNote, 'lines', object>;
export type CreditNoteLine = Stored<Stripe.CreditNoteLineItem, never, { $credit_note: string }>;
/** What moved a customer's balance, which their next invoice takes up. */
export type BalanceTransaction = Stored<Stripe.CustomerBalanceTransaction, never, object>;

export type InvoicingRecords = {
  invoice: Invoice;
  line_item: InvoiceLineItem;
  invoiceitem: InvoiceItem;
  invoice_payment: InvoicePayment;
  credit_note: CreditNote;
  credit_note_line_item: CreditNoteLine;
  customer_balance_transaction: BalanceTransaction;
};

export const INVOICING_RECORDS: RecordRows<InvoicingRecords> = {
  invoice: {
    indexes: [['customer'], ['status'], ['$subscription'], ['collection_method']],
    words: ['metadata'],
    inlined: (by, { id }) => ({
      lines: linesView(by, 'line_item', { invoice: id }, `/v1/invoices/${id}/lines`),
    }),
    expandable: {
      payments: {
        include: (by, { id }) =>
          listUnder(by, 'invoice_payment', { invoice: String(id) }, `/v1/invoice_payments?invoice=${id}`),
      },
      confirmation_secret: { include: confirmationSecret },
    },
  },
  line_item: { indexes: [['invoice']], noun: 'line item' },
  invoiceitem: { indexes: [['customer'], ['invoice']] },
  invoice_payment: { indexes: [['invoice'], ['status'], ['$payment_intent']] },
  credit_note: {
    indexes: [['customer'], ['invoice']],
    noun: 'credit note',
    inlined: (by, { id }) => ({
      lines: linesView(by, 'credit_note_line_item', { $credit_note: id }, `/v1/credit_notes/${id}/lines`),
    }),
  },
  credit_note_line_item: { indexes: [['$credit_note']] },
  customer_balance_transaction: { indexes: [['customer'], ['invoice']] },
};

/** How many lines an invoice or a note shows in itself; the rest is on `/lines`. */
const INLINE_LINES = 10;
/** What an invoice may have at Stripe. */
const LINES_MAX = 1_000;

function linesView(
  by: Viewer,
  type: 'line_item' | 'credit_note_line_item',
  where: { readonly [field: string]: string },
  url: string,
): View {
  const { items } = select(by.tx, type, { where, order: 'oldest', limit: LINES_MAX });
  const data = items.slice(0, INLINE_LINES).map(line => viewOf(by, type, line));
  return { ...listView(data, items.length > data.length, url), total_count: items.length };
}

function confirmationSecret({ tx }: Viewer, { id }: View): View | null {
  const intent = tx.get('invoice', String(id))?.['$payment_intent'];
  const secret = typeof intent === 'string' ? tx.get('payment_intent', intent)?.['client_secret'] : null;
  return typeof secret === 'string' ? { client_secret: secret, type: 'payment_intent' } : null;
}
