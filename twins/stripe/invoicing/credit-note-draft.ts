// The note that a call asks for: its lines with their share of discounts and taxes, and where the money goes. Nothing
// is saved here.
import type { Stripe } from 'stripe';
import { type Act, find, need, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { type Given, whole } from '../api/vendor.ts';
import { mergeTags } from '../catalog/coupons.ts';
import type { TaxRate } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { linesOf } from './draft.ts';
import type { CreditNote, CreditNoteLine, Invoice, InvoiceLineItem } from './records.ts';
import { sumOf, taxesOn } from './sums.ts';

/** What the credit notes of this twin do not do. */
export const CREDIT_NOTE_UNMODELLED = [
  'email_type=credit_note',
  'lines[][tax_amounts]',
  'refunds[][payment_record_refund]',
  'shipping_cost',
];

/** An invoice has at most this many. */
const NOTES_MAX = 100;

export type NoteAsk = Given<Stripe.CreditNoteCreateParams>;
type LineAsk = NonNullable<NoteAsk['lines']>[number];
export type NoteDraft = {
  readonly note: CreditNote;
  readonly lines: readonly CreditNoteLine[];
  readonly invoice: Invoice;
};

export function draftOf(act: Act, ask: NoteAsk): NoteDraft {
  const invoice = need(act, 'invoice', ask.invoice, { param: 'invoice' });
  if (!['open', 'paid', 'uncollectible'].includes(invoice.status ?? '')) {
    throw invalid(`You cannot create a credit note for an invoice with status ${invoice.status}.`, {
      param: 'invoice',
    });
  }
  const id = act.tx.recordId('cn_', 24);
  const lines = noteLines(act, ask, invoice, id);
  const sums = sumsOf(lines);
  const { total: amount } = sums;
  if (amount <= 0)
    throw invalid('The amount of a credit note must be greater than zero.', { param: 'amount' });
  const paid = invoice.status === 'paid';
  const notes = select(act.tx, 'credit_note', { where: { invoice: invoice.id }, limit: NOTES_MAX }).items;
  const credited = notes
    .filter(({ status, type }) => status === 'issued' && type === 'post_payment')
    .reduce((sum, note) => sum + note.amount, 0);
  const room = paid ? invoice.total - credited : invoice.amount_remaining;
  if (amount > room) {
    throw invalid(`The credit note amount (${amount}) is more than what is left to credit (${room}).`, {
      code: 'amount_too_large',
      param: 'amount',
    });
  }
  const refunds = linkedOf(act, ask);
  const linked = sumOf(refunds.map(({ amount_refunded }: Refunded) => ({ amount: amount_refunded })));
  const given = (ask.refund_amount ?? 0) + (ask.credit_amount ?? 0) + (ask.out_of_band_amount ?? 0) + linked;
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
  const note = whole<CreditNote>('credit_note', {
    id,
    amount,
    amount_shipping: 0,
    created: act.at,
    currency: invoice.currency,
    customer: invoice.customer ?? '',
    discount_amount: sums.discount,
    discount_amounts: sums.discounts,
    effective_at: ask.effective_at ?? act.at,
    invoice: invoice.id,
    memo: ask.memo ?? null,
    metadata: mergeTags(null, ask.metadata),
    number: `${invoice.number ?? invoice.id}-CN-${String(notes.length + 1).padStart(2, '0')}`,
    out_of_band_amount: ask.out_of_band_amount ?? null,
    pdf: `https://pay.stripe.com/credit_notes/acct_twin/test_${id}/pdf?s=ap`,
    post_payment_amount: paid ? amount : 0,
    pre_payment_amount: paid ? 0 : amount,
    pretax_credit_amounts: sums.discounts.map(each => ({ ...each, type: 'discount' as const })),
    reason: (ask.reason ?? null) as CreditNote['reason'],
    refunds,
    status: 'issued',
    subtotal: sums.subtotal,
    subtotal_excluding_tax: sums.subtotal - sums.inclusive,
    total: amount,
    total_excluding_tax: amount - sums.inclusive - sums.exclusive,
    total_taxes: sums.taxes,
    type: paid ? 'post_payment' : 'pre_payment',
  });
  return { note, lines, invoice };
}

/** Refunds that were made before and are now accounted for by a note. */
function linkedOf(act: Act, ask: NoteAsk): CreditNote['refunds'] {
  const asked = (ask.refunds ?? []) as readonly { refund?: string; amount_refunded?: number }[];
  return asked.map(({ refund, amount_refunded }, at) => {
    const held = need(act, 'refund', refund ?? '', { param: `refunds[${at}][refund]` });
    return {
      amount_refunded: amount_refunded ?? held.amount,
      payment_record_refund: null,
      refund: held.id,
      type: 'refund' as const,
    };
  });
}

type Refunded = { readonly amount_refunded: number };
type Off = { readonly amount: number; readonly discount: string };
type Tax = NonNullable<CreditNoteLine['taxes']>[number];
type Taxed = NonNullable<InvoiceLineItem['taxes']>[number];

function sumsOf(lines: readonly CreditNoteLine[]) {
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0);
  const discounts = new Map<string, Off>();
  for (const each of lines.flatMap(line => line.discount_amounts as readonly Off[])) {
    const held = discounts.get(each.discount)?.amount ?? 0;
    discounts.set(each.discount, { amount: held + each.amount, discount: each.discount });
  }
  const taxes = new Map<string, Tax>();
  for (const tax of lines.flatMap(line => (line.taxes ?? []) as readonly Tax[])) {
    const key = tax.tax_rate_details?.tax_rate ?? '';
    const held = taxes.get(key);
    taxes.set(key, {
      ...tax,
      amount: (held?.amount ?? 0) + tax.amount,
      taxable_amount: (held?.taxable_amount ?? 0) + (tax.taxable_amount ?? 0),
    });
  }
  const taxOf = (behaviour: string): number =>
    [...taxes.values()].reduce((sum, tax) => sum + (tax.tax_behavior === behaviour ? tax.amount : 0), 0);
  const discount = sumOf([...discounts.values()]);
  return {
    subtotal,
    discount,
    discounts: [...discounts.values()],
    taxes: [...taxes.values()],
    inclusive: taxOf('inclusive'),
    exclusive: taxOf('exclusive'),
    total: subtotal - discount + taxOf('exclusive'),
  };
}

function noteLines(act: Act, ask: NoteAsk, invoice: Invoice, note: string): CreditNoteLine[] {
  if (ask.lines === undefined) {
    const amount =
      ask.amount ?? (ask.refund_amount ?? 0) + (ask.credit_amount ?? 0) + (ask.out_of_band_amount ?? 0);
    return [lineOf(act, note, { amount, description: 'Credit' })];
  }
  const held = linesOf(act, invoice.id);
  return ask.lines.map((line: LineAsk, at: number) => {
    const rates = ratesOf(act, line.tax_rates, `lines[${at}][tax_rates]`);
    if (line.type === 'custom_line_item') return customLine(act, note, line, rates, invoice);
    const source = held.find(({ id }) => id === line.invoice_line_item);
    if (source === undefined) {
      throw invalid(`No such invoice line item: '${line.invoice_line_item}'`, {
        code: 'resource_missing',
        param: `lines[${at}][invoice_line_item]`,
      });
    }
    return partOf(act, note, line, source);
  });
}

function lineOf(
  act: Act,
  note: string,
  fields: Partial<CreditNoteLine> & { amount: number },
): CreditNoteLine {
  return whole<CreditNoteLine>('credit_note_line_item', {
    id: act.tx.recordId('cnli_', 24),
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
}

function customLine(
  act: Act,
  note: string,
  line: LineAsk,
  rates: readonly TaxRate[],
  invoice: Invoice,
): CreditNoteLine {
  const quantity = line.quantity ?? 1;
  const unit = line.unit_amount ?? Number(line.unit_amount_decimal ?? 0);
  const amount = Math.round(unit * quantity);
  return lineOf(act, note, {
    amount,
    description: line.description ?? null,
    metadata: mergeTags(null, line.metadata),
    quantity,
    tax_rates: rates.map(rate => ({ ...rate })),
    taxes: taxesOn(amount, rates, invoice.customer_tax_exempt),
    unit_amount: Number.isInteger(unit) ? unit : null,
    unit_amount_decimal: line.unit_amount_decimal ?? String(unit),
  });
}

/** A part of a line of the invoice, with the same part of what was taken off it and of its taxes. */
function partOf(act: Act, note: string, line: LineAsk, source: InvoiceLineItem): CreditNoteLine {
  const each = source.amount / Math.max(1, source.quantity ?? 1);
  const quantity = line.quantity ?? source.quantity ?? 1;
  const amount = line.amount ?? Math.round(each * quantity);
  const share = source.amount === 0 ? 0 : amount / source.amount;
  const discounts = ((source.discount_amounts ?? []) as readonly Off[]).map(off => ({
    amount: Math.round(off.amount * share),
    discount: String(off.discount),
  }));
  const taxes = (source.taxes ?? []).map((tax: Taxed) => ({
    ...tax,
    amount: Math.round(tax.amount * share),
    taxable_amount: tax.taxable_amount === null ? null : Math.round(tax.taxable_amount * share),
  }));
  const rates = taxes.flatMap(
    (tax: Taxed) => find(act, 'tax_rate', tax.tax_rate_details?.tax_rate ?? '') ?? [],
  );
  return lineOf(act, note, {
    amount,
    description: line.description ?? source.description,
    discount_amount: sumOf(discounts),
    discount_amounts: discounts,
    invoice_line_item: source.id,
    metadata: mergeTags(null, line.metadata),
    pretax_credit_amounts: discounts.map(off => ({ ...off, type: 'discount' as const })),
    quantity: line.amount === undefined ? quantity : null,
    tax_rates: rates.map((rate: TaxRate) => ({ ...rate })),
    taxes,
    type: 'invoice_line_item',
    unit_amount: Math.round(each),
    unit_amount_decimal: String(each),
  });
}
