// GET /-/metrics: what Prometheus asks of a host. The names of worlds are in it, and how much each is used.
import { TEXT } from '../http/schema.ts';
import { type AdminRoute, NOT_ADMIN } from './admin-route.ts';

export const metrics: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/-/metrics',
    access: 'admin',
    tag: 'Hosting',
    summary: 'counters of the host and of each world, for Prometheus (ours)',
    answers: {
      200: { description: 'Prometheus’ text format', schema: TEXT, type: 'text/plain' },
      ...NOT_ADMIN,
    },
    run: async (_body, { around }) => ({
      status: 200,
      headers: [
        ['content-type', 'text/plain; version=0.0.4; charset=utf-8'],
        ['cache-control', 'no-store'],
      ],
      body: await around.worlds.metrics(),
    }),
  },
];
