// What the catalog keeps: what is sold, at which price, and what comes off or on top of it.
import type { Stripe } from 'stripe';
import type { RecordRows } from '../api/record-row.ts';
import type { View, Viewer } from '../api/view.ts';
import type { Stored, Wire } from '../api/wire.ts';
import { isValid } from './coupon-validity.ts';

export type Product = Stored<
  Stripe.Product,
  never,
  {
    readonly $attributes?: readonly string[];
    readonly $caption?: string | null;
    readonly $deactivate_on?: readonly string[];
  }
>;
/** Its tiers are only shown when they are asked for. */
export type Price = Stored<
  Stripe.Price,
  'tiers',
  { $tiers: readonly Tier[] | null; $options?: CurrencyOptions }
>;
/** Its amounts in other currencies than its own, by currency. */
export type CurrencyOptions = { readonly [currency: string]: PriceOption };
export type PriceOption = {
  readonly custom_unit_amount: Price['custom_unit_amount'];
  readonly tax_behavior: Price['tax_behavior'];
  readonly unit_amount: number | null;
  readonly unit_amount_decimal: string | null;
  readonly tiers: readonly Tier[] | null;
};
export type Tier = NonNullable<Wire<Stripe.Price>['tiers']>[number];
export type Plan = Wire<Stripe.Plan>;
export type Coupon = Stored<Stripe.Coupon, 'valid', { $gone?: boolean }>;
export type PromotionCode = Stored<Stripe.PromotionCode, never, { $coupon: string }>;
export type Discount = Stored<
  Stripe.Discount,
  never,
  {
    $coupon: string;
    /** The invoice that used up a discount of `once`. */
    $spent?: string;
  }
>;
export type TaxRate = Stored<Stripe.TaxRate, never, object>;

export type CatalogRecords = {
  product: Product;
  price: Price;
  coupon: Coupon;
  promotion_code: PromotionCode;
  discount: Discount;
  tax_rate: TaxRate;
};

export const CATALOG_RECORDS: RecordRows<CatalogRecords> = {
  product: { indexes: [['active']], words: ['metadata', 'name'] },
  price: {
    indexes: [['product'], ['lookup_key'], ['active'], ['type']],
    words: ['lookup_key', 'metadata'],
    expandable: { currency_options: { include: currencyOptions }, tiers: { include: tiers } },
  },
  coupon: {
    indexes: [['$gone']],
    inlined: ({ tx }, coupon) => ({ valid: isValid(coupon, Math.floor(tx.now / 1000)) }),
  },
  promotion_code: {
    indexes: [['code'], ['$coupon'], ['customer'], ['active']],
    noun: 'promotion code',
  },
  discount: { indexes: [['$coupon'], ['customer'], ['subscription']] },
  tax_rate: { indexes: [['active'], ['inclusive']], noun: 'tax rate' },
};

function currencyOptions({ tx }: Viewer, view: View): View {
  const held = (tx.get('price', String(view['id']))?.['$options'] ?? {}) as CurrencyOptions;
  const others = Object.entries(held).map(([currency, { tiers: _only, ...option }]) => [currency, option]);
  return {
    ...Object.fromEntries(others),
    [String(view['currency'])]: {
      custom_unit_amount: view['custom_unit_amount'],
      tax_behavior: view['tax_behavior'],
      unit_amount: view['unit_amount'],
      unit_amount_decimal: view['unit_amount_decimal'],
    },
  };
}

function tiers({ tx }: Viewer, view: View): unknown {
  return tx.get('price', String(view['id']))?.['$tiers'] ?? undefined;
}
