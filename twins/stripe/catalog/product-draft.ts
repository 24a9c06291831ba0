// A product as a call asks for it; not yet saved. A price may bring its product along.

import { type Act, find } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import {
  boolean,
  type Decoded,
  decimal,
  hash,
  list,
  mergeMetadata,
  metadata,
  required,
  text,
  unset,
} from '../api/params.ts';
import type { Product } from './records.ts';

export const writable = {
  active: boolean(),
  description: unset(text(40_000)),
  images: unset(list(text())),
  marketing_features: unset(list(hash({ name: required(text(80)) }))),
  metadata: metadata(),
  name: text(),
  package_dimensions: unset(
    hash({
      height: required(decimal()),
      length: required(decimal()),
      weight: required(decimal()),
      width: required(decimal()),
    }),
  ),
  shippable: boolean(),
  statement_descriptor: unset(text(22)),
  tax_code: unset(text()),
  unit_label: unset(text(12)),
  url: unset(text()),
} as const;

/** What a product had until 2022-08-01, when orders of goods were an API of their own: kept for who asks as of then. */
export const former = {
  attributes: list(text()),
  caption: unset(text(5_000)),
  deactivate_on: list(text()),
} as const;

type Written = Decoded<typeof writable> & Decoded<typeof former>;

export function withFields(act: Act, held: Product, given: Written): Product {
  const { images, marketing_features, package_dimensions: box, metadata: tags, ...more } = given;
  const { attributes, caption, deactivate_on, ...scalars } = more;
  return {
    ...held,
    ...(scalars as Partial<Product>),
    ...(images === undefined ? {} : { images: [...(images ?? [])] }),
    ...(marketing_features === undefined ? {} : { marketing_features: [...(marketing_features ?? [])] }),
    ...(box === undefined
      ? {}
      : {
          package_dimensions:
            box === null
              ? null
              : {
                  height: Number(box.height),
                  length: Number(box.length),
                  weight: Number(box.weight),
                  width: Number(box.width),
                },
        }),
    metadata: mergeMetadata(held.metadata, tags),
    updated: act.at,
    ...(attributes === undefined ? {} : { $attributes: [...attributes] }),
    ...(caption === undefined ? {} : { $caption: caption }),
    ...(deactivate_on === undefined ? {} : { $deactivate_on: [...deactivate_on] }),
  };
}

type NewProduct = Written & {
  readonly id?: string;
  readonly name: string;
  readonly type?: 'good' | 'service';
};

/** A product that a price or a product call asks for; not yet saved. */
export function newProduct(act: Act, given: NewProduct, param: string): Product {
  const { id, type, ...rest } = given;
  if (id !== undefined && find(act, 'product', id) !== undefined) {
    throw invalid(`Product already exists.`, { code: 'resource_already_exists', param });
  }
  const blank: Product = {
    id: id ?? act.tx.recordId('prod_', 14),
    object: 'product',
    active: true,
    created: act.at,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name: given.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: type ?? 'service',
    unit_label: null,
    updated: act.at,
    url: null,
  };
  return withFields(act, blank, rest);
}
