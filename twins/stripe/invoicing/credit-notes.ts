// Credit notes: what an invoice that was finalized asks less for, or gives back.
import type { Stripe } from 'stripe';
import { type Act, all, find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { page } from '../api/list.ts';
import { vendor } from '../api/vendor.ts';
import { listView, type View, viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import { tell, update } from '../events/events.ts';
import { refund } from '../payments/refunds.ts';
import { closeIntent, markPaid, subscriptionPaid } from './collect.ts';
import { CREDIT_NOTE_UNMODELLED, draftOf, type NoteAsk, type NoteDraft } from './credit-note-draft.ts';
import { moveBalance, saveMoved } from './customer-balance.ts';
import type { CreditNote, Invoice } from './records.ts';

const create = vendor<Stripe.CreditNoteCreateParams>(
  'creditNotes.create',
  ({ act, params }) => {
    const { note, lines, invoice } = draftOf(act, params);
    const charged = (params.refund_amount ?? 0) > 0 ? chargedFor(act, invoice) : null;
    act.tx.kind('credit_note.created');
    let issued = note;
    if (charged !== null) {
      const amount = params.refund_amount ?? 0;
      const made = refund(act, { payment_intent: charged, amount });
      const told = {
        amount_refunded: amount,
        payment_record_refund: null,
        refund: String(made['id']),
        type: 'refund' as const,
      };
      issued = { ...issued, refunds: [...issued.refunds, told] };
    }
    for (const line of lines) save(act, 'credit_note_line_item', line);
    const credit = params.credit_amount ?? 0;
    if (credit > 0) {
      const customer = need(act, 'customer', note.customer, { param: 'customer' });
      const moved = moveBalance(act, customer, {
        amount: -credit,
        currency: note.currency,
        type: 'credit_note',
        credit_note: note.id,
        invoice: invoice.id,
      });
      saveMoved(act, customer, moved.customer);
      issued = { ...issued, customer_balance_transaction: moved.transaction.id };
    }
    save(act, 'credit_note', issued);
    tell(act, 'credit_note.created', 'credit_note', issued);
    applyTo(act, invoice, issued);
    return viewOf(act, 'credit_note', issued);
  },
  {},
  CREDIT_NOTE_UNMODELLED,
);

/** The intent that paid an invoice. Throws `StripeRefusal` for one that was paid otherwise. */
function chargedFor(act: Act, invoice: Invoice): string {
  const intent = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  if (intent?.status !== 'succeeded') {
    throw invalid('This invoice was not paid by a charge that can be refunded.', { param: 'refund_amount' });
  }
  return intent.id;
}

/** An open invoice asks for less, and is paid when nothing is left to ask for. */
function applyTo(act: Act, invoice: Invoice, note: CreditNote): void {
  if (note.type === 'post_payment') {
    const amount = invoice.post_payment_credit_notes_amount + note.amount;
    update(
      act,
      'invoice',
      invoice,
      { ...invoice, post_payment_credit_notes_amount: amount },
      'invoice.updated',
    );
    return;
  }
  const left = invoice.amount_remaining - note.amount;
  const next: Invoice = {
    ...invoice,
    amount_due: invoice.amount_due - note.amount,
    amount_remaining: left,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount + note.amount,
  };
  update(act, 'invoice', invoice, next, 'invoice.updated');
  if (left > 0) return askFor(act, next);
  const paid = markPaid(act, next, null);
  closeIntent(act, paid);
  subscriptionPaid(act, paid);
}

/** What is paid with the invoice's intent is what is left to pay. */
function askFor(act: Act, invoice: Invoice): void {
  const intent = find(act, 'payment_intent', invoice.$payment_intent ?? '');
  if (intent === undefined) return;
  save(act, 'payment_intent', { ...intent, amount: invoice.amount_remaining });
  for (const payment of all(act, 'invoice_payment', { invoice: invoice.id })) {
    if (payment.status === 'open') {
      save(act, 'invoice_payment', { ...payment, amount_requested: invoice.amount_remaining });
    }
  }
}

function needNote(act: Act, path: { readonly [name: string]: string }): CreditNote {
  return need(act, 'credit_note', path['id'] ?? '', { param: 'id', inPath: true });
}

const retrieve = vendor<object>('creditNotes.retrieve', ({ act, path }) =>
  viewOf(act, 'credit_note', needNote(act, path)),
);

const change = vendor<Stripe.CreditNoteUpdateParams>('creditNotes.update', ({ act, path, params }) => {
  const held = needNote(act, path);
  const next: CreditNote = {
    ...held,
    memo: params.memo ?? held.memo,
    metadata: mergeTags(held.metadata, params.metadata),
  };
  return viewOf(act, 'credit_note', update(act, 'credit_note', held, next, 'credit_note.updated'));
});

const voiding = vendor<object>('creditNotes.voidCreditNote', ({ act, path }) => {
  const held = needNote(act, path);
  const invoice = need(act, 'invoice', held.invoice, { param: 'invoice' });
  if (held.status === 'void' || held.type !== 'pre_payment' || invoice.status !== 'open') {
    throw invalid('You can only void a credit note that was issued for an invoice that is still open.', {
      param: 'id',
    });
  }
  const next: CreditNote = { ...held, status: 'void', voided_at: act.at };
  act.tx.kind('credit_note.voided');
  save(act, 'credit_note', next);
  tell(act, 'credit_note.voided', 'credit_note', next, viewOf(act, 'credit_note', held));
  const after: Invoice = {
    ...invoice,
    amount_due: invoice.amount_due + held.amount,
    amount_remaining: invoice.amount_remaining + held.amount,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount - held.amount,
  };
  askFor(act, update(act, 'invoice', invoice, after, 'invoice.updated'));
  return viewOf(act, 'credit_note', next);
});

const listAll = vendor<Stripe.CreditNoteListParams>('creditNotes.list', ({ act, params }) => {
  const { customer, invoice } = params;
  const where = invoice !== undefined ? { invoice } : customer !== undefined ? { customer } : undefined;
  return page(act, 'credit_note', params, '/v1/credit_notes', {
    ...(where === undefined ? {} : { where }),
    keep: note => customer === undefined || note.customer === customer,
  });
});

const lines = vendor<Stripe.PaginationParams>('creditNotes.listLineItems', ({ act, path, params }) => {
  const note = needNote(act, path);
  return page(act, 'credit_note_line_item', params, `/v1/credit_notes/${note.id}/lines`, {
    where: { $credit_note: note.id },
    order: 'oldest',
  });
});

function previewLines(act: Act, draft: NoteDraft): View {
  const data = draft.lines.map(line => viewOf(act, 'credit_note_line_item', line));
  return listView(data, false, `/v1/credit_notes/preview/lines?invoice=${draft.invoice.id}`);
}

const preview = vendor<Stripe.CreditNotePreviewParams>(
  'creditNotes.preview',
  ({ act, params }) => {
    const draft = draftOf(act, params);
    return { ...viewOf(act, 'credit_note', draft.note), lines: previewLines(act, draft) };
  },
  {},
  CREDIT_NOTE_UNMODELLED,
);

const listPreview = vendor<Stripe.CreditNoteListPreviewLineItemsParams>(
  'creditNotes.listPreviewLineItems',
  ({ act, params }) => previewLines(act, draftOf(act, params as unknown as NoteAsk)),
  {},
  CREDIT_NOTE_UNMODELLED,
);

export const creditNoteOperations = [create, retrieve, change, voiding, listAll, lines, preview, listPreview];
