// Payments of invoices, read back.
import { missing } from './errors.ts';
import { createdParams, page } from './list.ts';
import { operation } from './operation.ts';
import { choice, hash, required, text } from './params.ts';
import { find } from './records.ts';
import { viewOf } from './views.ts';

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
);

const payment = operation(
  'invoicePayments.retrieve',
  'GET /v1/invoice_payments/{payment}',
  {},
  ({ act, path }) => {
    const id = path['payment'] ?? '';
    const held = find(act, 'invoice_payment', id);
    if (held === undefined) throw missing('invoice_payment', id, { param: 'invoice_payment', inPath: true });
    return viewOf(act.tx, 'invoice_payment', held);
  },
);

export const invoicePaymentOperations = [payments, payment];
