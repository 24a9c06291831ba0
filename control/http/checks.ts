// …/checks: what looks at each entry of a changeset before it may be deployed (2.13, 4.7).
import type { SetCheckResult, VerifyResult } from '../world/checks/checks.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const SET_STATUS: { readonly [why in Extract<SetCheckResult, { ok: false }>['why']]: 400 | 409 | 413 | 501 } =
  {
    'bad-name': 400,
    'no-check': 400,
    'too-long': 413,
    'too-many': 409,
    'no-sandbox': 501,
  };

const VERIFY_STATUS: { readonly [why in Extract<VerifyResult, { ok: false }>['why']]: 404 | 409 | 501 } = {
  'no-such-changeset': 404,
  'changed-meanwhile': 409,
  'no-sandbox': 501,
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export const checks: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/checks',
    access: 'read',
    tag: 'Changesets',
    summary: 'the checks, by name, each with its source',
    answers: { 200: { description: 'the checks', schema: ref('Checks') } },
    run: (_call, world) => json(200, { checks: world.checks.list() }),
  },
  {
    method: 'PUT',
    path: '/-/<org>/<world>/checks/<name>',
    access: 'seal',
    tag: 'Changesets',
    summary: 'sets a check: a module that exports `check`, `{ name, run(entry, tree) }`; never by a key',
    request: {
      schema: TEXT,
      type: 'text/javascript',
      description: '`run` returns nothing, or `{ ok: false, message }`, or throws; `tree` has get and list',
    },
    answers: {
      200: {
        description: 'it is set; changesets that were verified before are to be verified again',
        schema: ref('Check'),
      },
      400: failure('it exports no check, in the engine’s words and with the line'),
      403: failure('a key sets no check'),
      409: failure('the world has as many checks as it may'),
      413: failure('it is over 256 KB'),
      501: failure('this host runs no checks'),
    },
    run: async (call, world, { params }) => {
      let source: string;
      try {
        source = decoder.decode(call.body);
      } catch {
        return problem(400, 'bad-body', 'The body is no text in UTF-8.');
      }
      const result = await world.checks.set(params['name']!, source);
      return result.ok
        ? json(200, result.check)
        : problem(SET_STATUS[result.why], result.why, result.message);
    },
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/checks/<name>',
    access: 'seal',
    tag: 'Changesets',
    summary: 'removes a check; never by a key',
    answers: {
      204: { description: 'it is gone' },
      403: failure('a key removes no check'),
      404: failure('there is none'),
    },
    run: async (_call, world, { params }) => {
      const name = params['name']!;
      return (await world.checks.remove(name))
        ? { status: 204, headers: [['cache-control', 'no-store']], body: null }
        : problem(404, 'no-such-check', `There is no check ${name}.`);
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/changesets/<name>/verify',
    access: 'write',
    tag: 'Changesets',
    summary: 'runs every check over each entry of the changeset, and keeps what they say',
    answers: {
      200: { description: 'the changeset, with its verification', schema: ref('Changeset') },
      404: failure('there is none'),
      409: failure('the checks were changed while they ran'),
      501: failure('this host runs no checks'),
    },
    run: async (_call, world, { params }) => {
      const result = await world.checks.verify(params['name']!);
      return result.ok
        ? json(200, result.changeset)
        : problem(VERIFY_STATUS[result.why], result.why, result.message);
    },
  },
];
