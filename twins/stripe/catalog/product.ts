// Stripe's Catalog: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { couponOperations } from './coupons.ts';
import { discountOperations } from './discounts.ts';
import { planOperations } from './plans.ts';
import { priceOperations } from './prices.ts';
import { productOperations } from './products.ts';
import { CATALOG_RECORDS, type CatalogRecords } from './records.ts';
import { taxRateOperations } from './tax-rates.ts';

export const catalog: Product<CatalogRecords> = {
  operations: [
    ...priceOperations,
    ...productOperations,
    ...couponOperations,
    ...discountOperations,
    ...taxRateOperations,
    ...planOperations,
  ],
  records: CATALOG_RECORDS,
  due: {},
  models: [
    ['product', 'prod_', 'products'],
    ['price', 'price_', 'prices'],
    ['coupon', '', 'coupons'],
    ['promotion_code', 'promo_', 'promotionCodes'],
    ['discount', 'di_', 'discounts'],
    ['tax_rate', 'txr_', 'taxRates'],
    ['plan', 'plan_', 'plans'],
  ],
  events: [
    'coupon.created',
    'coupon.deleted',
    'coupon.updated',
    'customer.discount.created',
    'customer.discount.deleted',
    'customer.discount.updated',
    'plan.created',
    'plan.deleted',
    'plan.updated',
    'price.created',
    'price.deleted',
    'price.updated',
    'product.created',
    'product.deleted',
    'product.updated',
    'promotion_code.created',
    'promotion_code.updated',
    'tax_rate.created',
    'tax_rate.updated',
  ],
};
