// …/records/<twin>/<type>: the records of a twin as they are now, of one type, and one of them.
import type { Reply } from '../../twins/kit/reply.ts';
import { RECORDS_PAGE_DEFAULT, RECORDS_PAGE_MAX } from '../world/limits.ts';
import { json, noSuchTwin, problem } from './answer.ts';
import { AS_OF_QUERY, NOT_REACHED, pointAsked } from './as-of.ts';
import type { Route } from './route.ts';
import { list, object, orNull, TEXT, withText } from './schema.ts';
import { failure, ref } from './shapes.ts';

const CURSOR = /^(0|[1-9][0-9]{0,15})$/;
const LIMIT = /^[1-9][0-9]{0,8}$/;

/** Of a page of records, as `pageAsked` reads them. */
export const PAGE_QUERY: NonNullable<Route['query']> = {
  limit: {
    description: `of a page; ${RECORDS_PAGE_DEFAULT} unless given, at most ${RECORDS_PAGE_MAX}`,
    schema: { type: 'integer', minimum: 1 },
  },
  before: { description: '`next` of the page before', schema: TEXT },
};

export const records: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/records/<twin>/<type>',
    access: 'read',
    tag: 'Looking',
    summary:
      'the records of a type as they are now, or were (`at`), newest first; `limit`, `before` (a cursor)',
    query: { ...PAGE_QUERY, ...AS_OF_QUERY },
    answers: {
      200: {
        description: 'a page of records',
        schema: object({
          records: list(ref('HeldRecord')),
          next: withText(orNull(TEXT), 'the `before` of the following page'),
        }),
      },
      400: failure('a parameter cannot be read'),
      404: failure('the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world, { params }) => {
      const twin = params['twin']!;
      const asked = pageAsked(call.query);
      if (!asked.ok) return asked.reply;
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const page = await world.past.records(twin, params['type']!, asked.page, asOf.point);
      return page === null ? noSuchTwin(twin) : json(200, page);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/records/<twin>/<type>/<id>',
    access: 'read',
    tag: 'Looking',
    summary: 'one record as it is now, or was (`at`)',
    query: AS_OF_QUERY,
    answers: {
      200: { description: 'the record', schema: ref('HeldRecord') },
      400: failure('a parameter cannot be read'),
      404: failure('there is none, or the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world, { params }) => {
      const [twin, type, id] = [params['twin']!, params['type']!, decodedId(params['id']!)];
      if (!world.vendors.includes(twin)) return noSuchTwin(twin);
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const found = await world.past.record(twin, type, id, asOf.point);
      return found === null
        ? problem(
            404,
            'no-such-record',
            `${twin} has no ${type} ${id} ${asOf.point === null ? 'now' : 'then'}; its log may tell what became of it.`,
          )
        : json(200, found);
    },
  },
];

type PageAsked =
  | { readonly ok: true; readonly page: { readonly before: number | null; readonly limit: number } }
  | { readonly ok: false; readonly reply: Reply };

export function pageAsked(query: string): PageAsked {
  const params = new URLSearchParams(query);
  const limit = params.get('limit') || String(RECORDS_PAGE_DEFAULT);
  if (!LIMIT.test(limit))
    return { ok: false, reply: problem(400, 'bad-limit', '`limit` is a whole number, 1 or more.') };
  const before = params.get('before') || null;
  if (before !== null && !CURSOR.test(before))
    return { ok: false, reply: problem(400, 'bad-cursor', '`before` is the `next` of an earlier page.') };
  const page = {
    before: before === null ? null : Number(before),
    limit: Math.min(Number(limit), RECORDS_PAGE_MAX),
  };
  return { ok: true, page };
}

/** Ids may hold what a path writes by escapes. */
export function decodedId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
