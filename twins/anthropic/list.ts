// Anthropic's lists: `limit`, `after_id`, `before_id`.
import type { IdPage, PageStyle } from '../kit/paging.ts';
import { invalid } from './errors.ts';

export const PAGES: PageStyle = {
  usual: 20,
  max: 1000,
  after: 'after_id',
  before: 'before_id',
  wrongLimit: (asked, max) =>
    Number.isInteger(asked) && asked > max
      ? invalid(`limit: Input should be less than or equal to ${max}`)
      : invalid('limit: Input should be greater than or equal to 1'),
};

export function pageOf({ items: data, more }: IdPage<{ readonly id?: unknown }>): object {
  return { data, has_more: more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
