// GET …/find/entries and …/find/records: what somebody looks for, a bounded look at a time. Ours, beside section 4: what is
// looked through is what 4.4 and 4.9 show.
import {
  FIND_LOOKED_ENTRIES_MAX,
  FIND_LOOKED_RECORDS_MAX,
  FIND_ROWS_DEFAULT,
  FIND_ROWS_MAX,
  FIND_TEXT_CHARS_MAX,
} from '../world/story/limits.ts';
import { json, noSuchTwin, problem } from './answer.ts';
import { AS_OF_QUERY, NOT_REACHED, pointAsked } from './as-of.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import { TIMELINE_QUERY, timelineQuery } from './timeline.ts';

const FIND_QUERY: NonNullable<Route['query']> = {
  text: {
    description: `each of its words must stand there, in whatever case; at most ${FIND_TEXT_CHARS_MAX} characters`,
    schema: TEXT,
  },
  twin: { description: 'of this twin alone', schema: TEXT },
  limit: {
    description: `found ones of a page; ${FIND_ROWS_DEFAULT} unless given, at most ${FIND_ROWS_MAX}`,
    schema: { type: 'integer', minimum: 1 },
  },
  before: { description: '`next` of the page before', schema: TEXT },
  ...AS_OF_QUERY,
};

export const find: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/find/entries',
    access: 'read',
    tag: 'Looking',
    summary: `the entries that hold a text, newest first, one whose id it is before all others; ${FIND_LOOKED_ENTRIES_MAX} are looked through at a time`,
    query: {
      ...FIND_QUERY,
      type: { description: 'those that changed a record of this type', schema: TEXT },
      kind: { description: 'of this kind, or of those that begin with it: `customer`', schema: TEXT },
      caller: { description: 'of this caller', schema: TEXT },
      trace: TIMELINE_QUERY['trace']!,
    },
    answers: {
      200: { description: 'what was found', schema: ref('FoundEntries') },
      400: failure('a parameter cannot be read'),
      404: failure('the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world) => {
      const params = new URLSearchParams(call.query);
      const asked = timelineQuery(params);
      if ('message' in asked) return problem(400, asked.code, asked.message);
      if (asked.twin !== undefined && !world.vendors.includes(asked.twin)) return noSuchTwin(asked.twin);
      if (isTooLong(params)) return problem(400, ...TOO_LONG);
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const given = Object.fromEntries(
        ['text', 'type', 'kind', 'caller'].flatMap(name => {
          const value = params.get(name);
          return value ? [[name, value]] : [];
        }),
      );
      const { ok, ...found } = await world.find.entries({ ...asked, ...given }, asOf.point);
      return 'why' in found ? problem(400, found.why, found.message) : json(200, found);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/find/records',
    access: 'read',
    tag: 'Looking',
    summary: `the records that hold a text, one whose id it is before all others, events and the like where \`type\` names them; ${FIND_LOOKED_RECORDS_MAX} are looked through at a time`,
    query: { ...FIND_QUERY, type: { description: 'of this type alone', schema: TEXT } },
    answers: {
      200: { description: 'what was found', schema: ref('FoundRecords') },
      400: failure('a parameter cannot be read, or there is no text'),
      404: failure('the world has no such twin'),
      503: NOT_REACHED,
    },
    run: async (call, world) => {
      const params = new URLSearchParams(call.query);
      const asked = timelineQuery(params);
      if ('message' in asked) return problem(400, asked.code, asked.message);
      const { trace, ...page } = asked;
      if (page.twin !== undefined && !world.vendors.includes(page.twin)) return noSuchTwin(page.twin);
      const text = params.get('text')?.trim() ?? '';
      if (text === '') return problem(400, 'no-text', '`text` says what is looked for.');
      if (isTooLong(params)) return problem(400, ...TOO_LONG);
      const asOf = await pointAsked(call.query, world);
      if (!asOf.ok) return asOf.reply;
      const type = params.get('type');
      const { ok, ...found } = await world.find.records(
        { ...page, text, ...(type ? { type } : {}) },
        asOf.point,
      );
      return 'why' in found ? problem(400, found.why, found.message) : json(200, found);
    },
  },
];

const isTooLong = (params: URLSearchParams): boolean =>
  (params.get('text')?.length ?? 0) > FIND_TEXT_CHARS_MAX;

const TOO_LONG = ['text-too-long', `\`text\` has at most ${FIND_TEXT_CHARS_MAX} characters.`] as const;
