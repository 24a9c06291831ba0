// Lines of a draft, changed where they stand: added, updated and removed in one call.
import type { Stripe } from 'stripe';
import { type Act, find, need, remove, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { rounded } from '../api/money.ts';
import { type Given, vendor } from '../api/vendor.ts';
import { viewOf } from '../api/view.ts';
import { mergeTags } from '../catalog/coupons.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { oneTimePrice } from '../catalog/one-time-price.ts';
import { amountOf } from '../catalog/price-draft.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { tell } from '../events/events.ts';
import { blankItem } from './blank-item.ts';
import { invoiceItemLine, linesOf, pricingOf } from './draft.ts';
import type { Invoice, InvoiceItem, InvoiceLineItem } from './records.ts';
import { recountDraft } from './recount.ts';

type AddAsk = Given<Stripe.InvoiceAddLinesParams['lines'][number]>;
type ChangeAsk = Given<Stripe.InvoiceUpdateLineItemParams>;
type Tags = { readonly [name: string]: string } | null | undefined;

/** What the lines of this twin do not do. */
const UNMODELLED = ['price_data[product_data]', 'quantity_decimal', 'tax_amounts'];
const UNMODELLED_MANY = [
  'lines[][price_data][product_data]',
  'lines[][quantity_decimal]',
  'lines[][tax_amounts]',
];

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

/** The price that a line names or brings along; checks its discounts and taxes too. Nothing is saved. */
function checked(
  act: Act,
  invoice: Invoice,
  ask: AddAsk | ChangeAsk,
  param: string,
): ReturnType<typeof oneTimePrice> {
  const named = (name: string): string => (param === '' ? name : `${param}[${name}]`);
  checkDiscounts(act, ask.discounts, named('discounts'), { customer: invoice.customer });
  ratesOf(act, ask.tax_rates, named('tax_rates'));
  const { price_data: data, pricing } = ask;
  return oneTimePrice(
    act,
    {
      ...(data === undefined ? {} : { price_data: { ...data, product: data.product ?? '' } }),
      ...(pricing?.price === undefined ? {} : { price: pricing.price }),
    },
    param,
    `${named('pricing')}[price]`,
  );
}

type Adding = {
  readonly ask: AddAsk;
  readonly chosen: ReturnType<typeof oneTimePrice>;
  readonly amount: number;
};

/** What a line is to be, before anything is written. */
function adding(act: Act, invoice: Invoice, ask: AddAsk, param: string): Adding {
  const chosen = checked(act, invoice, ask, param);
  if (ask.invoice_item !== undefined) {
    const held = need(act, 'invoiceitem', ask.invoice_item, { param: `${param}[invoice_item]` });
    return { ask, chosen, amount: held.amount };
  }
  const quantity = ask.quantity ?? 1;
  const amount = ask.amount ?? (chosen === null ? null : amountOf(chosen.price, quantity));
  if (amount === null) {
    throw invalid(`Missing required param: ${param}[amount].`, {
      code: 'parameter_missing',
      param: `${param}[amount]`,
    });
  }
  return { ask, chosen, amount };
}

/** The item a line is of: one that waits, or a new one. */
function itemOf(act: Act, invoice: Invoice, { ask, chosen, amount }: Adding): InvoiceItem {
  if (ask.invoice_item !== undefined) {
    const held = need(act, 'invoiceitem', ask.invoice_item, { param: 'invoice_item' });
    return { ...held, invoice: invoice.id };
  }
  const price = chosen?.price ?? null;
  if (chosen?.made === true) addPrice(act, chosen.price);
  const bare = blankItem(act, {
    amount,
    currency: invoice.currency,
    customer: invoice.customer ?? '',
    description: ask.description ?? nameOf(act, price),
    period: ask.period ?? { end: act.at, start: act.at },
    price,
    quantity: ask.quantity ?? 1,
  });
  return {
    ...bare,
    discountable: ask.discountable ?? true,
    discounts: openDiscounts(act, ask.discounts, { customer: invoice.customer, invoice_item: bare.id }),
    invoice: invoice.id,
    metadata: mergeTags(null, ask.metadata),
    tax_rates: ratesOf(act, ask.tax_rates, 'tax_rates').map(rate => ({ ...rate })),
  };
}

function nameOf(act: Act, price: Price | null): string | null {
  return price === null ? null : (find(act, 'product', price.product)?.name ?? null);
}

/** The invoice with its sums, and with what calls of many lines say of it. */
function withNewSums(act: Act, invoice: Invoice, tags: Tags): ReturnType<typeof viewOf> {
  const next = tags === undefined ? invoice : { ...invoice, metadata: mergeTags(invoice.metadata, tags) };
  return viewOf(act, 'invoice', recountDraft(act, invoice, next));
}

const add = vendor<Stripe.InvoiceAddLinesParams>(
  'invoices.addLines',
  ({ act, path, params }) => {
    const invoice = needDraft(act, path['id'] ?? '');
    const all = params.lines.map((ask: AddAsk, at: number) => adding(act, invoice, ask, `lines[${at}]`));
    act.tx.kind('invoice.updated');
    for (const one of all) {
      const item = itemOf(act, invoice, one);
      const fresh = find(act, 'invoiceitem', item.id) === undefined;
      save(act, 'invoiceitem', item);
      if (fresh) tell(act, 'invoiceitem.created', 'invoiceitem', item);
      save(act, 'line_item', invoiceItemLine(act, invoice.id, item));
    }
    return withNewSums(act, invoice, params.invoice_metadata as Tags);
  },
  {},
  UNMODELLED_MANY,
);

type Changing = {
  readonly held: InvoiceLineItem;
  readonly ask: ChangeAsk;
  readonly chosen: ReturnType<typeof oneTimePrice>;
};

/** Writes a line with what was asked of it. */
function change(act: Act, invoice: Invoice, { held, ask, chosen }: Changing): void {
  const quantity = ask.quantity ?? held.quantity;
  const each = held.amount / Math.max(1, held.quantity ?? 1);
  const price = chosen?.price ?? null;
  if (chosen?.made === true) addPrice(act, chosen.price);
  const counted = price !== null ? amountOf(price, quantity ?? 1) : rounded(each * (quantity ?? 1));
  const amount = ask.amount ?? (price === null && ask.quantity === undefined ? held.amount : counted);
  save(act, 'line_item', {
    ...held,
    amount,
    subtotal: amount,
    ...(ask.description === undefined ? {} : { description: ask.description }),
    ...(ask.discountable === undefined ? {} : { discountable: ask.discountable }),
    ...(ask.discounts === undefined
      ? {}
      : {
          discounts: openDiscounts(act, ask.discounts, {
            customer: invoice.customer,
            ...(held.$invoice_item === null ? { invoice: invoice.id } : { invoice_item: held.$invoice_item }),
          }),
        }),
    metadata: mergeTags(held.metadata, ask.metadata),
    ...(ask.period === undefined ? {} : { period: ask.period }),
    ...(price === null ? {} : { pricing: pricingOf(price) }),
    quantity,
    quantity_decimal: quantity === null ? null : String(quantity),
    ...(ask.tax_rates === undefined ? {} : { $tax_rates: [...(ask.tax_rates ?? [])] }),
  });
}

const changeOne = vendor<Stripe.InvoiceUpdateLineItemParams>(
  'invoices.updateLineItem',
  ({ act, path, params }) => {
    const invoice = needDraft(act, path['invoiceId'] ?? '');
    const held = lineOf(act, invoice, path['id'] ?? '');
    const chosen = checked(act, invoice, params, '');
    act.tx.kind('invoice.updated');
    change(act, invoice, { held, ask: params, chosen });
    recountDraft(act, invoice);
    return viewOf(act, 'line_item', lineOf(act, invoice, held.id));
  },
  {},
  UNMODELLED,
);

const changeMany = vendor<Stripe.InvoiceUpdateLinesParams>(
  'invoices.updateLines',
  ({ act, path, params }) => {
    const invoice = needDraft(act, path['id'] ?? '');
    const all = (params.lines as unknown as readonly (ChangeAsk & { readonly id: string })[]).map(
      (ask, at) => ({
        held: lineOf(act, invoice, ask.id),
        ask,
        chosen: checked(act, invoice, ask, `lines[${at}]`),
      }),
    );
    act.tx.kind('invoice.updated');
    for (const one of all) change(act, invoice, one);
    return withNewSums(act, invoice, params.invoice_metadata as Tags);
  },
  {},
  UNMODELLED_MANY,
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
    return withNewSums(act, invoice, params.invoice_metadata as Tags);
  },
);

export const invoiceLineOperations = [add, changeOne, changeMany, removeLines];
