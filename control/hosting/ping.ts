// GET /-/ping and GET /-/health: what a host says to everyone.
import { json } from '../http/answer.ts';
import { COUNT, list, object, oneOf, TEXT, withText } from '../http/schema.ts';
import type { AdminRoute } from './admin-route.ts';

const OPEN = { ...COUNT, description: 'worlds that are open just now; the others open when they are asked' };
const SHARD = object({
  shard: COUNT,
  status: withText(
    oneOf('starting', 'up', 'held-up', 'down'),
    '`held-up`: it does not answer; `down`: it ended, and is started again',
  ),
  worlds: COUNT,
  open: OPEN,
});
const HEALTH = object(
  { status: oneOf('up', 'draining'), worlds: COUNT, open: OPEN },
  { shards: withText(list(SHARD), 'of a host whose worlds are in several processes') },
);

export const ping: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/-/ping',
    access: 'open',
    tag: 'Hosting',
    summary: 'the names of the host’s worlds',
    answers: {
      200: {
        description: 'sorted',
        schema: object({ worlds: list({ ...TEXT, description: '<org>/<world>' }) }),
      },
    },
    run: async (_body, { around }) => json(200, { worlds: await around.worlds.names() }),
  },
  {
    method: 'GET',
    path: '/-/health',
    access: 'open',
    tag: 'Hosting',
    summary: 'whether the host takes requests, for a load balancer (ours)',
    answers: {
      200: { description: 'it does', schema: HEALTH },
      503: { description: 'it is shutting down', schema: HEALTH },
    },
    run: async (_body, { around }) => {
      const health = await around.worlds.health();
      return json(health.status === 'up' ? 200 : 503, health);
    },
  },
];
