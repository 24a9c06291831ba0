// GET …/diff: the world's own changes since its base (2.13, 4.4).
import { jsonText, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

export const diff: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/diff',
    access: 'read',
    tag: 'History',
    summary: 'the world’s own changes since its base, oldest first; `after` (a cursor)',
    query: { after: { description: '`next` of the page before', schema: TEXT } },
    answers: {
      200: { description: 'a page of changes', schema: ref('Diff') },
      400: failure('`after` is no cursor'),
    },
    run: async (call, world) => {
      const after = new URLSearchParams(call.query).get('after') || undefined;
      const found = await world.past.diff(after);
      if (!found.ok) return problem(400, found.why, found.message);
      return jsonText(200, found.json);
    },
  },
];
