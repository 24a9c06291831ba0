// The price of something that is billed once.
import { type Act, need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { type Decoded, hash, required, text } from '../api/params.ts';
import { newPrice, priceFields } from './price-draft.ts';
import type { Price } from './records.ts';

const { recurring: _none, metadata: _own, ...oneTimeFields } = priceFields;

const oneTimeShape = { ...oneTimeFields, product: required(text()) } as const;

/** What `price_data` of something that is billed once takes. */
export const oneTimePriceData = hash(oneTimeShape);

/** The price that an item names or brings along, and whether it was made for it. Refuses recurring ones. */
export function oneTimePrice(
  act: Act,
  given: { readonly price?: string; readonly price_data?: Decoded<typeof oneTimeShape> },
  place: string,
  named: string,
): { price: Price; made: boolean } | null {
  if (given.price_data !== undefined) {
    const param = place === '' ? 'price_data' : `${place}[price_data]`;
    need(act, 'product', given.price_data.product, { param: `${param}[product]` });
    return { price: { ...newPrice(act, given.price_data, param), active: false }, made: true };
  }
  if (given.price === undefined) return null;
  const price = need(act, 'price', given.price, { param: named });
  if (price.type !== 'one_time') {
    throw invalid(
      'The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.',
      { param: named },
    );
  }
  if (price.custom_unit_amount !== null) {
    throw invalid(
      'Prices with `custom_unit_amount` can only be used in Checkout Sessions and Payment Links.',
      {
        param: named,
      },
    );
  }
  return { price, made: false };
}
