// What moves an invoice on by hand: finalized, paid, sent, given up.

import { schedule } from '../../kit/due.ts';
import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { boolean, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { Due } from '../due.ts';
import { tell, update } from '../events/events.ts';
import { declineRefusal } from '../payments/attempt.ts';
import { ownedMethod } from '../payments/methods.ts';
import {
  closeIntent,
  collect,
  finalize,
  markDelinquent,
  markPaid,
  methodFor,
  subscriptionPaid,
} from './collect.ts';
import { returnCredits } from './credits.ts';
import { returnBalance } from './customer-balance.ts';
import { DRAFT_SECONDS, linesOf } from './draft.ts';
import type { Invoice } from './records.ts';

export function needInvoice(act: Act, path: { readonly [name: string]: string }): Invoice {
  return need(act, 'invoice', path['invoice'] ?? '', { param: 'invoice', inPath: true });
}

const finalizing = operation(
  'invoices.finalizeInvoice',
  'POST /v1/invoices/{invoice}/finalize',
  { auto_advance: boolean() },
  ({ act, path, params }) => {
    const held = needInvoice(act, path);
    if (held.status !== 'draft') {
      throw invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.", {
        code: 'invoice_not_editable',
      });
    }
    if (linesOf(act, held.id).length === 0) throw nothingToInvoice();
    const open = finalize(act, { ...held, auto_advance: params.auto_advance ?? held.auto_advance ?? false });
    // What advances by itself is collected an hour after it was finalized by hand.
    if (
      open.status === 'open' &&
      open.auto_advance === true &&
      open.collection_method === 'charge_automatically'
    ) {
      schedule<Due>(act.tx, `retry:${open.id}`, (act.at + DRAFT_SECONDS) * 1000, {
        kind: 'invoice.retry',
        invoice: open.id,
      });
    }
    return viewOf(act, 'invoice', open);
  },
);

function nothingToInvoice(): Error {
  return invalid('You cannot finalize an invoice that has no line items.', {
    code: 'invoice_no_customer_line_items',
  });
}

const pay = operation(
  'invoices.pay',
  'POST /v1/invoices/{invoice}/pay',
  {
    off_session: boolean(),
    paid_out_of_band: boolean(),
    payment_method: text(),
    source: text(),
  },
  ({ act, path, params }) => {
    const held = needInvoice(act, path);
    if (held.status === 'paid') throw invalid('Invoice is already paid', { code: 'invoice_already_paid' });
    if (held.status === 'void')
      throw invalid('This invoice is void and can no longer be paid.', { code: 'invoice_not_editable' });
    if (held.status === 'draft' && linesOf(act, held.id).length === 0) throw nothingToInvoice();
    const asSource = params.payment_method === undefined ? 'source' : 'payment_method';
    const named = params.payment_method ?? params.source;
    const method =
      named === undefined ? methodFor(act, held) : ownedMethod(act, named, held.customer, asSource);
    if (method === null && params.paid_out_of_band !== true && held.amount_due > 0) {
      throw invalid(
        'There is no `default_payment_method` set on this Customer or Invoice. Please attach a PaymentMethod, or pass one to pay with.',
        { code: 'invoice_payment_intent_requires_action' },
      );
    }
    act.tx.kind('invoice.paid');
    const open = held.status === 'draft' ? finalize(act, held) : held;
    if (open.status === 'paid') return viewOf(act, 'invoice', open);
    if (params.paid_out_of_band === true) {
      const paid = markPaid(act, open, null, { outOfBand: true });
      closeIntent(act, paid);
      subscriptionPaid(act, paid);
      return viewOf(act, 'invoice', paid);
    }
    const collected = collect(act, open, method, { offSession: params.off_session ?? true });
    if (collected.outcome === 'paid') {
      subscriptionPaid(act, collected.invoice);
      return viewOf(act, 'invoice', collected.invoice);
    }
    const attempted = collected.attempted;
    if (attempted?.decline != null) throw declineRefusal(act, attempted.intent, attempted.decline);
    throw declineRefusal(
      act,
      attempted?.intent ?? need(act, 'payment_intent', open.$payment_intent ?? '', { param: 'invoice' }),
      {
        code: 'invoice_payment_intent_requires_action',
        decline_code: 'authentication_required',
        message: 'This payment requires additional user action before it can be completed successfully.',
      },
    );
  },
  ['forgive', 'mandate'],
);

const send = operation('invoices.sendInvoice', 'POST /v1/invoices/{invoice}/send', {}, ({ act, path }) => {
  const held = needInvoice(act, path);
  if (held.status !== 'draft' && held.status !== 'open') {
    throw invalid(`Invoices with status ${held.status} cannot be sent.`, { code: 'invoice_not_editable' });
  }
  if (held.collection_method !== 'send_invoice') {
    throw invalid('You can only manually send an invoice if its collection method is "send_invoice".', {});
  }
  if (held.customer_email === null) {
    throw invalid('The customer of this invoice has no email address to send it to.', {
      code: 'missing',
      param: 'customer',
    });
  }
  if (held.status === 'draft' && linesOf(act, held.id).length === 0) throw nothingToInvoice();
  act.tx.kind('invoice.sent');
  const open = held.status === 'draft' ? finalize(act, held) : held;
  tell(act, 'invoice.sent', 'invoice', open);
  return viewOf(act, 'invoice', open);
});

const voiding = operation('invoices.voidInvoice', 'POST /v1/invoices/{invoice}/void', {}, ({ act, path }) => {
  const held = needInvoice(act, path);
  if (held.status !== 'open' && held.status !== 'uncollectible') {
    throw invalid(`You can only void open or uncollectible invoices. This invoice is ${held.status}.`, {
      code: 'invoice_not_editable',
    });
  }
  const next: Invoice = {
    ...held,
    amount_remaining: 0,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'void',
    status_transitions: { ...held.status_transitions, voided_at: act.at },
  };
  return ended(act, held, next, 'invoice.voided');
});

const uncollectible = operation(
  'invoices.markUncollectible',
  'POST /v1/invoices/{invoice}/mark_uncollectible',
  {},
  ({ act, path }) => {
    const held = needInvoice(act, path);
    if (held.status !== 'open' && held.status !== 'draft') {
      throw invalid(`You can only mark an open invoice as uncollectible. This invoice is ${held.status}.`, {
        code: 'invoice_not_editable',
      });
    }
    const next: Invoice = {
      ...held,
      auto_advance: false,
      next_payment_attempt: null,
      status: 'uncollectible',
      status_transitions: { ...held.status_transitions, marked_uncollectible_at: act.at },
    };
    markDelinquent(act, held, false);
    return ended(act, held, next, 'invoice.marked_uncollectible');
  },
);

function ended(act: Act, held: Invoice, next: Invoice, type: string): ReturnType<typeof viewOf> {
  act.tx.kind(type);
  for (const wait of ['retry', 'overdue', 'finalize']) act.tx.cancel(`${wait}:${held.id}`);
  update(act, 'invoice', held, next, 'invoice.updated');
  tell(act, type, 'invoice', next);
  if (next.status === 'void') {
    closeIntent(act, next);
    returnCredits(act, next);
    returnBalance(act, next);
  }
  return viewOf(act, 'invoice', next);
}

export const invoiceLifecycleOperations = [finalizing, pay, send, voiding, uncollectible];
