// Anthropic's lists: `limit`, `after_id`, `before_id`.
import { invalid } from './errors.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1000;

export function limitOf(query: URLSearchParams): number {
  const asked = query.get('limit');
  if (asked === null) return LIMIT_DEFAULT;
  const limit = Number(asked);
  if (!Number.isInteger(limit) || limit < 1)
    throw invalid('limit: Input should be greater than or equal to 1');
  if (limit > LIMIT_MAX) throw invalid(`limit: Input should be less than or equal to ${LIMIT_MAX}`);
  return limit;
}

export function pageOf(data: readonly { readonly id?: unknown }[], more: boolean): object {
  return { data, has_more: more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
