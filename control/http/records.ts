// …/records/<twin>/<type>: the records of a twin as they are now, of one type, and one of them.
import { RECORDS_PAGE_DEFAULT, RECORDS_PAGE_MAX } from '../world/limits.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { list, object, orNull, TEXT, withText } from './schema.ts';
import { failure, ref } from './shapes.ts';

const CURSOR = /^(0|[1-9][0-9]{0,15})$/;
const LIMIT = /^[1-9][0-9]{0,8}$/;
const NO_TWIN = (twin: string) => problem(404, 'no-such-twin', `The world has no twin “${twin}”.`);

export const records: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/records/<twin>/<type>',
    access: 'read',
    tag: 'Looking',
    summary: 'the records of a type as they are now, newest first; `limit`, `before` (a cursor)',
    query: {
      limit: {
        description: `of a page; ${RECORDS_PAGE_DEFAULT} unless given, at most ${RECORDS_PAGE_MAX}`,
        schema: { type: 'integer', minimum: 1 },
      },
      before: { description: '`next` of the page before', schema: TEXT },
    },
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
    },
    run: async (call, world, { params }) => {
      const twin = params['twin']!;
      const query = new URLSearchParams(call.query);
      const limit = query.get('limit') || String(RECORDS_PAGE_DEFAULT);
      if (!LIMIT.test(limit)) return problem(400, 'bad-limit', '`limit` is a whole number, 1 or more.');
      const before = query.get('before') || null;
      if (before !== null && !CURSOR.test(before))
        return problem(400, 'bad-cursor', '`before` is the `next` of an earlier page.');
      const page = await world.past.records(twin, params['type']!, {
        before: before === null ? null : Number(before),
        limit: Math.min(Number(limit), RECORDS_PAGE_MAX),
      });
      return page === null ? NO_TWIN(twin) : json(200, page);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/records/<twin>/<type>/<id>',
    access: 'read',
    tag: 'Looking',
    summary: 'one record as it is now',
    answers: {
      200: { description: 'the record', schema: ref('HeldRecord') },
      404: failure('there is none, or the world has no such twin'),
    },
    run: async (_call, world, { params }) => {
      const [twin, type, id] = [params['twin']!, params['type']!, decodedId(params['id']!)];
      if (!world.vendors.includes(twin)) return NO_TWIN(twin);
      const found = await world.past.record(twin, type, id);
      return found === null
        ? problem(
            404,
            'no-such-record',
            `${twin} has no ${type} ${id} now; its log may tell what became of it.`,
          )
        : json(200, found);
    },
  },
];

/** Ids may hold what a path writes by escapes. */
export function decodedId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
