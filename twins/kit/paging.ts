// The ways in which vendors cut a list into pages, each over the records' own index: by an id in the query (Stripe,
// OpenAI, Resend), by a token (Google, Slack), by the page's number with a `Link` header (GitHub), by an offset.
import { digest } from './fingerprint.ts';
import { Refusal } from './refusal.ts';
import type { ListQuery, Reader, RecordBody } from './tx.ts';

/** How many a page holds: what the query's parameter `param` says, from 1 to `max`, `usual` where it says nothing. */
export type PageSize = {
  readonly param: string;
  readonly usual: number;
  readonly max: number;
  /** More than `max` is as good as `max`, instead of being refused. */
  readonly capped?: boolean;
};

/** What is listed, besides the page: fields of one index, a condition, the order, times of creation. */
export type Listed = Pick<ListQuery, 'where' | 'keep' | 'order' | 'createdFrom' | 'createdBefore'>;

type Asked = { readonly query: URLSearchParams; readonly size: PageSize; readonly of?: Listed };

/** Refuses with 400 `invalid_page_size`. */
export function pageSize(query: URLSearchParams, { param, usual, max, capped = false }: PageSize): number {
  const asked = query.get(param);
  if (asked === null || asked === '') return usual;
  const size = Number(asked);
  if (Number.isInteger(size) && size >= 1 && (size <= max || capped)) return Math.min(size, max);
  throw new Refusal(400, 'invalid_page_size', `${param} must be a whole number from 1 to ${max}.`, {
    field: param,
  });
}

export type IdPage<T> = {
  readonly items: readonly T[];
  readonly more: boolean;
};

/** `?after=<id>`, `?before=<id>`: cursors are ids of records. Refuses one that names none with 400 `invalid_cursor`. */
export function pageById<T extends RecordBody = RecordBody>(
  reader: Reader,
  type: string,
  { query, size, of = {}, after, before }: Asked & { readonly after: string; readonly before?: string },
): IdPage<T> {
  const cursor = (name: 'after' | 'before', param: string | undefined): object => {
    const id = param === undefined ? null : query.get(param);
    if (id === null || id === '') return {};
    if (reader.get(type, id) !== undefined) return { [name]: id };
    throw new Refusal(400, 'invalid_cursor', `${param} names no ${type}: ${id}`, { field: param });
  };
  const { items, more } = reader.list<T>(type, {
    ...of,
    limit: pageSize(query, size),
    ...cursor('after', after),
    ...cursor('before', before),
  });
  return { items, more };
}

export type TokenPage<T> = { readonly items: readonly T[]; readonly next: string | null };

/**
 * `?<token>=<what the last page gave>`. A token is good for the list it was given for, also when records of the last page
 * are gone. `list` tells lists apart that are not to share tokens: what else the query asked for. Refuses one that is not
 * of this list with 400 `invalid_page_token`.
 */
export function pageByToken<T extends RecordBody = RecordBody>(
  reader: Reader,
  type: string,
  { query, size, of = {}, token, list = '' }: Asked & { readonly token: string; readonly list?: string },
): TokenPage<T> {
  const asked = query.get(token);
  const seal = digest(JSON.stringify([type, list, of.where ?? null, of.order ?? null]));
  const cursor = asked === null || asked === '' ? null : opened(asked, seal);
  if (cursor === undefined)
    throw new Refusal(400, 'invalid_page_token', `${token} is of no page of this list.`, { field: token });
  const page = reader.list<T>(type, {
    ...of,
    limit: pageSize(query, size),
    ...(cursor === null ? {} : { cursor }),
  });
  return { items: page.items, next: page.cursor === undefined ? null : btoa(`${page.cursor}.${seal}`) };
}

function opened(token: string, seal: string): string | undefined {
  try {
    const text = atob(token);
    const dot = text.indexOf('.');
    return dot > 0 && text.slice(dot + 1) === seal ? text.slice(0, dot) : undefined;
  } catch {
    return undefined;
  }
}

export type NumberedPage<T> = {
  readonly items: readonly T[];
  /** The `Link` header (RFC 8288); null when all is on this page. */
  readonly link: string | null;
};

/** `?page=2`, with a `Link` header to its neighbours. `url`: the list's address as the client asked for it, whole. */
export function pageByNumber<T extends RecordBody = RecordBody>(
  reader: Reader,
  type: string,
  { query, size, of = {}, param = 'page', url }: Asked & { readonly param?: string; readonly url: string },
): NumberedPage<T> {
  const number = wholeNumber(query, param, 1);
  const limit = pageSize(query, size);
  const { items, more } = reader.list<T>(type, { ...of, limit, skip: (number - 1) * limit });
  const at = (page: number): string => {
    const target = new URL(url);
    target.searchParams.set(param, String(page));
    return target.href;
  };
  const links = [
    ...(number > 1 ? [`<${at(number - 1)}>; rel="prev"`] : []),
    ...(more ? [`<${at(number + 1)}>; rel="next"`] : []),
    ...(number > 1 ? [`<${at(1)}>; rel="first"`] : []),
  ];
  return { items, link: links.length === 0 ? null : links.join(', ') };
}

export type OffsetPage<T> = { readonly items: readonly T[]; readonly more: boolean; readonly offset: number };

/** `?offset=40`. */
export function pageByOffset<T extends RecordBody = RecordBody>(
  reader: Reader,
  type: string,
  { query, size, of = {}, param = 'offset' }: Asked & { readonly param?: string },
): OffsetPage<T> {
  const offset = wholeNumber(query, param, 0);
  const { items, more } = reader.list<T>(type, { ...of, limit: pageSize(query, size), skip: offset });
  return { items, more, offset };
}

/** The deepest place that a number in the query may name: what lies before it is counted. */
const PLACE_MAX = 10_000_000;

function wholeNumber(query: URLSearchParams, param: string, least: number): number {
  const asked = query.get(param);
  if (asked === null || asked === '') return least;
  const value = Number(asked);
  if (Number.isInteger(value) && value >= least && value <= PLACE_MAX) return value;
  throw new Refusal(400, 'invalid_page', `${param} must be a whole number from ${least}.`, { field: param });
}
