// Lists of what belongs to a record that the same call made: nobody else knows its id, so whatever names it was written by
// this call, and the tables need not be asked.
import type { ListQuery, Page, RecordBody } from '../../../twins/kit/tx.ts';
import { INDEX_VALUE_CHARS_MAX } from '../limits.ts';
import { page } from './record-scans.ts';
import { indexFor, type RecordIndex } from './record-types.ts';

/** A record as a call has written it. */
export type Made = {
  readonly ord: number;
  readonly body: string;
  /** For each index of its type, in their order. */
  readonly values: readonly (readonly string[])[];
};

/** Under which value of which index (its place among those of the type) a list is asked for. */
export type Under = { readonly index: number; readonly value: string };

/** Null for what only the tables can answer. */
export const underMade = (
  indexes: readonly RecordIndex[],
  query: ListQuery,
  isMade: (id: string) => boolean,
): Under | null => {
  const { where } = query;
  if (where === undefined || query.limit <= 0 || isPlaced(query)) return null;
  const index = indexFor(indexes, where);
  if (index === undefined || index.fields.length !== 1 || index.words) return null;
  const value = where[index.fields[0]!]!;
  if (typeof value !== 'string' || value.length > INDEX_VALUE_CHARS_MAX || !isMade(value)) return null;
  return { index: indexes.indexOf(index), value };
};

export const listMade = <T extends RecordBody>(
  made: Iterable<Made>,
  { index, value }: Under,
  { order, limit, keep }: ListQuery,
): Page<T> => {
  const found = [...made].filter(({ values }) => values[index]!.includes(value));
  found.sort((a, b) => (order === 'oldest' ? a.ord - b.ord : b.ord - a.ord));
  const items: T[] = [];
  let taken = 0;
  for (const { ord, body } of found) {
    const item = JSON.parse(body) as T;
    if (keep !== undefined && !keep(item)) continue;
    if (items.length === limit) return page(items, taken, false);
    items.push(item);
    taken = ord;
  }
  return page(items, null, false);
};

/** It begins or ends somewhere. */
const isPlaced = ({ after, before, cursor, skip, createdFrom, createdBefore }: ListQuery): boolean =>
  after !== undefined ||
  before !== undefined ||
  cursor !== undefined ||
  skip !== undefined ||
  createdFrom !== undefined ||
  createdBefore !== undefined;
