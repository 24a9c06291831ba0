// …/twins: the twins, the status of each, and its handlers (2.7, 4.6).
import { parseJson } from '../../policy/json-text.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { TwinStatus } from '../world/roots/status.ts';
import { json, noSuchTwin, problem } from './answer.ts';
import type { Route } from './route.ts';
import { ANYTHING, list, object } from './schema.ts';
import { failure, ref } from './shapes.ts';

const SCENARIO = '/-/<org>/<world>/twins/<vendor>/scenario';

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
      return status ? json(200, status) : noSuchTwin(params['vendor']!);
    },
  },
  {
    method: 'GET',
    path: SCENARIO,
    access: 'write',
    tag: 'Twins',
    summary: 'the handlers document of a twin',
    answers: {
      200: { description: 'the document', schema: ANYTHING },
      404: failure('the twin takes none, or has none now'),
    },
    run: (_call, _world, { params, around }) => {
      const vendor = params['vendor']!;
      const text = around.scenario?.(vendor)?.text ?? null;
      const read = text === null ? null : parseJson(text);
      // One that was edited into no JSON is no document, though the one before it is in force.
      return read?.ok === true ? json(200, read.value) : takesNone(vendor);
    },
  },
  {
    method: 'PUT',
    path: SCENARIO,
    access: 'write',
    tag: 'Twins',
    summary: 'puts a handlers document in force, from the next call on',
    request: { schema: ANYTHING, description: 'what the file of `colocate.scenarioPath` holds' },
    answers: {
      204: { description: 'it is in force' },
      400: failure('the document has faults, each by its JSON pointer; the one before stays'),
      404: failure('the twin takes none: its service declares no `colocate.scenarioPath`'),
    },
    run: async (call, _world, { params, around }) => {
      const vendor = params['vendor']!;
      const file = around.scenario?.(vendor) ?? null;
      if (file === null) return takesNone(vendor);
      const put = await file.put(new TextDecoder().decode(call.body));
      if (put.ok) return { status: 204, headers: [], body: null };
      const faults = put.faults.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ');
      return problem(400, 'bad-handlers', faults, { details: { faults: put.faults } });
    },
  },
  {
    method: 'DELETE',
    path: SCENARIO,
    access: 'write',
    tag: 'Twins',
    summary: 'takes the handlers document of a twin away',
    answers: {
      204: { description: 'it has none' },
      404: failure('the twin takes none'),
    },
    run: async (_call, _world, { params, around }) => {
      const vendor = params['vendor']!;
      const file = around.scenario?.(vendor) ?? null;
      if (file === null) return takesNone(vendor);
      await file.put(null);
      return { status: 204, headers: [], body: null };
    },
  },
];

function takesNone(vendor: string): Reply {
  return problem(
    404,
    'no-handlers',
    `The twin “${vendor}” has no handlers. A service that takes some names their file: colocate.scenarioPath in .wrld/world.json.`,
  );
}
