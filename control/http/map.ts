// GET …/map: what is in the world, twin by twin (2.13, 4.9).
import { json } from './answer.ts';
import type { Route } from './route.ts';

export const map: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/map',
    access: 'read',
    summary: '`{ twins: [{ twin, position, screens, root, resources }] }`',
    run: async (_call, world) => json(200, { twins: await world.map() }),
  },
];
