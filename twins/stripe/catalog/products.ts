// Products.

import { need, remove, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, hash, list, required, text } from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import { customAmountParam } from './custom-amount.ts';
import { newPrice, priceFields } from './price-draft.ts';
import { addPrice } from './price-events.ts';
import { former, newProduct, withFields, writable } from './product-draft.ts';

const create = operation(
  'products.create',
  'POST /v1/products',
  {
    ...writable,
    ...former,
    id: text(),
    name: required(text()),
    type: choice('good', 'service'),
    default_price_data: hash({ ...priceFields, custom_unit_amount: customAmountParam }),
  },
  ({ act, params }) => {
    const { default_price_data, ...given } = params;
    const product = newProduct(act, given, 'id');
    const price =
      default_price_data === undefined
        ? null
        : newPrice(act, { ...default_price_data, product: product.id }, 'default_price_data');
    const whole = { ...product, default_price: price?.id ?? null };
    save(act, 'product', whole);
    tell(act, 'product.created', 'product', whole);
    if (price !== null) addPrice(act, price);
    return viewOf(act, 'product', whole);
  },
  ['tax_details', 'default_price_data[currency_options]'],
);

const retrieve = operation('products.retrieve', 'GET /v1/products/{id}', {}, ({ act, path }) =>
  viewOf(act, 'product', need(act, 'product', path['id'] ?? '', { param: 'id', inPath: true })),
);

const change = operation(
  'products.update',
  'POST /v1/products/{id}',
  { ...writable, ...former, default_price: text() },
  ({ act, path, params }) => {
    const held = need(act, 'product', path['id'] ?? '', { param: 'id', inPath: true });
    const { default_price } = params;
    if (default_price !== undefined) {
      const price = need(act, 'price', default_price, { param: 'default_price' });
      if (price.product !== held.id) {
        throw invalid(
          `The price specified belongs to product ${price.product}, but you are updating product ${held.id}.`,
          { param: 'default_price' },
        );
      }
    }
    return viewOf(
      act,
      'product',
      update(act, 'product', held, withFields(act, held, params), 'product.updated'),
    );
  },
  ['tax_details'],
);

const del = operation('products.del', 'DELETE /v1/products/{id}', {}, ({ act, path }) => {
  const held = need(act, 'product', path['id'] ?? '', { param: 'id', inPath: true });
  const priced = select(act.tx, 'price', { where: { product: held.id }, limit: 1 }).items.length > 0;
  if (priced) {
    throw invalid('This product cannot be deleted because it has one or more user-created prices.', {});
  }
  tell(act, 'product.deleted', 'product', held);
  remove(act, 'product', held.id);
  return { id: held.id, object: 'product', deleted: true };
});

const listAll = operation(
  'products.list',
  'GET /v1/products',
  {
    ...createdParams,
    active: boolean(),
    ids: list(text()),
    shippable: boolean(),
    type: choice('good', 'service'),
    url: text(),
  },
  ({ act, params }) => {
    const { active, ids, shippable, type, url } = params;
    return page(act, 'product', params, '/v1/products', {
      ...(active === undefined ? {} : { where: { active: String(active) } }),
      keep: product =>
        (ids === undefined || ids.includes(product.id)) &&
        (shippable === undefined || product.shippable === shippable) &&
        (type === undefined || product.type === type) &&
        (url === undefined || product.url === url),
    });
  },
);

const find_ = operation('products.search', 'GET /v1/products/search', searchParams, ({ act, params }) =>
  search(act, 'product', params, '/v1/products/search', [
    'active',
    'created',
    'description',
    'metadata',
    'name',
    'shippable',
    'url',
  ]),
);

export const productOperations = [create, retrieve, change, del, listAll, find_];
