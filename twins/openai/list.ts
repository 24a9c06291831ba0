// OpenAI's lists: `after`/`before` by id, `limit`, `order`, and the ids at both ends of the page.
import type { RecordBody } from '../kit/tx.ts';
import { invalid } from './errors.ts';
import type { Context } from './operation.ts';

export type ListOptions = {
  readonly where?: { readonly [field: string]: string };
  readonly keep?: (body: RecordBody) => boolean;
  readonly limit?: number;
  readonly max?: number;
  readonly order?: 'asc' | 'desc';
};

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export function listOf(context: Context, type: string, options: ListOptions = {}): object {
  const { query, tx } = context;
  const max = options.max ?? LIMIT_MAX;
  const limit = limitOf(query.get('limit'), options.limit ?? LIMIT_DEFAULT, max);
  const order = query.get('order') ?? options.order ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw invalid(
      `Invalid value: '${order}'. Supported values are: 'asc' and 'desc'.`,
      'order',
      'invalid_value',
    );
  }
  const page = tx.list(type, {
    order: order === 'asc' ? 'oldest' : 'newest',
    limit,
    ...(options.where && { where: options.where }),
    ...(options.keep && { keep: options.keep }),
    ...cursor(query, 'after'),
    ...cursor(query, 'before'),
  });
  return pageOf(page.items.map(shown), page.more);
}

export function pageOf(data: readonly { readonly id?: unknown }[], more: boolean): object {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: more,
  };
}

export function limitOf(asked: string | null, usual: number, max: number): number {
  if (asked === null) return usual;
  const limit = Number(asked);
  if (!Number.isInteger(limit) || limit < 1 || limit > max) {
    throw invalid(`Invalid 'limit': must be an integer from 1 to ${max}.`, 'limit', 'invalid_value');
  }
  return limit;
}

function cursor(query: URLSearchParams, name: 'after' | 'before'): { readonly [name: string]: string } {
  const id = query.get(name);
  return id === null || id === '' ? {} : { [name]: id };
}

/** A record without what the twin keeps for itself (`$…`). */
export function shown(body: RecordBody): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !name.startsWith('$')));
}
