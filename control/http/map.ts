// GET …/map: what is in the world, twin by twin (2.13, 4.9).
import { json } from './answer.ts';
import type { Route } from './route.ts';
import { list, object } from './schema.ts';
import { ref } from './shapes.ts';

export const map: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/map',
    access: 'read',
    tag: 'Looking',
    summary: '`{ twins: [{ twin, position, screens, root, resources }] }`',
    answers: { 200: { description: 'every twin', schema: object({ twins: list(ref('MapEntry')) }) } },
    run: async (_call, world) => json(200, { twins: await world.map() }),
  },
];
