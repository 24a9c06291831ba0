// OpenAI's lists: `after`/`before` by id, `limit`, `order`, and the ids at both ends of the page.

import type { ModelAsk } from '../kit/model-api.ts';
import { cursorsOf, type IdPage, limitOf, type PageStyle, pageById, sliceById } from '../kit/paging.ts';
import type { RecordBody } from '../kit/tx.ts';
import { invalid } from './errors.ts';

export type ListOptions = {
  readonly where?: { readonly [field: string]: string };
  readonly keep?: (body: RecordBody) => boolean;
  /** How many a page holds, unless fewer are asked for. */
  readonly max?: number;
  readonly order?: 'asc' | 'desc';
};

export const PAGES: PageStyle = {
  usual: 20,
  max: 100,
  after: 'after',
  before: 'before',
  wrongLimit: (_asked, max) =>
    invalid(`Invalid 'limit': must be an integer from 1 to ${max}.`, 'limit', 'invalid_value'),
};

export function listOf(context: ModelAsk, type: string, options: ListOptions = {}): object {
  const order = context.query.get('order') ?? options.order ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw invalid(
      `Invalid value: '${order}'. Supported values are: 'asc' and 'desc'.`,
      'order',
      'invalid_value',
    );
  }
  const { max } = options;
  const { items, more } = pageById(context, type, max === undefined ? PAGES : { ...PAGES, usual: max, max }, {
    order: order === 'asc' ? 'oldest' : 'newest',
    ...(options.where && { where: options.where }),
    ...(options.keep && { keep: options.keep }),
  });
  return pageOf({ items: items.map(publicFields), more });
}

/** One page of what is held whole, in the order that it is in. */
export function partOf<T extends { readonly id?: unknown }>(
  items: readonly T[],
  query: URLSearchParams,
): IdPage<T> {
  return sliceById(items, { ...cursorsOf(query, PAGES), before: null, limit: limitOf(query, PAGES) });
}

export function pageOf({ items: data, more }: IdPage<{ readonly id?: unknown }>): object {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: more,
  };
}

/** A record without what the twin keeps for itself (`$…`). */
export function publicFields(body: RecordBody): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !name.startsWith('$')));
}
