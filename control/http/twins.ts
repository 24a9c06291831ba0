// …/twins: the twins and the status of each (2.7, 4.6).
import type { TwinStatus } from '../world/twins/status.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { list, object } from './schema.ts';
import { failure, ref } from './shapes.ts';

export const twins: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/twins',
    access: 'read',
    tag: 'Twins',
    summary: 'every twin, each as its status endpoint answers',
    answers: { 200: { description: 'every twin', schema: object({ twins: list(ref('TwinStatus')) }) } },
    run: async (_call, world) => {
      const each = await Promise.all(world.vendors.map(vendor => world.twinStatus(vendor)));
      return json(200, { twins: each.filter((status): status is TwinStatus => status !== null) });
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/twins/<vendor>/status',
    // 4.6 marks only the list for the read token, and 5.1 opens to it only what is marked.
    access: 'write',
    tag: 'Twins',
    summary: 'identity, execution, data origin, root, credential, refresh and position of one twin',
    answers: {
      200: { description: 'the twin', schema: ref('TwinStatus') },
      404: failure('the world has no such twin'),
    },
    run: async (_call, world, { params }) => {
      const status = await world.twinStatus(params['vendor']!);
      return status
        ? json(200, status)
        : problem(404, 'no-such-twin', `The world has no twin “${params['vendor']}”.`);
    },
  },
];
