// GET …/twins/<vendor>/coverage: how well a twin knows the operations of a path.
import { json, noSuchTwin, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const coverage: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/twins/<vendor>/coverage',
    access: 'read',
    tag: 'Twins',
    summary: 'how well the operations of a vendor’s path are known: `modelled`, `generic` or `unmodelled`',
    query: {
      path: {
        description: 'as it is asked (`/v1/customers/cus_1`) or as a template',
        schema: { type: 'string', pattern: '^/' },
        required: true,
      },
      method: { description: 'of this method alone', schema: TEXT },
    },
    answers: {
      200: { description: 'each operation of the path', schema: ref('Coverage') },
      400: failure('`path` is none'),
      404: failure('the world has no such twin'),
    },
    run: (call, world, { params }) => {
      const twin = params['vendor']!;
      if (!world.vendors.includes(twin)) return noSuchTwin(twin);
      const query = new URLSearchParams(call.query);
      const path = query.get('path')?.split('?', 1)[0] ?? '';
      if (!path.startsWith('/'))
        return problem(400, 'bad-path', '`path` is a path of the vendor’s: /v1/customers.');
      const method = query.get('method')?.toUpperCase() || null;
      const operations = METHODS.filter(each => method === null || each === method)
        .map(each => world.reports.coverage(twin, { method: each, path }))
        .filter(found => found !== null);
      return json(200, { twin, path, operations });
    },
  },
];
