// GET …/log/<twin>: one twin's log from a position (4.4).
import { json, jsonText, noSuchTwin, problem } from './answer.ts';
import type { Route } from './route.ts';
import { COUNT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const ENTRY = /^[1-9][0-9]{0,14}$/;
const POSITION = /^(0|[1-9][0-9]{0,14})$/;

export const log: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/log/<twin>',
    access: 'read',
    tag: 'History',
    summary: 'the twin’s entries after a position (`after`, default 0), oldest first',
    query: { after: { description: 'a position; 0 by default', schema: COUNT } },
    answers: {
      200: { description: 'a page of the log', schema: ref('EntryPage') },
      400: failure('`after` is no position'),
      404: failure('the world has no such twin'),
    },
    run: async (call, world, { params }) => {
      // Empty is not set, as everywhere (4.4).
      const after = new URLSearchParams(call.query).get('after') || '0';
      if (!POSITION.test(after))
        return problem(400, 'bad-position', '`after` is a position: a whole number, 0 or more.');
      const page = await world.log(params['twin']!, Number(after));
      if (!page) return noSuchTwin(params['twin']!);
      return jsonText(200, page.json);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/log/<twin>/<position>',
    access: 'read',
    tag: 'History',
    summary: 'one entry of the twin’s log, whole',
    answers: {
      200: { description: 'the entry', schema: ref('Entry') },
      404: failure('the log has no such entry'),
    },
    run: async (_call, world, { params }) => {
      const { twin = '', position = '' } = params;
      const known = world.vendors.includes(twin) && ENTRY.test(position);
      const entry = known ? await world.story.entry(twin, Number(position)) : null;
      if (entry === null) return problem(404, 'no-such-entry', `There is no entry ${twin}:${position} here.`);
      return json(200, entry);
    },
  },
];
