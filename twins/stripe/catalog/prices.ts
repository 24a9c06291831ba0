// Prices.

import { type Act, need, save, select } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, choice, hash, list, mergeMetadata, metadata, text, unset } from '../api/params.ts';
import { search, searchParams } from '../api/search.ts';
import { viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { createShape, currencyOptionsParam, interval, newPrice, optionsOf } from './price-draft.ts';
import { addPrice, changePrice } from './price-events.ts';
import { newProduct } from './product-draft.ts';
import type { Price } from './records.ts';

const create = operation(
  'prices.create',
  'POST /v1/prices',
  createShape,
  ({ act, params }) => {
    const { product, product_data, ...given } = params;
    if ((product === undefined) === (product_data === undefined)) {
      throw product === undefined
        ? invalid('You must specify either `product` or `product_data` when creating a price.', {
            code: 'parameter_missing',
            param: 'product',
          })
        : invalid('You may only specify one of these parameters: product, product_data.', {
            code: 'parameters_exclusive',
            param: 'product',
          });
    }
    const made = product_data === undefined ? null : newProduct(act, product_data, 'product_data[id]');
    const owner = made?.id ?? need(act, 'product', product ?? '', { param: 'product' }).id;
    const price = newPrice(act, { ...given, product: owner }, '');
    const holder = lookupHolder(act, price.lookup_key);
    if (holder !== undefined && params.transfer_lookup_key !== true)
      throw lookupTaken(price.lookup_key, holder);
    act.tx.kind('price.created');
    if (made !== null) {
      save(act, 'product', made);
      tell(act, 'product.created', 'product', made);
    }
    if (holder !== undefined) changePrice(act, holder, { ...holder, lookup_key: null });
    addPrice(act, price);
    return viewOf(act, 'price', price);
  },
  ['product_data[tax_details]'],
);

function lookupHolder(act: Act, key: string | null): Price | undefined {
  if (key === null) return undefined;
  return select(act.tx, 'price', {
    where: { lookup_key: key },
    limit: 1,
    keep: price => price['active'] === true,
  }).items[0];
}

function lookupTaken(key: string | null, holder: Price): Error {
  return invalid(
    `A price (\`${holder.id}\`) already uses that lookup key: \`${key}\`. Set \`transfer_lookup_key\` to move it.`,
    { code: 'resource_already_exists', param: 'lookup_key' },
  );
}

const retrieve = operation('prices.retrieve', 'GET /v1/prices/{price}', {}, ({ act, path }) =>
  viewOf(act, 'price', need(act, 'price', path['price'] ?? '', { param: 'price', inPath: true })),
);

const change = operation(
  'prices.update',
  'POST /v1/prices/{price}',
  {
    active: boolean(),
    currency_options: unset(currencyOptionsParam),
    lookup_key: text(200),
    metadata: metadata(),
    nickname: text(),
    tax_behavior: choice('exclusive', 'inclusive', 'unspecified'),
    transfer_lookup_key: boolean(),
  },
  ({ act, path, params }) => {
    const held = need(act, 'price', path['price'] ?? '', { param: 'price', inPath: true });
    const { transfer_lookup_key, metadata: tags, currency_options: asked, ...rest } = params;
    const holder =
      rest.lookup_key === held.lookup_key ? undefined : lookupHolder(act, rest.lookup_key ?? null);
    if (holder !== undefined && transfer_lookup_key !== true)
      throw lookupTaken(rest.lookup_key ?? null, holder);
    act.tx.kind('price.updated');
    if (holder !== undefined) changePrice(act, holder, { ...holder, lookup_key: null });
    const tiered = held.billing_scheme === 'tiered';
    const options = asked ? optionsOf(asked, { own: held.currency, tiered, at: name => name }) : {};
    const next = {
      ...held,
      ...rest,
      metadata: mergeMetadata(held.metadata, tags),
      // An empty value takes them all away; others stay beside those that are given.
      ...(asked === undefined ? {} : { $options: asked === null ? {} : { ...held.$options, ...options } }),
    };
    return viewOf(act, 'price', changePrice(act, held, next));
  },
  [],
);

const listAll = operation(
  'prices.list',
  'GET /v1/prices',
  {
    ...createdParams,
    active: boolean(),
    currency: text(),
    lookup_keys: list(text()),
    product: text(),
    recurring: hash({ interval, meter: text(), usage_type: choice('licensed', 'metered') }),
    type: choice('one_time', 'recurring'),
  },
  ({ act, params }) => {
    const { active, currency, lookup_keys, product, recurring, type } = params;
    return page(act, 'price', params, '/v1/prices', {
      ...(product !== undefined
        ? { where: { product } }
        : lookup_keys !== undefined
          ? { where: { lookup_key: lookup_keys } }
          : type !== undefined
            ? { where: { type } }
            : active !== undefined
              ? { where: { active: String(active) } }
              : {}),
      keep: price =>
        (active === undefined || price.active === active) &&
        (currency === undefined || price.currency === currency) &&
        (lookup_keys === undefined || lookup_keys.includes(price.lookup_key ?? '')) &&
        (recurring?.interval === undefined || price.recurring?.interval === recurring.interval) &&
        (recurring?.meter === undefined || price.recurring?.meter === recurring.meter) &&
        (recurring?.usage_type === undefined || price.recurring?.usage_type === recurring.usage_type) &&
        (type === undefined || price.type === type),
    });
  },
);

const find = operation('prices.search', 'GET /v1/prices/search', searchParams, ({ act, params }) =>
  search(act, 'price', params, '/v1/prices/search', [
    'active',
    'created',
    'currency',
    'lookup_key',
    'metadata',
    'product',
    'type',
  ]),
);

export const priceOperations = [create, retrieve, change, listAll, find];
