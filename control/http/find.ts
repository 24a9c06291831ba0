// GET …/find/entries and …/find/records: what somebody looks for, a bounded look at a time. Ours, beside section 4: what is
// looked through is what 4.4 and 4.9 show.
import type { Reply } from '../../twins/kit/reply.ts';
import type { PastPoint } from '../world/past/past.ts';
import type { EntriesWanted, FoundEntries, FoundRecords } from '../world/story/find.ts';
import {
  FIND_LOOKED_ENTRIES_MAX,
  FIND_LOOKED_RECORDS_MAX,
  FIND_ROWS_DEFAULT,
  FIND_ROWS_MAX,
  FIND_TEXT_CHARS_MAX,
} from '../world/story/limits.ts';
import type { World } from '../world/world.ts';
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
      const asked = await wantedOf(call.query, world);
      return asked.ok ? told(await world.find.entries(asked.wanted, asked.point)) : asked.reply;
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
      const asked = await wantedOf(call.query, world);
      if (!asked.ok) return asked.reply;
      const { text, ...wanted } = asked.wanted;
      if (text === undefined) return problem(400, 'no-text', '`text` says what is looked for.');
      return told(await world.find.records({ ...wanted, text }, asked.point));
    },
  },
];

type Asked =
  | { readonly ok: true; readonly wanted: EntriesWanted; readonly point: PastPoint | null }
  | { readonly ok: false; readonly reply: Reply };

const WORDS = ['text', 'type', 'kind', 'caller'];

/** What is asked of either; of records, what only entries have says nothing. */
async function wantedOf(query: string, world: World): Promise<Asked> {
  const no = (reply: Reply): Asked => ({ ok: false, reply });
  const params = new URLSearchParams(query);
  const page = timelineQuery(params);
  if ('message' in page) return no(problem(400, page.code, page.message));
  if (page.twin !== undefined && !world.vendors.includes(page.twin)) return no(noSuchTwin(page.twin));
  const given = WORDS.flatMap(name => {
    const value = params.get(name)?.trim();
    return value ? [[name, value] as const] : [];
  });
  const words: { readonly [name: string]: string } = Object.fromEntries(given);
  if ((words['text']?.length ?? 0) > FIND_TEXT_CHARS_MAX)
    return no(problem(400, 'text-too-long', `\`text\` has at most ${FIND_TEXT_CHARS_MAX} characters.`));
  const asOf = await pointAsked(query, world);
  return asOf.ok ? { ok: true, wanted: { ...page, ...words }, point: asOf.point } : no(asOf.reply);
}

const told = (found: FoundEntries | FoundRecords): Reply => {
  if (!found.ok) return problem(400, found.why, found.message);
  const { ok, ...page } = found;
  return json(200, page);
};
