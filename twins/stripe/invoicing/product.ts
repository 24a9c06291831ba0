// Stripe's Invoicing: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { creditNoteOperations } from './credit-notes.ts';
import { customerBalanceOperations } from './customer-balance.ts';
import { invoiceOperations } from './invoices.ts';
import { invoiceItemOperations } from './items.ts';
import { invoiceLifecycleOperations } from './lifecycle.ts';
import { invoiceLineOperations } from './lines.ts';
import { invoicePaymentOperations } from './payments.ts';
import { INVOICING_RECORDS, type InvoicingRecords } from './records.ts';

export const invoicing: Product<InvoicingRecords> = {
  operations: [
    ...invoiceOperations,
    ...invoiceLifecycleOperations,
    ...invoiceLineOperations,
    ...invoiceItemOperations,
    ...invoicePaymentOperations,
    ...creditNoteOperations,
    ...customerBalanceOperations,
  ],
  records: INVOICING_RECORDS,
  due: {},
  models: [
    ['invoice', 'in_', 'invoices'],
    ['invoice_payment', 'inpay_', 'invoicePayments'],
    ['invoiceitem', 'ii_', 'invoiceItems'],
    ['credit_note', 'cn_', 'creditNotes'],
  ],
  events: [
    'credit_note.created',
    'credit_note.updated',
    'credit_note.voided',
    'customer.subscription.updated',
    'invoice.created',
    'invoice.deleted',
    'invoice.finalized',
    'invoice.marked_uncollectible',
    'invoice.overdue',
    'invoice.overpaid',
    'invoice.paid',
    'invoice.payment_action_required',
    'invoice.payment_failed',
    'invoice.payment_succeeded',
    'invoice.sent',
    'invoice.updated',
    'invoice.voided',
    'invoice_payment.paid',
    'invoiceitem.created',
    'invoiceitem.deleted',
    'payment_intent.canceled',
    'payment_intent.created',
  ],
};
