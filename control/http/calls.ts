// GET …/calls: what a test's world was asked, call by call. Ours, beside section 4; a world that runs an app keeps the
// report of requests instead (requests.ts).
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { list, object } from './schema.ts';
import { failure, ref } from './shapes.ts';

export const calls: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/calls',
    access: 'read',
    tag: 'Looking',
    summary: '`{ calls: [{ at, twin, method, path, … }] }`: the newest calls to the twins of a test’s world',
    answers: {
      200: { description: 'oldest first', schema: object({ calls: list(ref('SeenCall')) }) },
      404: failure('the world is no test’s'),
    },
    run: (_call, _world, { around }) =>
      around.calls === undefined
        ? problem(404, 'no-calls', 'Only a test’s world keeps its calls; see GET …/requests.')
        : json(200, { calls: around.calls() }),
  },
];
