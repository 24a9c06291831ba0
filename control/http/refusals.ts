// GET …/refusals: what clients of the world's proxy were refused lately, newest first. Ours, beside section 4.
import { json } from './answer.ts';
import type { Route } from './route.ts';

export const refusals: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/refusals',
    access: 'read',
    summary:
      '`{ refusals: [{ at, run, record }] }`: the newest refusals of the world’s proxy since it started',
    run: (_call, _world, { around }) => json(200, { refusals: around.refusals() }),
  },
];
