// PUT …/savepoint: how the world is now, kept for POST …/reset to come back to. Ours, beside section 4: a test suite keeps
// its world when it is filled, and resets it before each test.
import { problem } from './answer.ts';
import type { Route } from './route.ts';
import { failure } from './shapes.ts';

export const savepoint: readonly Route[] = [
  {
    method: 'PUT',
    path: '/-/<org>/<world>/savepoint',
    access: 'write',
    tag: 'Time',
    summary:
      'keeps how the world is now, in place of what was kept before; `POST …/reset` with `{ to: { savepoint: true } }` comes back to it, until the world stops',
    answers: {
      204: { description: 'it is kept' },
      404: failure('the host brings no world back, or it is a branch'),
    },
    run: async (_call, _world, { around }) => {
      if (around.savepoint === null)
        return problem(404, 'no-savepoint', 'This host keeps no savepoint of this world.');
      await around.savepoint();
      return { status: 204, headers: [], body: null };
    },
  },
];
