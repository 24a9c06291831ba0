// What is sold: products, prices in several currencies, coupons, tax rates, and a session that sells them.
import type { Story } from '../story.ts';

export const CATALOG: readonly Story[] = [
  {
    name: 'a product, its prices and a checkout',
    steps: [
      {
        name: 'product',
        method: 'POST',
        path: '/v1/products',
        params: { name: 'Kettle', description: 'Boils', metadata: { sku: 'k1' } },
      },
      {
        name: 'price',
        method: 'POST',
        path: '/v1/prices',
        params: {
          product: '{product.id}',
          currency: 'usd',
          unit_amount: 2500,
        },
      },
      {
        name: 'tiers',
        method: 'POST',
        path: '/v1/prices',
        params: {
          product: '{product.id}',
          currency: 'usd',
          billing_scheme: 'tiered',
          tiers_mode: 'graduated',
          tiers: [
            { up_to: 10, unit_amount: 100 },
            { up_to: 'inf', unit_amount: 50 },
          ],
          recurring: { interval: 'month' },
          expand: ['tiers'],
        },
      },
      {
        name: 'session',
        method: 'POST',
        path: '/v1/checkout/sessions',
        params: {
          mode: 'payment',
          allowed_payment_method_types: ['card'],
          line_items: [{ price: '{price.id}', quantity: 2 }],
          success_url: 'https://shop.example.com/done',
        },
      },
      {
        name: 'lines',
        method: 'GET',
        path: '/v1/checkout/sessions/{session.id}/line_items',
      },
      { name: 'expired', method: 'POST', path: '/v1/checkout/sessions/{session.id}/expire' },
      { name: 'no price', method: 'POST', path: '/v1/prices', params: { product: '{product.id}' } },
      {
        name: 'off',
        method: 'POST',
        path: '/v1/products/{product.id}',
        params: { active: false },
      },
    ],
  },
  {
    name: 'a price in two currencies',
    steps: [
      {
        name: 'price',
        method: 'POST',
        path: '/v1/prices',
        params: {
          product_data: { name: 'Kettle' },
          currency: 'usd',
          unit_amount: 2500,
          currency_options: { eur: { unit_amount: 2300 } },
          expand: ['currency_options'],
        },
      },
      {
        name: 'session',
        method: 'POST',
        path: '/v1/checkout/sessions',
        params: {
          mode: 'payment',
          currency: 'eur',
          line_items: [{ price: '{price.id}', quantity: 2 }],
          success_url: 'https://shop.example.com/done',
        },
      },
      { name: 'expired', method: 'POST', path: '/v1/checkout/sessions/{session.id}/expire' },
      {
        name: 'more',
        method: 'POST',
        path: '/v1/prices/{price.id}',
        params: { currency_options: { gbp: { unit_amount: 2000 } }, expand: ['currency_options'] },
      },
    ],
  },
  {
    name: 'coupons, promotion codes and tax rates',
    steps: [
      {
        name: 'coupon',
        method: 'POST',
        path: '/v1/coupons',
        params: { amount_off: 500, currency: 'usd', duration: 'repeating', duration_in_months: 3 },
      },
      {
        name: 'code',
        method: 'POST',
        path: '/v1/promotion_codes',
        params: {
          code: 'KETTLE5',
          promotion: { type: 'coupon', coupon: '{coupon.id}' },
          max_redemptions: 2,
        },
      },
      { name: 'both', method: 'POST', path: '/v1/coupons', params: { percent_off: 5, amount_off: 5 } },
      { name: 'deleted', method: 'DELETE', path: '/v1/coupons/{coupon.id}' },
      {
        name: 'rate',
        method: 'POST',
        path: '/v1/tax_rates',
        params: { display_name: 'VAT', percentage: 25, inclusive: false, country: 'NO' },
      },
      {
        name: 'archived',
        method: 'POST',
        path: '/v1/tax_rates/{rate.id}',
        params: { active: false },
      },
    ],
    // A code is of one promotion at a time.
    after: [
      {
        name: 'free',
        method: 'POST',
        path: '/v1/promotion_codes/{code.id}',
        params: { active: false },
      },
    ],
  },
];
