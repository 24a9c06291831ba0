// Drafting invoices: the blank, its lines, its totals. Nothing here is saved but by `saveDraft`.

import { PLATFORM_ACCOUNT } from '../api/account-key.ts';
import { type Act, all, find, save, select } from '../api/act.ts';
import { signed } from '../api/money.ts';
import { inForce } from '../catalog/discounts-held.ts';
import { amountOf } from '../catalog/price-draft.ts';
import type { Price } from '../catalog/records.ts';
import type { Customer } from '../customers/records.ts';
import type { Subscription, SubscriptionItem } from '../subscriptions/records.ts';
import { invoiceTax } from '../tax/automatic.ts';
import { inheritedPayment } from './payment-settings.ts';
import type { Invoice, InvoiceItem, InvoiceLineItem } from './records.ts';
import { summed } from './sums.ts';

/** Stripe leaves a draft of its own making open to changes for an hour. Seconds. */
export const DRAFT_SECONDS = 60 * 60;

export type Draft = { readonly invoice: Invoice; readonly lines: readonly InvoiceLineItem[] };

type Blank = {
  readonly customer: Customer;
  readonly subscription: Subscription | null;
  readonly currency: string;
  readonly reason: NonNullable<Invoice['billing_reason']>;
  readonly period: { readonly start: number; readonly end: number };
  readonly collection: Invoice['collection_method'];
  /** Whether Stripe moves it on by itself. */
  readonly advance: boolean;
  readonly daysUntilDue: number | null;
};

/** Before its lines are added up. */
const NOTHING_DUE = {
  amount_due: 0,
  amount_overpaid: 0,
  amount_paid: 0,
  amount_remaining: 0,
  amount_shipping: 0,
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  starting_balance: 0,
  subtotal: 0,
  subtotal_excluding_tax: 0,
  total: 0,
  total_excluding_tax: 0,
} as const;

/** The customer as they are now; what becomes of them later does not change the invoice. */
function billedTo(customer: Customer) {
  return {
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: customer.tax_exempt ?? 'none',
    customer_tax_ids: [] as NonNullable<Invoice['customer_tax_ids']>,
  };
}

/** Whose invoice it is: the platform's, or that of the account that it acts for. */
function issuedBy(act: Act): Pick<Invoice, 'account_country' | 'account_name'> {
  const account = act.account === null ? undefined : find(act, 'account', act.account);
  if (account === undefined)
    return { account_country: PLATFORM_ACCOUNT.country, account_name: PLATFORM_ACCOUNT.name };
  const name = account.settings?.dashboard.display_name ?? account.business_profile?.name ?? null;
  return { account_country: account.country ?? null, account_name: name };
}

export function blankInvoice(act: Act, blank: Blank): Invoice {
  const { customer, subscription } = blank;
  return {
    id: act.tx.recordId('in_', 24),
    object: 'invoice',
    ...issuedBy(act),
    account_tax_ids: null,
    ...NOTHING_DUE,
    ...billedTo(customer),
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: blank.advance,
    automatic_tax: invoiceTax(subscription?.automatic_tax.enabled ?? false),
    automatically_finalizes_at: blank.advance ? act.at + DRAFT_SECONDS : null,
    billing_reason: blank.reason,
    collection_method: blank.collection,
    created: act.at,
    currency: blank.currency,
    custom_fields: customer.invoice_settings.custom_fields,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: subscription?.default_tax_rates ?? [],
    description: null,
    discounts: discountsOf(act, customer, subscription),
    due_date: blank.daysUntilDue === null ? null : act.at + blank.daysUntilDue * 86_400,
    effective_at: null,
    ending_balance: null,
    footer: customer.invoice_settings.footer,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: subscription?.on_behalf_of ?? null,
    parent:
      subscription === null
        ? null
        : {
            quote_details: null,
            subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
            type: 'subscription_details',
          },
    payment_settings: inheritedPayment(subscription),
    period_end: blank.period.end,
    period_start: blank.period.start,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    test_clock: customer.test_clock ?? null,
    total_discount_amounts: [],
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
    $subscription: subscription?.id ?? null,
    $payment_intent: null,
  };
}

/** The subscription's own discounts, else the customer's. */
function discountsOf(act: Act, customer: Customer, subscription: Subscription | null): string[] {
  const own = inForce(act, subscription?.discounts ?? []);
  const held = own.length > 0 ? own : inForce(act, customer.discount == null ? [] : [customer.discount.id]);
  return held.map(({ id }) => id);
}

type LineFields = Pick<InvoiceLineItem, 'amount' | 'currency' | 'description' | 'period' | 'quantity'> & {
  readonly metadata: { readonly [name: string]: string };
  readonly parent: InvoiceLineItem['parent'];
  readonly pricing: InvoiceLineItem['pricing'];
  readonly subscription: string | null;
  readonly invoiceItem: string | null;
  readonly discountable: boolean;
  readonly discounts: readonly string[];
  readonly taxRates: readonly { readonly id: string }[];
};

function line(act: Act, invoice: string, fields: LineFields): InvoiceLineItem {
  const { invoiceItem, metadata, discounts, taxRates, ...rest } = fields;
  return {
    id: act.tx.recordId('il_', 24),
    object: 'line_item',
    discount_amounts: [],
    discounts: [...discounts],
    invoice,
    livemode: false,
    metadata: { ...metadata },
    pretax_credit_amounts: [],
    quantity_decimal: fields.quantity === null ? null : String(fields.quantity),
    subtotal: fields.amount,
    taxes: [],
    $invoice_item: invoiceItem,
    $tax_rates: taxRates.map(({ id }) => id),
    ...rest,
  };
}

export function pricingOf(price: Price): NonNullable<InvoiceLineItem['pricing']> {
  return {
    price_details: { price: price.id, product: price.product },
    type: 'price_details',
    unit_amount_decimal: price.unit_amount_decimal,
  };
}

export type Charged = {
  readonly item: SubscriptionItem;
  readonly price: Price;
  readonly productName: string;
  /** 0 for a trial, 1 for a whole period, in between for a part of one. */
  readonly share: number;
};

/** The line of a subscription's item for one period. */
export function itemLine(
  act: Act,
  invoice: string,
  subscription: Subscription,
  charged: Charged,
): InvoiceLineItem {
  const { item, price, productName, share } = charged;
  const quantity = item.quantity ?? 0;
  const amount = Math.round(amountOf(price, quantity) * share);
  return line(act, invoice, {
    amount,
    currency: price.currency,
    description:
      share === 0 && price.recurring?.usage_type !== 'metered'
        ? `Free trial for ${quantity} × ${productName}`
        : `${quantity} × ${productName} (at ${worded(price)})`,
    discountable: true,
    discounts: item.discounts,
    invoiceItem: null,
    taxRates: item.tax_rates ?? [],
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period: { end: item.current_period_end, start: item.current_period_start },
    pricing: pricingOf(price),
    quantity,
    subscription: subscription.id,
  });
}

function worded(price: Price): string {
  const shown = price.unit_amount === null ? 'tiered pricing' : signed(price.unit_amount, price.currency);
  const every = price.recurring;
  if (every === null) return shown;
  return every.interval_count === 1
    ? `${shown} / ${every.interval}`
    : `${shown} / every ${every.interval_count} ${every.interval}s`;
}

/** The line of an invoice item. */
export function invoiceItemLine(act: Act, invoice: string, item: InvoiceItem): InvoiceLineItem {
  const details = {
    invoice_item: item.id,
    proration: item.proration,
    proration_details: item.proration ? { credited_items: null } : null,
    subscription: item.$subscription,
  };
  return line(act, invoice, {
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discountable: item.discountable,
    discounts: item.discounts ?? [],
    invoiceItem: item.id,
    taxRates: item.tax_rates ?? [],
    metadata: item.metadata ?? {},
    parent:
      item.$subscription_item === null
        ? { invoice_item_details: details, subscription_item_details: null, type: 'invoice_item_details' }
        : {
            invoice_item_details: null,
            subscription_item_details: { ...details, subscription_item: item.$subscription_item },
            type: 'subscription_item_details',
          },
    period: item.period,
    pricing: item.pricing,
    quantity: item.quantity,
    subscription: item.$subscription,
  });
}

/** What waits for a customer's next invoice: items of that subscription, and those of none. */
export function pendingItems(
  act: Act,
  customer: string,
  currency: string,
  subscription: string | null,
): readonly InvoiceItem[] {
  return select(act.tx, 'invoiceitem', {
    where: { customer },
    order: 'oldest',
    limit: PENDING_ITEMS_MAX,
    keep: body => {
      const item = body as unknown as InvoiceItem;
      return (
        item.invoice === null &&
        item.currency === currency &&
        (item.$subscription === null || item.$subscription === subscription)
      );
    },
  }).items;
}

/** Stripe puts at most this many on one invoice. */
const PENDING_ITEMS_MAX = 250;

/** Writes the draft, its lines, and the pending items that it took up. */
export function saveDraft(act: Act, draft: Draft): Invoice {
  spend(act, draft.invoice);
  const { invoice, lines } = summed(act, draft.invoice, draft.lines);
  save(act, 'invoice', invoice);
  for (const made of lines) {
    save(act, 'line_item', made);
    if (made.$invoice_item === null) continue;
    const item = act.tx.get<InvoiceItem>('invoiceitem', made.$invoice_item);
    if (item !== undefined) save(act, 'invoiceitem', { ...item, invoice: invoice.id });
  }
  return invoice;
}

/** A discount of `once` is on this invoice and on no other. */
function spend(act: Act, invoice: Invoice): void {
  for (const id of invoice.discounts) {
    const discount = find(act, 'discount', id);
    if (discount === undefined || discount.end !== null) continue;
    if (find(act, 'coupon', discount.$coupon)?.duration !== 'once') continue;
    save(act, 'discount', { ...discount, end: act.at, $spent: invoice.id });
  }
}

export function linesOf(act: Act, invoice: string): readonly InvoiceLineItem[] {
  return all(act, 'line_item', { invoice });
}
