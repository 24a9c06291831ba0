// Credit notes: what an invoice that was finalized asks less for, or gives back.
import type { Stripe } from 'stripe';
import { invalid } from '../errors.ts';
import { tell, update } from '../events.ts';
import { linesOf } from '../invoice-draft.ts';
import { markPaid, subscriptionPaid } from '../invoice-payment.ts';
import { page } from '../list.ts';
import { type Act, need, save, select } from '../records.ts';
import { type Given, vendor, whole } from '../vendor.ts';
import { listView, type View, viewOf } from '../views.ts';
import type { Invoice } from '../wire.ts';
import { moveBalance, saveMoved } from './balance.ts';
import { tagged } from './coupons.ts';
import type { CreditNote, CreditNoteLine } from './records.ts';

type Ask = Given<Stripe.CreditNoteCreateParams>;
type LineAsk = NonNullable<Ask['lines']>[number];
type Draft = {
  readonly note: CreditNote;
  readonly lines: readonly CreditNoteLine[];
  readonly invoice: Invoice;
};

/** The note that a call asks for; nothing is saved. */
function draftOf(act: Act, ask: Ask): Draft {
  const invoice = need(act, 'invoice', ask.invoice, { param: 'invoice' });
  if (invoice.status !== 'open' && invoice.status !== 'paid') {
    throw invalid(`You cannot create a credit note for an invoice with status ${invoice.status}.`, {
      param: 'invoice',
    });
  }
  const id = act.tx.id('cn_', 24);
  const lines = noteLines(act, ask, invoice, id);
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  if (amount <= 0)
    throw invalid('The amount of a credit note must be greater than zero.', { param: 'amount' });
  const paid = invoice.status === 'paid';
  const room = paid ? invoice.total - creditedOf(act, invoice) : invoice.amount_remaining;
  if (amount > room) {
    throw invalid(`The credit note amount (${amount}) is more than what is left to credit (${room}).`, {
      code: 'amount_too_large',
      param: 'amount',
    });
  }
  const given = (ask.refund_amount ?? 0) + (ask.credit_amount ?? 0) + (ask.out_of_band_amount ?? 0);
  if (paid && given !== amount) {
    throw invalid(
      `The sum of refund_amount, credit_amount and out_of_band_amount (${given}) must equal the credit note amount (${amount}).`,
      { param: 'amount' },
    );
  }
  if (!paid && given > 0) {
    throw invalid('An open invoice is credited before it is paid: nothing of it can be given back.', {
      param: 'credit_amount',
    });
  }
  const count = select(act.tx, 'credit_note', { where: { invoice: invoice.id }, limit: 100 }).items.length;
  const number = `${invoice.number ?? invoice.id}-CN-${String(count + 1).padStart(2, '0')}`;
  const note = whole<CreditNote>('credit_note', {
    id,
    amount,
    amount_shipping: 0,
    created: act.at,
    currency: invoice.currency,
    customer: invoice.customer ?? '',
    discount_amount: 0,
    discount_amounts: [],
    effective_at: ask.effective_at ?? act.at,
    invoice: invoice.id,
    memo: ask.memo ?? null,
    metadata: tagged(null, ask.metadata),
    number,
    out_of_band_amount: ask.out_of_band_amount ?? null,
    pdf: `https://pay.stripe.com/credit_notes/acct_twin/test_${id}/pdf?s=ap`,
    post_payment_amount: paid ? amount : 0,
    pre_payment_amount: paid ? 0 : amount,
    pretax_credit_amounts: [],
    reason: (ask.reason ?? null) as CreditNote['reason'],
    refunds: [],
    status: 'issued',
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_excluding_tax: amount,
    total_taxes: [],
    type: paid ? 'post_payment' : 'pre_payment',
  });
  return { note, lines, invoice };
}

function creditedOf(act: Act, invoice: Invoice): number {
  return select(act.tx, 'credit_note', { where: { invoice: invoice.id }, limit: 100 })
    .items.filter(({ status, type }) => status === 'issued' && type === 'post_payment')
    .reduce((sum, { amount }) => sum + amount, 0);
}

function noteLines(act: Act, ask: Ask, invoice: Invoice, note: string): CreditNoteLine[] {
  const blank = (fields: Partial<CreditNoteLine> & { amount: number }): CreditNoteLine =>
    whole<CreditNoteLine>('credit_note_line_item', {
      id: act.tx.id('cnli_', 24),
      description: null,
      discount_amount: 0,
      discount_amounts: [],
      metadata: {},
      pretax_credit_amounts: [],
      quantity: 1,
      tax_rates: [],
      taxes: [],
      type: 'custom_line_item',
      unit_amount: fields.amount,
      unit_amount_decimal: String(fields.amount),
      $credit_note: note,
      ...fields,
    });
  if (ask.lines === undefined) {
    const amount =
      ask.amount ?? (ask.refund_amount ?? 0) + (ask.credit_amount ?? 0) + (ask.out_of_band_amount ?? 0);
    return [blank({ amount, description: 'Credit' })];
  }
  const held = linesOf(act, invoice.id);
  return ask.lines.map((line: LineAsk, at: number) => {
    const param = `lines[${at}]`;
    if (line.type === 'custom_line_item') {
      const quantity = line.quantity ?? 1;
      const unit = line.unit_amount ?? Number(line.unit_amount_decimal ?? 0);
      return blank({
        amount: Math.round(unit * quantity),
        description: line.description ?? null,
        quantity,
        unit_amount: Number.isInteger(unit) ? unit : null,
        unit_amount_decimal: line.unit_amount_decimal ?? String(unit),
      });
    }
    const source = held.find(({ id }) => id === line.invoice_line_item);
    if (source === undefined) {
      throw invalid(`No such invoice line item: '${line.invoice_line_item}'`, {
        code: 'resource_missing',
        param: `${param}[invoice_line_item]`,
      });
    }
    const each = source.amount / Math.max(1, source.quantity ?? 1);
    const quantity = line.quantity ?? source.quantity ?? 1;
    return blank({
      amount: line.amount ?? Math.round(each * quantity),
      description: line.description ?? source.description,
      invoice_line_item: source.id,
      quantity: line.amount === undefined ? quantity : null,
      type: 'invoice_line_item',
      unit_amount: Math.round(each),
      unit_amount_decimal: String(each),
    });
  });
}

const create = vendor<Stripe.CreditNoteCreateParams>('creditNotes.create', ({ act, params }) => {
  const { note, lines, invoice } = draftOf(act, params);
  act.tx.kind('credit_note.created');
  for (const line of lines) save(act, 'credit_note_line_item', line);
  let issued = note;
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
  return viewOf(act.tx, 'credit_note', issued);
});

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
  if (left === 0) subscriptionPaid(act, markPaid(act, next, null));
}

function needNote(act: Act, path: { readonly [name: string]: string }): CreditNote {
  return need(act, 'credit_note', path['id'] ?? '', { param: 'id', inPath: true });
}

const retrieve = vendor<object>('creditNotes.retrieve', ({ act, path }) =>
  viewOf(act.tx, 'credit_note', needNote(act, path)),
);

const change = vendor<Stripe.CreditNoteUpdateParams>('creditNotes.update', ({ act, path, params }) => {
  const held = needNote(act, path);
  const next: CreditNote = {
    ...held,
    memo: params.memo ?? held.memo,
    metadata: tagged(held.metadata, params.metadata),
  };
  return viewOf(act.tx, 'credit_note', update(act, 'credit_note', held, next, 'credit_note.updated'));
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
  tell(act, 'credit_note.voided', 'credit_note', next, viewOf(act.tx, 'credit_note', held));
  update(
    act,
    'invoice',
    invoice,
    {
      ...invoice,
      amount_due: invoice.amount_due + held.amount,
      amount_remaining: invoice.amount_remaining + held.amount,
      pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount - held.amount,
    },
    'invoice.updated',
  );
  return viewOf(act.tx, 'credit_note', next);
});

const listAll = vendor<Stripe.CreditNoteListParams>('creditNotes.list', ({ act, params }) => {
  const { customer, invoice } = params;
  const where = invoice !== undefined ? { invoice } : customer !== undefined ? { customer } : undefined;
  return page(act, 'credit_note', params as never, '/v1/credit_notes', {
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

function previewLines(act: Act, draft: Draft): View {
  const data = draft.lines.map(line => viewOf(act.tx, 'credit_note_line_item', line));
  return listView(data, false, `/v1/credit_notes/preview/lines?invoice=${draft.invoice.id}`);
}

const preview = vendor<Stripe.CreditNotePreviewParams>('creditNotes.preview', ({ act, params }) => {
  const draft = draftOf(act, params);
  return { ...viewOf(act.tx, 'credit_note', draft.note), lines: previewLines(act, draft) };
});

const listPreview = vendor<Stripe.CreditNoteListPreviewLineItemsParams>(
  'creditNotes.listPreviewLineItems',
  ({ act, params }) => previewLines(act, draftOf(act, params as unknown as Ask)),
);

export const creditNoteOperations = [create, retrieve, change, voiding, listAll, lines, preview, listPreview];
