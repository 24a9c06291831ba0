// GET …/refusals: what clients of the world's proxy were refused lately, newest first. Ours, beside section 4.
import { json } from './answer.ts';
import type { Route } from './route.ts';
import { list, object } from './schema.ts';
import { ref } from './shapes.ts';

export const refusals: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/refusals',
    access: 'read',
    tag: 'Looking',
    summary:
      '`{ refusals: [{ nth, at, run, agent, record }] }`: the newest refusals of the world’s proxy since it started',
    answers: {
      200: { description: 'newest first', schema: object({ refusals: list(ref('SeenRefusal')) }) },
    },
    run: (_call, _world, { around }) => json(200, { refusals: around.refusals() }),
  },
];
