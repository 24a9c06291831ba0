// Lists cut into pages by the ids of their records (`?limit=20&after=<id>`), read over the records' own index from where the
// last page ended. The words of the query and of the refusals are the vendor's.
import type { Refusal } from './refusal.ts';
import type { ListQuery, Reader, RecordBody } from './tx.ts';

/** How one vendor's lists are asked for. */
export type PageStyle = {
  /** How many a page holds where `limit` says nothing, and at most. */
  readonly usual: number;
  readonly max: number;
  /** The words for "what comes after this record", and before it. */
  readonly after: string;
  readonly before?: string;
  readonly wrongLimit: (asked: number, max: number) => Refusal;
  /** Cursors that name no record are refused; unless given, nothing follows them, and a blank one is none. */
  readonly wrongCursor?: (param: string, id: string) => Refusal;
};

/** What is listed, besides the page: fields of one index, a condition, the order, times of creation. */
export type Listed = Pick<ListQuery, 'where' | 'keep' | 'order' | 'createdFrom' | 'createdBefore'>;

export type IdPage<T> = { readonly items: readonly T[]; readonly more: boolean };

/** What `limit` says: a whole number from 1 to the style's `max`. */
export function limitOf(query: URLSearchParams, { usual, max, wrongLimit }: PageStyle): number {
  const asked = query.get('limit');
  if (asked === null) return usual;
  const limit = Number(asked);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw wrongLimit(limit, max);
}

/** One page of a type. */
export function pageById<T extends RecordBody = RecordBody>(
  { tx, query }: { readonly tx: Reader; readonly query: URLSearchParams },
  type: string,
  style: PageStyle,
  listed: Listed = {},
): IdPage<T> {
  const limit = limitOf(query, style);
  const after = cursorOf(query, style.after, style);
  const before = style.before === undefined ? null : cursorOf(query, style.before, style);
  if (style.wrongCursor !== undefined) {
    if (after !== null && tx.get(type, after) === undefined) throw style.wrongCursor(style.after, after);
    if (before !== null && tx.get(type, before) === undefined)
      throw style.wrongCursor(style.before ?? '', before);
  }
  return tx.list<T>(type, {
    ...listed,
    limit,
    ...(after !== null && { after }),
    ...(before !== null && { before }),
  });
}

/** One page of a list that is held whole. A cursor that names none of it: `after` begins anew, `before` has nothing. */
export function sliceById<T extends { readonly id?: unknown }>(
  items: readonly T[],
  { after, before, limit }: Cursors & { readonly limit: number },
): IdPage<T> {
  const placeOf = (cursor: string): number => items.findIndex(({ id }) => id === cursor);
  if (before !== null && after === null) {
    const end = Math.max(0, placeOf(before));
    return { items: items.slice(Math.max(0, end - limit), end), more: end > limit };
  }
  const from = after === null ? 0 : placeOf(after) + 1;
  return { items: items.slice(from, from + limit), more: items.length > from + limit };
}

export type Cursors = { readonly after: string | null; readonly before: string | null };

/** The query's own, for a list that is held whole. */
export function cursorsOf(query: URLSearchParams, style: PageStyle): Cursors {
  return {
    after: cursorOf(query, style.after, style),
    before: style.before === undefined ? null : cursorOf(query, style.before, style),
  };
}

function cursorOf(query: URLSearchParams, param: string, { wrongCursor }: PageStyle): string | null {
  const id = query.get(param);
  return id === '' && wrongCursor === undefined ? null : id;
}
