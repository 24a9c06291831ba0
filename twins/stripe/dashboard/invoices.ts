// Invoices: what somebody is asked to pay, line by line.
import { type Html, html } from '../../kit/html.ts';
import { select } from '../api/act.ts';
import { taxWords } from '../invoicing/page-words.ts';
import type { Invoice, InvoiceLineItem, InvoicePayment } from '../invoicing/records.ts';
import { sumOf } from '../invoicing/sums.ts';
import type { Column, Deed, Kind } from './kind.ts';
import { ofPeople, person } from './people.ts';
import { RELATED_SHOWN, section } from './table.ts';
import { refer } from './visit.ts';
import { amount, badge, instant } from './words.ts';

const LINES_SHOWN = 50;

const state = ({ status }: Invoice): Html => badge(status ?? 'draft');

export const invoiceColumns: readonly Column<Invoice>[] = [
  { title: 'Invoice', cell: (visit, { id, number }) => refer(visit, id, number ?? 'Draft') },
  { title: 'Amount', cell: (_visit, { total, currency }) => amount(total, currency) },
  { title: 'State', cell: (_visit, held) => state(held) },
  { title: 'Customer', wide: true, cell: (visit, { customer }) => person(visit, customer) },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

const lineColumns: readonly Column<InvoiceLineItem>[] = [
  { title: 'For', cell: (_visit, { description }) => description ?? '' },
  { title: 'Quantity', wide: true, cell: (_visit, { quantity }) => String(quantity ?? '') },
  { title: 'Amount', cell: (_visit, held) => amount(held.amount, held.currency) },
];

const paymentColumns: readonly Column<InvoicePayment>[] = [
  {
    title: 'Payment',
    cell: (visit, held) =>
      held.$payment_intent === null ? html`<code>${held.id}</code>` : refer(visit, held.$payment_intent),
  },
  { title: 'State', cell: (_visit, { status }) => badge(status) },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

const owed = ({ status }: Invoice): boolean => status === 'open' || status === 'uncollectible';

const deeds: readonly Deed<Invoice>[] = [
  {
    name: 'finalize',
    label: 'Finalize',
    about: 'It gets its number, and asks for its amount.',
    when: ({ status }) => status === 'draft',
    does: ({ id }) => ({ operation: 'invoices.finalizeInvoice', path: { invoice: id } }),
  },
  {
    name: 'charge',
    label: 'Charge the customer',
    about: 'Takes the amount from what the customer pays with.',
    when: owed,
    does: ({ id }) => ({ operation: 'invoices.pay', path: { invoice: id } }),
  },
  {
    name: 'paid',
    label: 'Mark as paid',
    about: 'It was paid in another way.',
    when: owed,
    does: ({ id }) => ({
      operation: 'invoices.pay',
      path: { invoice: id },
      params: { paid_out_of_band: 'true' },
    }),
  },
  {
    name: 'void',
    label: 'Void',
    about: 'It asks for nothing any more.',
    when: owed,
    does: ({ id }) => ({ operation: 'invoices.voidInvoice', path: { invoice: id } }),
  },
];

export const invoices: Kind<'invoice'> = {
  type: 'invoice',
  path: 'invoices',
  title: 'Invoices',
  noun: 'invoice',
  list: {
    operation: 'invoices.list',
    search: 'invoices.search',
    byWords: (visit, asked) => ofPeople(visit, 'invoice', asked),
    columns: invoiceColumns,
    filters: [
      { param: 'status', title: 'State', values: ['draft', 'open', 'paid', 'uncollectible', 'void'] },
    ],
    takes: ['customer', 'subscription'],
    empty: {
      says: 'No invoices yet.',
      curl: '/v1/invoices -u sk_test_1: -d customer=cus_…',
    },
  },
  heading: ({ number }) => (number === null ? 'Draft of an invoice' : `Invoice ${number}`),
  facts: (visit, held) => {
    const off = sumOf(held.total_discount_amounts);
    return [
      ['State', state(held)],
      ['Customer', person(visit, held.customer)],
      ['Subtotal', amount(held.subtotal, held.currency)],
      ['Discount', off === 0 ? null : amount(-off, held.currency)],
      ...taxWords(visit.act, held).map(
        ({ name, amount: tax }) => [name, amount(tax, held.currency)] as const,
      ),
      ['Total', amount(held.total, held.currency)],
      ['Paid', amount(held.amount_paid, held.currency)],
      ['Still owed', amount(held.amount_remaining, held.currency)],
      ['Subscription', held.$subscription === null ? null : refer(visit, held.$subscription)],
      ['Payment', held.$payment_intent === null ? null : refer(visit, held.$payment_intent)],
      ['Due', held.due_date === null ? null : instant(held.due_date)],
      [
        'Page for the customer',
        held.hosted_invoice_url == null
          ? null
          : html`<a href="${held.hosted_invoice_url}">${held.hosted_invoice_url}</a>`,
      ],
      ['Created', instant(held.created)],
    ];
  },
  related: (visit, { id }) => {
    const { tx } = visit.act;
    const lines = select(tx, 'line_item', { where: { invoice: id }, order: 'oldest', limit: LINES_SHOWN });
    const paid = select(tx, 'invoice_payment', { where: { invoice: id }, limit: RELATED_SHOWN });
    return html`${section(visit, 'Lines', lineColumns, lines.items)}
${lines.more ? html`<p class="quiet">The first ${LINES_SHOWN} are here.</p>` : null}
${section(visit, 'Payments', paymentColumns, paid.items)}`;
  },
  deeds,
};
