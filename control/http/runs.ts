// …/runs: runs that carry a declaration. Ours, beside section 4: `wrld world run --declaration` asks for one.
import { readDeclaration } from '../../policy/declaration.ts';
import { ShapeReader } from '../../policy/shape.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';

const NO_PROXY = problem(404, 'no-proxy', 'This host runs no proxy, so it has no runs.');

export const runs: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/runs',
    access: 'write',
    summary:
      'opens a run with `{ declaration }` and answers `{ name, secret }`, the credentials of its proxy URL, once',
    run: async (call, _world, { around }) => {
      if (around.runs === null) return NO_PROXY;
      const body = parseBody(call.body, ['declaration']);
      if (!body.ok) return problem(400, body.code, body.message);
      const reader = new ShapeReader();
      const declaration = readDeclaration(body.value['declaration'], 'declaration', reader);
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
    summary: 'closes a run: its proxy credentials open nothing from then on',
    run: async (_call, _world, { around, params }) => {
      if (around.runs === null) return NO_PROXY;
      const closed = await around.runs.close(params['name']!);
      return closed
        ? { status: 204, headers: [], body: null }
        : problem(404, 'no-such-run', 'There is no such run.');
    },
  },
];
