// GET …/timeline: the twins' logs merged, newest first (4.9).
import type { TimelineQuery } from '../world/log/timeline.ts';
import { jsonText, noSuchTwin, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const LIMIT = /^[1-9][0-9]{0,8}$/;
const TRACE_ID = /^[0-9a-f]{32}$/;

/** As `timelineQuery` reads them. */
export const TIMELINE_QUERY: NonNullable<Route['query']> = {
  limit: { description: 'entries of a page', schema: { type: 'integer', minimum: 1 } },
  before: { description: '`next` of the page before', schema: TEXT },
  twin: { description: 'entries of this twin alone', schema: TEXT },
  trace: { description: 'entries of this W3C trace id alone', schema: TEXT },
};

export const timeline: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/timeline',
    access: 'read',
    tag: 'Looking',
    summary: 'the twins’ logs merged, newest first; `limit`, `before` (a cursor), `twin`, `trace`',
    query: TIMELINE_QUERY,
    answers: {
      200: { description: 'a page of entries', schema: ref('TimelinePage') },
      400: failure('a parameter cannot be read'),
      404: failure('the world has no such twin'),
    },
    run: async (call, world) => {
      const query = timelineQuery(new URLSearchParams(call.query));
      if ('message' in query) return problem(400, query.code, query.message);
      if (query.twin !== undefined && !world.vendors.includes(query.twin)) return noSuchTwin(query.twin);
      const page = await world.timeline(query);
      if (!page.ok) return problem(400, page.why, page.message);
      return jsonText(200, page.json);
    },
  },
];

// An empty parameter is one that is not set: `?limit=&before=` is how the endpoint is written in 4.9.
export function timelineQuery(
  params: URLSearchParams,
): TimelineQuery | { readonly code: string; readonly message: string } {
  const limit = params.get('limit') || null;
  const before = params.get('before') || null;
  const twin = params.get('twin') || null;
  const trace = params.get('trace') || null;
  if (limit !== null && !LIMIT.test(limit))
    return { code: 'bad-limit', message: '`limit` is a whole number, 1 or more.' };
  if (trace !== null && !TRACE_ID.test(trace))
    return { code: 'bad-trace', message: '`trace` is a W3C trace id: 32 lower-case hexadecimal digits.' };
  return {
    ...(limit === null ? {} : { limit: Number(limit) }),
    ...(before === null ? {} : { before }),
    ...(twin === null ? {} : { twin }),
    ...(trace === null ? {} : { trace }),
  };
}
