// POST …/rotate: new tokens (5.3-1, 4.8). With its answer the old ones end, and with them every session and key.
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { failure, ref } from './shapes.ts';

export const rotate: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/rotate',
    access: 'token',
    tag: 'Access',
    summary: 'new tokens, told once; the old ones, every session and every key end with the answer',
    answers: {
      200: { description: 'the new tokens', schema: ref('Tokens') },
      401: failure('the token was rotated meanwhile'),
    },
    run: async (_call, world, { around, stands }) => {
      if (!stands()) return problem(401, 'unauthenticated', 'The credential has ended meanwhile.');
      const { write, read } = await around.rotate();
      world.news.tell({ kind: 'keys' });
      return json(200, { name: world.name, token: write.reveal(), readToken: read.reveal() });
    },
  },
];
