// …/rules: how changesets come to be deployed (2.13, 4.5). A key never changes them (5.6).
import { parseJson } from '../../policy/json-text.ts';
import { parseRules } from '../world/changesets/rules.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { failure, ref } from './shapes.ts';

export const rules: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/rules',
    access: 'read',
    tag: 'Changesets',
    summary: 'the rules of the world’s changesets',
    answers: { 200: { description: 'the rules', schema: ref('Rules') } },
    run: (_call, world) => json(200, { changesets: world.changesets.rules }),
  },
  {
    method: 'PUT',
    path: '/-/<org>/<world>/rules',
    access: 'rules',
    tag: 'Changesets',
    summary: 'changes the rules; never by a key',
    request: { schema: ref('Rules') },
    answers: {
      200: { description: 'the rules', schema: ref('Rules') },
      400: failure('they are no rules'),
      403: failure('a key changes no rules'),
    },
    run: async (call, world) => {
      const parsed = parseJson(call.body);
      if (!parsed.ok) return problem(400, 'bad-body', `The body is ${parsed.why}.`);
      const read = parseRules(parsed.value);
      if (!read.ok) return problem(400, 'bad-rules', read.message);
      await world.changesets.setRules(read.rules);
      return json(200, { changesets: world.changesets.rules });
    },
  },
];
