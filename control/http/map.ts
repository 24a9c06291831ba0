// GET …/map: what is in the world, twin by twin (2.13, 4.9).
import { json } from './answer.ts';
import { AS_OF_QUERY, NOT_REACHED, pointAsked } from './as-of.ts';
import type { Route } from './route.ts';
import { list, object } from './schema.ts';
import { failure, ref } from './shapes.ts';

export const map: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/map',
    access: 'read',
    tag: 'Looking',
    summary:
      '`{ twins: [{ twin, position, screens, root, resources }] }`, as it is now; `at`: positions and records as of then',
    query: AS_OF_QUERY,
    answers: {
      200: { description: 'every twin', schema: object({ twins: list(ref('MapEntry')) }) },
      400: failure('`at` is no instant, or one that has not come'),
      503: NOT_REACHED,
    },
    run: async (call, world) => {
      const asOf = await pointAsked(call.query, world);
      return asOf.ok ? json(200, { twins: await world.map(asOf.point) }) : asOf.reply;
    },
  },
];
