// Line items of checkout sessions and payment links: what is sold, and what it sums up to.

import { type Act, find, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { choice, type Decoded, hash, integer, list, metadata, required, text, tree } from '../api/params.ts';
import { listView, type Reader, type View, type Viewer, viewById, viewOf } from '../api/view.ts';
import { amountOf, interval, newPrice, priceIn } from '../catalog/price-draft.ts';
import { addPrice } from '../catalog/price-events.ts';
import { newProduct } from '../catalog/product-draft.ts';
import type { Price, Product, TaxRate } from '../catalog/records.ts';
import { ratesOf } from '../catalog/tax-rates.ts';
import { tell } from '../events/events.ts';
import type { SessionItem } from './records.ts';
import type { LineSum } from './totals.ts';

const ITEMS_MAX = 100;

export const itemParam = hash({
  adjustable_quantity: tree('maximum', 'minimum'),
  metadata: metadata(),
  price: text(),
  price_data: hash({
    currency: required(text()),
    product: text(),
    product_data: hash({
      description: text(),
      images: list(text()),
      metadata: metadata(),
      name: required(text()),
      tax_code: text(),
      tax_details: tree(),
      unit_label: text(),
    }),
    recurring: hash({ interval: required(interval), interval_count: integer(1) }),
    tax_behavior: choice('exclusive', 'inclusive', 'unspecified'),
    unit_amount: integer(0),
    unit_amount_decimal: text(),
  }),
  quantity: integer(0),
  tax_rates: list(text()),
});

type Given = Decoded<{ i: typeof itemParam }>['i'];

/** `product` is one that has yet to be saved. */
export type Line = {
  readonly price: Price;
  readonly quantity: number;
  readonly made: boolean;
  readonly product: Product | null;
  readonly taxRates: readonly TaxRate[];
  readonly adjustable: SessionItem['adjustable_quantity'];
  /** What the buyer chose to pay for one, in place of the amount that is proposed. */
  readonly chosen?: number;
};

/** The lines that are asked for; throws before anything is written. Prices made here are not saved yet. */
export function linesOf(act: Act, given: readonly NonNullable<Given>[], currency?: string): readonly Line[] {
  return given.map((item, index) => {
    const param = `line_items[${index}]`;
    const quantity = item.quantity ?? 1;
    const shared = {
      quantity,
      taxRates: ratesOf(act, item.tax_rates, `${param}[tax_rates]`),
      adjustable: adjustableOf(item.adjustable_quantity),
    };
    if (item.price !== undefined) {
      const price = need(act, 'price', item.price, { param: `${param}[price]` });
      if (!price.active) {
        throw invalid(`The price specified is inactive. This field only accepts active prices.`, {
          param: `${param}[price]`,
        });
      }
      const priced = currency === undefined ? price : priceIn(price, currency.toLowerCase());
      return { ...shared, price: priced, made: false, product: null };
    }
    if (item.price_data === undefined) {
      throw invalid(`You must specify either \`price\` or \`price_data\` for ${param}.`, { param });
    }
    const { product, product_data } = item.price_data;
    if (product !== undefined) need(act, 'product', product, { param: `${param}[price_data][product]` });
    else if (product_data === undefined) {
      throw invalid(`You must specify either \`product\` or \`product_data\` when creating a price.`, {
        param,
      });
    }
    const { product_data: _data, ...data } = item.price_data;
    const fresh = product_data === undefined ? null : newProduct(act, product_data, 'id');
    const owner = product ?? fresh?.id ?? '';
    const drawn = newPrice(act, { ...data, product: owner }, `${param}[price_data]`);
    // A one-time price of one session is for nothing else; a subscription goes on with its own.
    const price = { ...drawn, active: drawn.recurring !== null };
    return { ...shared, price, made: true, product: fresh };
  });
}

function adjustableOf(
  given: { readonly [field: string]: unknown } | undefined,
): SessionItem['adjustable_quantity'] {
  if (given?.['enabled'] !== true) return null;
  return {
    enabled: true,
    maximum: Number(given['maximum'] ?? 99),
    minimum: Number(given['minimum'] ?? 0),
  };
}

/** Saves the lines under their parent, in order. */
export function saveLines(act: Act, parent: string, lines: readonly Line[], sums: readonly LineSum[]): void {
  for (const [index, line] of lines.entries()) {
    if (line.product !== null) {
      save(act, 'product', line.product);
      tell(act, 'product.created', 'product', line.product);
    }
    if (line.made) addPrice(act, line.price);
    const product = find(act, 'product', String(line.price.product));
    const sum = sums[index];
    if (sum === undefined) throw new Error('a line without its sum');
    const item: SessionItem = {
      id: act.tx.recordId('li_', 24),
      object: 'item',
      adjustable_quantity: line.adjustable,
      ...sum,
      currency: line.price.currency,
      description: product?.name ?? null,
      metadata: {},
      price: line.price.id,
      quantity: line.quantity,
      $parent: parent,
      $tax_rates: line.taxRates.map(({ id }) => id),
    };
    save(act, 'item', item);
  }
}

export function itemsOf(reader: Reader, parent: string): readonly SessionItem[] {
  return select(reader, 'item', { where: { $parent: parent }, order: 'oldest', limit: ITEMS_MAX }).items;
}

/** The lines again, as they are held: to be counted anew. */
export function linesToRecount(act: Act, items: readonly SessionItem[]): readonly Line[] {
  return items.map(item => ({
    price: priceIn(need(act, 'price', item.price, { param: 'price' }), item.currency),
    quantity: item.quantity ?? 1,
    made: false,
    product: null,
    taxRates: (item.$tax_rates ?? []).flatMap((id: string) => find(act, 'tax_rate', id) ?? []),
    adjustable: item.adjustable_quantity,
    ...(item.$chosen === undefined ? {} : { chosen: item.$chosen }),
  }));
}

/** What a line costs, before anything comes off or on top of it. */
export function subtotalOf({ price, quantity, chosen }: Line): number {
  const custom = price.custom_unit_amount;
  return custom === null ? amountOf(price, quantity) : quantity * (chosen ?? custom.preset ?? 0);
}

/** An amount that the buyer chooses stands by itself. Throws before anything is written. */
export function checkChosen(lines: readonly Line[], discounted: boolean): void {
  if (lines.every(({ price }) => price.custom_unit_amount === null)) return;
  const refuse = (why: string): Error =>
    invalid(`Prices with \`custom_unit_amount\` ${why}.`, { param: 'line_items' });
  if (lines.length > 1) throw refuse('must be the only line item');
  if (lines.some(({ quantity, adjustable }) => quantity !== 1 || adjustable !== null))
    throw refuse('must have a quantity of 1 that is not adjustable');
  if (discounted) throw refuse('cannot be combined with discounts or promotion codes');
}

export function itemsView(by: Viewer, parent: string, url: string): View {
  const data = itemsOf(by.tx, parent).map(item => ({
    ...viewOf(by, 'item', item),
    price: viewById(by, 'price', item.price) ?? null,
  }));
  return listView(data, false, url);
}
