// What 2025-03-31.basil changed of invoices: what made them, what pays them, their prices and their taxes each moved into
// a hash of its own.
import { planOf } from '../catalog/plan-view.ts';
import type { Price } from '../catalog/records.ts';
import type { Before, Change } from './change.ts';
import { each, move } from './form.ts';

export const SINCE = '2025-03-31.basil';

type Hash = { readonly [field: string]: unknown };
const hashAt = (view: Hash, field: string): Hash | null => (view[field] ?? null) as Hash | null;

const invoiceParent: Before = view => {
  const parent = hashAt(view, 'parent') ?? {};
  const made = hashAt(parent, 'subscription_details');
  const prorated = made?.['subscription_proration_date'];
  view['quote'] = hashAt(parent, 'quote_details')?.['quote'] ?? null;
  view['subscription'] = made?.['subscription'] ?? null;
  view['subscription_details'] = { metadata: made?.['metadata'] ?? null };
  if (prorated !== undefined) view['subscription_proration_date'] = prorated;
};

const lineParent: Before = view => {
  const parent = hashAt(view, 'parent') ?? {};
  const subscribed = hashAt(parent, 'subscription_item_details');
  const made = subscribed ?? hashAt(parent, 'invoice_item_details') ?? {};
  const item = made['invoice_item'] ?? null;
  if (item !== null) view['invoice_item'] = item;
  view['proration'] = made['proration'] ?? false;
  view['proration_details'] = made['proration_details'] ?? { credited_items: null };
  if (subscribed !== null) view['subscription_item'] = subscribed['subscription_item'];
  view['type'] = item === null && subscribed !== null ? 'subscription' : 'invoiceitem';
};

const itemParent: Before = view => {
  const made = hashAt(hashAt(view, 'parent') ?? {}, 'subscription_details');
  view['subscription'] = made?.['subscription'] ?? null;
  const item = made?.['subscription_item'];
  if (item != null) view['subscription_item'] = item;
};

/** One payment, and whether it came. */
const payments: Before = (view, by) => {
  const id = by.kept('invoice', view)?.['$payment_intent'];
  const intent = typeof id === 'string' ? by.record('payment_intent', id) : undefined;
  view['application_fee_amount'] = intent?.['application_fee_amount'] ?? null;
  view['charge'] = intent?.['latest_charge'] ?? null;
  view['paid'] = view['status'] === 'paid';
  view['paid_out_of_band'] = Number(view['amount_paid_off_stripe'] ?? 0) > 0;
  view['payment_intent'] = intent?.['id'] ?? null;
  view['transfer_data'] = intent?.['transfer_data'] ?? null;
};

/** What a charge pays. */
const paidInvoice: Before = (view, by) => {
  const id = view['payment_intent'];
  view['invoice'] = typeof id === 'string' ? (by.record('payment_intent', id)?.['$invoice'] ?? null) : null;
};

const priced: Before = (view, by) => {
  const details = hashAt(hashAt(view, 'pricing') ?? {}, 'price_details');
  const price = by.found('price', details?.['price']);
  // What the plan shows, the price shows too.
  const isPlan = price !== null && price['recurring'] !== null;
  view['plan'] = isPlan ? planOf(price as unknown as Price) : null;
  view['price'] = price;
};

const itemPricing: Before = (view, by) => {
  const each = hashAt(view, 'pricing')?.['unit_amount_decimal'] ?? null;
  const quantity = Number(view['quantity'] ?? 1) || 1;
  const unit = each === null ? Number(view['amount']) / quantity : Number(each);
  priced(view, by);
  view['unit_amount'] = Number.isInteger(unit) ? unit : null;
  view['unit_amount_decimal'] = each ?? String(unit);
};

/** A tax as it was told: its rate in the row, inclusive or not. */
function taxAmounts(taxes: unknown): readonly Hash[] {
  return ((taxes ?? []) as readonly Hash[]).map(tax => ({
    amount: tax['amount'],
    inclusive: tax['tax_behavior'] === 'inclusive',
    tax_rate: hashAt(tax, 'tax_rate_details')?.['tax_rate'] ?? null,
    taxability_reason: tax['taxability_reason'] ?? null,
    taxable_amount: tax['taxable_amount'] ?? null,
  }));
}

const sumOf = (taxes: readonly Hash[]): number => taxes.reduce((sum, tax) => sum + Number(tax['amount']), 0);

const invoiceTax: Before = view => {
  const taxes = taxAmounts(view['total_taxes']);
  view['tax'] = taxes.length === 0 ? null : sumOf(taxes);
  view['total_tax_amounts'] = taxes;
};

const lineTax: Before = view => {
  const taxes = taxAmounts(view['taxes']);
  const amount = Number(view['amount']) - sumOf(taxes.filter(tax => tax['inclusive'] === true));
  const quantity = Number(view['quantity'] ?? 0);
  view['amount_excluding_tax'] = amount;
  view['tax_amounts'] = taxes;
  view['unit_amount_excluding_tax'] = quantity === 0 ? null : String(amount / quantity);
};

/** The rates that are the line's own. */
const lineRates: Before = (view, by) => {
  const own = (by.kept('line_item', view)?.['$tax_rates'] ?? []) as readonly string[];
  view['tax_rates'] = own.flatMap(id => by.found('tax_rate', id) ?? []);
};

const priceOfLine = (path: string) => (form: Parameters<typeof each>[0]) => {
  for (const line of path === '' ? [form] : each(form, path)) move(line, 'price', 'pricing[price]');
};

const itemParams = (form: Parameters<typeof each>[0]): void => {
  priceOfLine('')(form);
  move(form, 'unit_amount', 'unit_amount_decimal');
};

const refundParam = (form: Parameters<typeof each>[0]): void => move(form, 'refund', 'refunds[0][refund]');

export const BASIL_INVOICES: readonly Change[] = [
  {
    since: SINCE,
    log: 'basil/2025-03-31/adds-new-parent-field-to-invoicing-objects',
    before: { invoice: invoiceParent, invoiceitem: itemParent, line_item: lineParent },
    fields: {
      invoice: { quote: '@quote', subscription: '@subscription' },
      invoiceitem: { subscription: '@subscription' },
      line_item: {
        invoice_item: '@invoiceitem',
        subscription: '@subscription',
        subscription_item: '@subscription_item',
      },
    },
  },
  {
    since: SINCE,
    log: 'basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices',
    before: {
      charge: paidInvoice,
      credit_note: view => {
        view['refund'] = (view['refunds'] as readonly Hash[])[0]?.['refund'] ?? null;
      },
      invoice: payments,
      payment_intent: (view, by) => {
        view['invoice'] = by.kept('payment_intent', view)?.['$invoice'] ?? null;
      },
    },
    fields: {
      charge: { invoice: '@invoice' },
      credit_note: { refund: '@refund' },
      invoice: { charge: '@charge', payment_intent: '@payment_intent' },
      payment_intent: { invoice: '@invoice' },
    },
    params: {
      'creditNotes.create': refundParam,
      'creditNotes.listPreviewLineItems': refundParam,
      'creditNotes.preview': refundParam,
    },
  },
  {
    since: SINCE,
    log: 'basil/2025-03-31/invoice-pricing-configurations',
    before: { invoiceitem: itemPricing, line_item: priced },
    fields: {
      invoiceitem: { plan: '&plan', price: '&price' },
      line_item: { plan: '&plan', price: '&price' },
    },
    params: {
      'invoiceItems.create': itemParams,
      'invoiceItems.update': itemParams,
      'invoices.addLines': priceOfLine('lines'),
      'invoices.updateLineItem': priceOfLine(''),
      'invoices.updateLines': priceOfLine('lines'),
    },
  },
  {
    since: SINCE,
    log: 'basil/2025-03-31/invoice-tax-configurations',
    before: {
      credit_note: view => {
        view['tax_amounts'] = taxAmounts(view['total_taxes']);
      },
      credit_note_line_item: lineTax,
      invoice: invoiceTax,
      line_item: (view, by) => {
        lineTax(view, by);
        lineRates(view, by);
      },
    },
  },
];
