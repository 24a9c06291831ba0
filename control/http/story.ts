// GET …/story: what happened, in the words of the twins (4.9). Ours, beside section 4: what it tells is the timeline's.
import type { TimelineQuery } from '../world/log/timeline.ts';
import type { PastPoint } from '../world/past/past.ts';
import { json, noSuchTwin, problem } from './answer.ts';
import { AS_OF_QUERY, NOT_REACHED, pointAsked } from './as-of.ts';
import { decodedId, PAGE_QUERY, pageAsked } from './records.ts';
import type { Route } from './route.ts';
import { COUNT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import { TIMELINE_QUERY, timelineQuery } from './timeline.ts';

const POSITION = /^(0|[1-9][0-9]{0,14})$/;

export const story: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/story',
    access: 'read',
    tag: 'Looking',
    summary:
      'the timeline in words: each entry by what its twin calls the records; `limit`, `before`, `twin`, `trace`, `at` (as of then), or `twin` and `after`',
    query: {
      ...TIMELINE_QUERY,
      ...AS_OF_QUERY,
      after: { description: 'a position of `twin`: those after it, oldest first', schema: COUNT },
    },
    answers: {
      200: { description: 'a page of lines', schema: ref('StoryPage') },
      400: failure('a parameter cannot be read'),
      404: failure('the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world) => {
      const params = new URLSearchParams(call.query);
      const query = timelineQuery(params);
      if ('message' in query) return problem(400, query.code, query.message);
      if (query.twin !== undefined && !world.vendors.includes(query.twin)) return noSuchTwin(query.twin);
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const page = await pageOf(world.story, query, params.get('after') || null, asOf.point);
      if (page === null)
        return problem(
          400,
          'bad-position',
          '`after` is a position of the twin that `twin` names, and goes without `at`.',
        );
      return page.ok
        ? json(200, { lines: page.lines, next: page.next })
        : problem(400, page.why, page.message);
    },
  },
];

export const storyOfRecords: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/story/<twin>/<type>',
    access: 'read',
    tag: 'Looking',
    summary:
      'the records of a type as a table, newest first, with the columns that their twin names; as they are, or were (`at`)',
    query: { ...PAGE_QUERY, ...AS_OF_QUERY },
    answers: {
      200: { description: 'a page of rows', schema: ref('RecordTable') },
      400: failure('a parameter cannot be read'),
      404: failure('the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world, { params }) => {
      const asked = pageAsked(call.query);
      if (!asked.ok) return asked.reply;
      const { twin = '', type = '' } = params;
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const table = await world.story.table(twin, type, asked.page, asOf.point);
      return table === null ? noSuchTwin(twin) : json(200, table);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/story/<twin>/<type>/<id>',
    access: 'read',
    tag: 'Looking',
    summary:
      'one record with what made it as it is, or was (`at`): its newest versions, each with the entry that wrote it',
    query: AS_OF_QUERY,
    answers: {
      200: { description: 'the record', schema: ref('RecordStory') },
      400: failure('a parameter cannot be read'),
      404: failure('there is none and there was none, or the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world, { params }) => {
      const { twin = '', type = '' } = params;
      const id = decodedId(params['id'] ?? '');
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const told = await world.story.record(twin, type, id, asOf.point);
      return told === null
        ? problem(404, 'no-such-record', `${twin} has no ${type} ${id}, and had none.`)
        : json(200, told);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/story/<twin>/<type>/<id>/answer',
    access: 'read',
    tag: 'Looking',
    summary:
      'one record as its vendor answers it now: the request that programs send for it, and what the twin says to that, past its handlers; it stands in no log',
    answers: {
      200: { description: 'the request and its answer', schema: ref('Exchange') },
      404: failure('the world has no such record, or its vendor no request for one'),
    },
    run: async (_call, world, { params }) => {
      const { twin = '', type = '' } = params;
      const id = decodedId(params['id'] ?? '');
      const answered = await world.vendorAnswers.of(twin, type, id);
      return answered === null
        ? problem(404, 'no-such-record', `${twin} answers no request for ${type} ${id}.`)
        : json(200, answered);
    },
  },
];

type Telling = Parameters<Route['run']>[1]['story'];

/** Null for an `after` that is none. */
const pageOf = async (
  story: Telling,
  query: TimelineQuery,
  after: string | null,
  point: PastPoint | null,
): Promise<Awaited<ReturnType<Telling['after']>>> => {
  if (after === null) return story.newest(query, point);
  if (point !== null || query.twin === undefined || !POSITION.test(after)) return null;
  return story.after(query.twin, Number(after));
};
