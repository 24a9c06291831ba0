// …/runs: runs that carry a declaration. Ours, beside section 4: `wrld world run --declaration` asks for one.
import { readDeclaration } from '../../policy/declaration.ts';
import { ShapeReader } from '../../policy/shape.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { ANYTHING, list, object } from './schema.ts';
import { failure, ref } from './shapes.ts';

const NO_PROXY = problem(404, 'no-proxy', 'This host runs no proxy, so it has no runs.');

export const runs: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/runs',
    access: 'read',
    tag: 'Runs',
    summary:
      '`{ runs: [{ name, openedAt, closedAt }] }`: the runs of this world since it is up, newest first',
    answers: {
      200: { description: 'newest first', schema: object({ runs: list(ref('SeenRun')) }) },
      404: failure('the host runs no proxy'),
    },
    run: (_call, _world, { around }) =>
      around.runs === null ? NO_PROXY : json(200, { runs: around.runs.seen() }),
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/runs',
    access: 'write',
    tag: 'Runs',
    summary:
      'opens a run with `{ declaration? }`, an open one unless given, and answers `{ name, secret }`, the credentials of its proxy URL, once',
    request: { schema: object({}, { declaration: ANYTHING }) },
    answers: {
      201: { description: 'the run', schema: ref('OpenedRun') },
      400: failure('the declaration cannot be read'),
      404: failure('the host runs no proxy'),
      409: failure('the world has as many runs as it takes'),
    },
    run: async (call, _world, { around }) => {
      if (around.runs === null) return NO_PROXY;
      const body = parseBody(call.body, ['declaration'], { optional: true });
      if (!body.ok) return problem(400, body.code, body.message);
      const reader = new ShapeReader();
      const declaration = readDeclaration(body.value['declaration'] ?? {}, 'declaration', reader);
      if (reader.problem !== null) return problem(400, 'bad-declaration', reader.problem);
      const opened = await around.runs.open(declaration);
      if (opened === null)
        return problem(409, 'too-many-runs', 'The world has as many runs as it takes; close some first.');
      return json(201, opened);
    },
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/runs/<name>',
    access: 'write',
    tag: 'Runs',
    summary: 'closes a run: its proxy credentials open nothing from then on',
    answers: {
      204: { description: 'closed' },
      404: failure('there is no such run, or the host runs no proxy'),
    },
    run: async (_call, _world, { around, params }) => {
      if (around.runs === null) return NO_PROXY;
      const closed = await around.runs.close(params['name']!);
      return closed
        ? { status: 204, headers: [], body: null }
        : problem(404, 'no-such-run', 'There is no such run.');
    },
  },
];
