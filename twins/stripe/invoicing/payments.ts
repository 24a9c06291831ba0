// Payments of invoices, read back.

import { find, need, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, hash, required, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import { openPayment, settlePaid } from './collect.ts';
import { needInvoice } from './lifecycle.ts';

const payments = operation(
  'invoicePayments.list',
  'GET /v1/invoice_payments',
  {
    ...createdParams,
    invoice: text(),
    payment: hash({ payment_intent: text(), type: required(choice('payment_intent', 'payment_record')) }),
    status: choice('canceled', 'open', 'paid'),
  },
  ({ act, params }) => {
    const { invoice, payment, status } = params;
    const intent = payment?.payment_intent;
    const where =
      intent !== undefined
        ? { $payment_intent: intent }
        : invoice !== undefined
          ? { invoice }
          : status !== undefined
            ? { status }
            : undefined;
    return page(act, 'invoice_payment', params, '/v1/invoice_payments', {
      ...(where === undefined ? {} : { where }),
      keep: held =>
        (invoice === undefined || held.invoice === invoice) &&
        (status === undefined || held.status === status),
    });
  },
  ['payment[payment_record]'],
);

const payment = operation(
  'invoicePayments.retrieve',
  'GET /v1/invoice_payments/{payment}',
  {},
  ({ act, path }) => {
    const id = path['payment'] ?? '';
    const held = find(act, 'invoice_payment', id);
    if (held === undefined) throw missing('invoice_payment', id, { param: 'invoice_payment', inPath: true });
    return viewOf(act, 'invoice_payment', held);
  },
);

/** A payment that was made, or is being made, apart from the invoice now pays it. */
const attach = operation(
  'invoices.attachPayment',
  'POST /v1/invoices/{invoice}/attach_payment',
  { payment_intent: required(text()) },
  ({ act, path, params }) => {
    const held = needInvoice(act, path);
    if (held.status !== 'open') {
      throw invalid(`You can only attach payments to open invoices. This invoice is ${held.status}.`, {
        code: 'invoice_not_editable',
      });
    }
    const intent = need(act, 'payment_intent', params.payment_intent, { param: 'payment_intent' });
    if (intent.$invoice !== null || intent.status === 'canceled' || intent.currency !== held.currency) {
      throw invalid(`The payment intent ${intent.id} cannot pay this invoice.`, { param: 'payment_intent' });
    }
    act.tx.kind('invoice.updated');
    const attached = { ...intent, $invoice: held.id };
    save(act, 'payment_intent', attached);
    save(act, 'invoice_payment', { ...openPayment(act, held, attached), is_default: false });
    if (attached.status === 'succeeded') settlePaid(act, attached);
    return viewOf(act, 'invoice', need(act, 'invoice', held.id, { param: 'invoice' }));
  },
  ['payment_record'],
);

export const invoicePaymentOperations = [payments, payment, attach];
