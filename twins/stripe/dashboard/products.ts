// Products and their prices: what is sold, and for how much.
import { html } from '../../kit/html.ts';
import { byWord } from '../../kit/tx.ts';
import { find, select } from '../api/act.ts';
import type { Price, Product } from '../catalog/records.ts';
import type { Column, Kind } from './kind.ts';
import { RELATED_SHOWN, section } from './table.ts';
import { refer } from './visit.ts';
import { badge, instant, priced } from './words.ts';

const FOUND_MAX = 20;
const IMAGES_SHOWN = 8;

const standing = (active: boolean) => badge(active ? 'active' : 'archived');

const productColumns: readonly Column<Product>[] = [
  {
    title: 'Product',
    // An id may be the app's own, which says nothing of its kind.
    cell: ({ base }, { id, name }) => html`<a href="${base}products/${encodeURIComponent(id)}">${name}</a>`,
  },
  { title: 'State', cell: (_visit, { active }) => standing(active) },
  { title: 'Description', wide: true, cell: (_visit, { description }) => description ?? '' },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

const priceColumns: readonly Column<Price>[] = [
  { title: 'Price', cell: (visit, held) => refer(visit, held.id, priced(held)) },
  { title: 'State', cell: (_visit, { active }) => standing(active) },
  { title: 'Lookup key', wide: true, cell: (_visit, { lookup_key: key }) => key ?? '' },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

export const products: Kind<'product'> = {
  type: 'product',
  path: 'products',
  title: 'Products',
  noun: 'product',
  list: {
    operation: 'products.list',
    search: 'products.search',
    byWords: ({ act }, asked) => {
      const itself = find(act, 'product', asked);
      return itself !== undefined
        ? [itself]
        : select(act.tx, 'product', { where: byWord('name', asked), limit: FOUND_MAX }).items;
    },
    columns: productColumns,
    filters: [{ param: 'active', title: 'Active', values: ['true', 'false'] }],
    empty: {
      says: 'No products yet.',
      curl: '/v1/products -u sk_test_1: -d name=Tea -d "default_price_data[currency]=usd" -d "default_price_data[unit_amount]=1500"',
    },
  },
  heading: ({ name }) => name,
  facts: (visit, held) => [
    ['State', standing(held.active)],
    ['Description', held.description],
    ['Usual price', held.default_price == null ? null : refer(visit, held.default_price)],
    ['Statement', held.statement_descriptor ?? null],
    // An image that somebody names is not loaded: who serves it would learn of the visit.
    ['Images', held.images.slice(0, IMAGES_SHOWN).join(', ')],
    ['Created', instant(held.created)],
  ],
  related: (visit, { id }) => {
    const { items } = select(visit.act.tx, 'price', { where: { product: id }, limit: RELATED_SHOWN });
    return section(visit, 'Prices', priceColumns, items);
  },
};

export const prices: Kind<'price'> = {
  type: 'price',
  path: 'prices',
  title: 'Prices',
  noun: 'price',
  list: {
    operation: 'prices.list',
    search: 'prices.search',
    columns: priceColumns,
    takes: ['product'],
    empty: {
      says: 'No prices yet.',
      curl: '/v1/prices -u sk_test_1: -d currency=usd -d unit_amount=1500 -d "product_data[name]=Tea"',
    },
  },
  heading: priced,
  facts: ({ act, base }, held) => [
    ['State', standing(held.active)],
    [
      'Product',
      html`<a href="${base}products/${encodeURIComponent(held.product)}">${find(act, 'product', held.product)?.name ?? held.product}</a>`,
    ],
    ['Name', held.nickname],
    ['Lookup key', held.lookup_key],
    ['Created', instant(held.created)],
  ],
};
