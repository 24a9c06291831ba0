// Prices that a call adds to the next invoice of a subscription, once, beside what the subscription itself bills.

import { type Act, find, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { boolean, type Decoded, hash, integer, list, mergeMetadata, metadata, text } from '../api/params.ts';
import { discountsParam, taxRatesParam } from '../catalog/discount-params.ts';
import { checkDiscounts, openDiscounts } from '../catalog/discounts.ts';
import { oneTimePrice, oneTimePriceData } from '../catalog/one-time-price.ts';
import { amountOf } from '../catalog/price-draft.ts';
import { addPrice } from '../catalog/price-events.ts';
import type { Price } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { tell } from '../events/events.ts';
import { blankItem } from '../invoicing/blank-item.ts';
import type { InvoiceItem } from '../invoicing/records.ts';

const added = {
  discountable: boolean(),
  discounts: discountsParam,
  metadata: metadata(),
  price: text(),
  price_data: oneTimePriceData,
  quantity: integer(0),
  tax_rates: taxRatesParam,
} as const;

export const addedItemsParam = list(hash(added));
export const ADDED_UNMODELLED = ['add_invoice_items[][period]'] as const;

type Given = Decoded<typeof added>;

export type Added = {
  readonly given: Given;
  readonly price: Price;
  readonly made: boolean;
  readonly amount: number;
};

/** Checks what is to be added, before anything is written. */
export function checkAdded(
  act: Act,
  asks: readonly Given[] | undefined,
  param = 'add_invoice_items',
): readonly Added[] {
  return (asks ?? []).map((given, at) => {
    const place = `${param}[${at}]`;
    const chosen = oneTimePrice(act, given, place, `${place}[price]`);
    if (chosen === null) {
      throw invalid(`Missing required param: ${place}[price].`, {
        code: 'parameter_missing',
        param: `${place}[price]`,
      });
    }
    checkDiscounts(act, given.discounts, `${place}[discounts]`);
    ratesOf(act, given.tax_rates, `${place}[tax_rates]`);
    return { given, ...chosen, amount: amountOf(chosen.price, given.quantity ?? 1) };
  });
}

/** Makes the invoice items; the subscription's next invoice takes them up. */
export function openAdded(
  act: Act,
  all: readonly Added[],
  of: { readonly customer: string; readonly subscription: string; readonly test_clock: string | null },
): void {
  for (const { given, price, made, amount } of all) {
    if (made) addPrice(act, price);
    const bare = blankItem(act, {
      amount,
      currency: price.currency,
      customer: of.customer,
      description: find(act, 'product', price.product)?.name ?? null,
      period: { end: act.at, start: act.at },
      price,
      quantity: given.quantity ?? 1,
    });
    const item = {
      ...bare,
      discountable: given.discountable ?? true,
      discounts: openDiscounts(act, given.discounts, { customer: of.customer, invoice_item: bare.id }),
      metadata: mergeMetadata({}, given.metadata),
      parent: { subscription_details: { subscription: of.subscription }, type: 'subscription_details' },
      tax_rates: ratesOf(act, given.tax_rates, 'tax_rates').map(rate => ({ ...rate })),
      test_clock: of.test_clock,
      $subscription: of.subscription,
    } as InvoiceItem;
    save(act, 'invoiceitem', item);
    tell(act, 'invoiceitem.created', 'invoiceitem', item);
  }
}
