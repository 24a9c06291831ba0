// An invoice item as it begins.
import type { Act } from '../api/act.ts';
import type { Price } from '../catalog/records.ts';
import { pricingOf } from './draft.ts';
import type { InvoiceItem } from './records.ts';

type BlankItem = {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string;
  readonly description: string | null;
  readonly period: { readonly start: number; readonly end: number };
  readonly price: Price | null;
  readonly quantity: number;
};

/** An invoice item that waits for its invoice; not saved. */
export function blankItem(act: Act, blank: BlankItem): InvoiceItem {
  return {
    id: act.tx.recordId('ii_', 24),
    object: 'invoiceitem',
    amount: blank.amount,
    currency: blank.currency,
    customer: blank.customer,
    customer_account: null,
    date: act.at,
    description: blank.description,
    discountable: true,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    net_amount: blank.amount,
    parent: null,
    period: blank.period,
    pricing: blank.price === null ? null : pricingOf(blank.price),
    proration: false,
    quantity: blank.quantity,
    quantity_decimal: String(blank.quantity),
    tax_rates: [],
    test_clock: null,
    $subscription: null,
    $subscription_item: null,
  };
}
