// Lines of a draft, changed where they stand: added, updated and removed in one call.
import type { Stripe } from 'stripe';
import { invalid, missing } from '../errors.ts';
import { tell } from '../events.ts';
import { invoiceItemLine, linesOf } from '../invoice-draft.ts';
import { amountOf } from '../price-draft.ts';
import { blankItem } from '../proration.ts';
import { type Act, find, need, remove, save } from '../records.ts';
import { type Given, vendor } from '../vendor.ts';
import { viewOf } from '../views.ts';
import type { Invoice, InvoiceItem, InvoiceLineItem } from '../wire.ts';
import { tagged } from './coupons.ts';
import { recountDraft } from './recount.ts';
import { ratesOf } from './tax-rates.ts';

type AddAsk = Given<Stripe.InvoiceAddLinesParams['lines'][number]>;
type ChangeAsk = Given<Stripe.InvoiceUpdateLineItemParams>;

function needDraft(act: Act, id: string): Invoice {
  const invoice = need(act, 'invoice', id, { param: 'invoice', inPath: true });
  if (invoice.status !== 'draft') {
    throw invalid('Invoice is no longer editable', { code: 'invoice_not_editable', param: 'invoice' });
  }
  return invoice;
}

function lineOf(act: Act, invoice: Invoice, id: string): InvoiceLineItem {
  const held = linesOf(act, invoice.id).find(line => line.id === id);
  if (held === undefined) throw missing('line item', id, { param: 'id' });
  return held;
}

/** The item a line is of: one that waits, or a new one. Nothing is saved. */
function itemOf(act: Act, invoice: Invoice, ask: AddAsk, param: string): InvoiceItem {
  if (ask.invoice_item !== undefined) return need(act, 'invoiceitem', ask.invoice_item, { param });
  const id = ask.pricing?.price;
  const price = id === undefined ? null : need(act, 'price', id, { param: `${param}[pricing][price]` });
  const quantity = ask.quantity ?? 1;
  const amount = ask.amount ?? (price === null ? null : amountOf(price, quantity));
  if (amount === null) {
    throw invalid(`Missing required param: ${param}[amount].`, {
      code: 'parameter_missing',
      param: `${param}[amount]`,
    });
  }
  const rates = ratesOf(act, ask.tax_rates, `${param}[tax_rates]`);
  return {
    ...blankItem(act, {
      amount,
      currency: invoice.currency,
      customer: invoice.customer ?? '',
      description:
        ask.description ?? (price === null ? null : (find(act, 'product', price.product)?.name ?? null)),
      period: ask.period ?? { end: act.at, start: act.at },
      price,
      quantity,
    }),
    discountable: ask.discountable ?? true,
    metadata: tagged(null, ask.metadata),
    tax_rates: rates.map(rate => ({ ...rate })) as never,
  };
}

const add = vendor<Stripe.InvoiceAddLinesParams>('invoices.addLines', ({ act, path, params }) => {
  const invoice = needDraft(act, path['id'] ?? '');
  const items = params.lines.map((ask: AddAsk, at: number) => itemOf(act, invoice, ask, `lines[${at}]`));
  act.tx.kind('invoice.updated');
  for (const item of items) {
    const fresh = find(act, 'invoiceitem', item.id) === undefined;
    const taken: InvoiceItem = { ...item, invoice: invoice.id };
    save(act, 'invoiceitem', taken);
    if (fresh) tell(act, 'invoiceitem.created', 'invoiceitem', taken);
    save(act, 'line_item', invoiceItemLine(act, invoice.id, taken));
  }
  return viewOf(act.tx, 'invoice', recountDraft(act, invoice));
});

function changed(act: Act, held: InvoiceLineItem, ask: ChangeAsk): InvoiceLineItem {
  const quantity = ask.quantity ?? held.quantity;
  const each = held.amount / Math.max(1, held.quantity ?? 1);
  const price =
    ask.pricing?.price === undefined
      ? null
      : need(act, 'price', ask.pricing.price, { param: 'pricing[price]' });
  const amount =
    ask.amount ??
    (price !== null
      ? amountOf(price, quantity ?? 1)
      : ask.quantity === undefined
        ? held.amount
        : Math.round(each * ask.quantity));
  const rates = ask.tax_rates === undefined ? null : ratesOf(act, ask.tax_rates, 'tax_rates');
  return {
    ...held,
    amount,
    subtotal: amount,
    ...(ask.description === undefined ? {} : { description: ask.description }),
    ...(ask.discountable === undefined ? {} : { discountable: ask.discountable }),
    metadata: tagged(held.metadata, ask.metadata),
    ...(ask.period === undefined ? {} : { period: ask.period }),
    quantity,
    quantity_decimal: quantity === null ? null : String(quantity),
    ...(rates === null ? {} : { $tax_rates: rates.map(({ id }) => id) }),
  };
}

const changeOne = vendor<Stripe.InvoiceUpdateLineItemParams>(
  'invoices.updateLineItem',
  ({ act, path, params }) => {
    const invoice = needDraft(act, path['invoiceId'] ?? '');
    const next = changed(act, lineOf(act, invoice, path['id'] ?? ''), params);
    act.tx.kind('invoice.updated');
    save(act, 'line_item', next);
    recountDraft(act, invoice);
    return viewOf(act.tx, 'line_item', lineOf(act, invoice, next.id));
  },
);

const changeMany = vendor<Stripe.InvoiceUpdateLinesParams>(
  'invoices.updateLines',
  ({ act, path, params }) => {
    const invoice = needDraft(act, path['id'] ?? '');
    const next = params.lines.map((ask: { readonly id: string }) =>
      changed(act, lineOf(act, invoice, ask.id), ask as ChangeAsk),
    );
    act.tx.kind('invoice.updated');
    for (const line of next) save(act, 'line_item', line);
    return viewOf(act.tx, 'invoice', recountDraft(act, invoice));
  },
);

/** `delete` removes the item as well, `unassign` leaves it waiting for the next invoice. */
const removeLines = vendor<Stripe.InvoiceRemoveLinesParams>(
  'invoices.removeLines',
  ({ act, path, params }) => {
    const invoice = needDraft(act, path['id'] ?? '');
    const gone = params.lines.map((ask: { readonly id: string; readonly behavior: string }) => ({
      line: lineOf(act, invoice, ask.id),
      unassign: ask.behavior === 'unassign',
    }));
    act.tx.kind('invoice.updated');
    for (const { line, unassign } of gone) {
      remove(act, 'line_item', line.id);
      const item = find(act, 'invoiceitem', line.$invoice_item ?? '');
      if (item === undefined) continue;
      if (unassign) save(act, 'invoiceitem', { ...item, invoice: null });
      else {
        tell(act, 'invoiceitem.deleted', 'invoiceitem', item);
        remove(act, 'invoiceitem', item.id);
      }
    }
    return viewOf(act.tx, 'invoice', recountDraft(act, invoice));
  },
);

export const invoiceLineOperations = [add, changeOne, changeMany, removeLines];
