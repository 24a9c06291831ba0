// /<org>/<world>/<vendor>/<path>: a vendor's own API, answered by its twin (4.9, 5.4).
import { problem } from './answer.ts';
import type { Route } from './route.ts';

export const vendor: readonly Route[] = [
  {
    method: 'ANY',
    path: '/<org>/<world>/<vendor>/<path...>',
    access: 'vendor',
    summary: 'the vendor’s API and screens, and the twin’s own `/twin` and `/twin/scenario`',
    run: (call, world, { params }) => {
      const name = params['vendor']!;
      if (!world.manifest(name)) return problem(404, 'no-such-vendor', `The world has no twin “${name}”.`);
      return world.call(name, { ...call, path: params['path']! });
    },
  },
];
