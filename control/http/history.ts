// GET …/history: where each twin was at an instant (2.13, 4.4).
import { askAgain, json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { INSTANT } from './schema.ts';
import { failure, ref } from './shapes.ts';

export const history: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/history',
    access: 'read',
    tag: 'History',
    summary:
      'each twin’s position and view at an instant (`at`, default now); a view is what `checkpoint?at=` takes',
    query: { at: { description: 'ISO 8601 with its offset', schema: INSTANT } },
    answers: {
      200: { description: 'a view of every twin', schema: ref('History') },
      400: failure('`at` is no instant, or one that has not come'),
      503: failure('the world is catching up and has not reached `at`; `Retry-After` says when to ask again'),
    },
    run: async (call, world) => {
      const found = await world.past.at(new URLSearchParams(call.query).get('at') || null);
      if (found.ok) return json(200, { views: found.views });
      if (found.why === 'catching-up') return askAgain(found.why, found.message);
      return problem(400, found.why, found.message);
    },
  },
];
