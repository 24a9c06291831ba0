// /<org>/<world>/<vendor>/<path>: a vendor's own API, answered by its twin (4.9, 5.4).
import { parseJson } from '../../policy/json-text.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from './answer.ts';
import { callPrompted, promptedBy } from './prompter.ts';
import { recordedReply, recorderOf } from './recordings.ts';
import type { Documented, Route } from './route.ts';
import { ref } from './shapes.ts';

/** What a twin answers besides its vendor's API (4.1). */
const OWN_PATHS: readonly string[] = ['/twin', '/twin/scenario'];

export const vendor: readonly Route[] = [
  {
    method: 'ANY',
    path: '/<org>/<world>/<vendor>/<path...>',
    access: 'vendor',
    tag: 'Twins',
    summary:
      'the vendor’s API and screens, and the twin’s own `/twin` and `/twin/scenario`; under a link’s name, the vendor that it forwards to, for the world’s token alone',
    answers: {},
    run: (call, world, visit) => {
      const { params, around } = visit;
      const name = params['vendor']!;
      const manifest = world.manifest(name);
      if (!manifest) return problem(404, 'no-such-vendor', `The world has no twin “${name}”.`);
      const placed = { ...call, path: params['path']! };
      const own = placed.via === 'url' && OWN_PATHS.includes(placed.path);
      if (own && manifest.root && placed.path === '/twin') return world.call(name, placed).then(saysItsRoot);
      const recorder = own ? null : recorderOf(world, name, placed, visit);
      if (recorder !== null) return recordedReply(recorder, name, placed, around);
      const prompter = own ? null : promptedBy(around.prompter, around.functions?.(name) ?? null);
      return prompter === null ? world.call(name, placed) : callPrompted(world, prompter, name, placed);
    },
  },
];

/** The twin says what it is wherever it runs; whether it has a root is its world's to say. */
function saysItsRoot(reply: Reply): Reply {
  if (reply.status !== 200 || typeof reply.body !== 'string') return reply;
  const read = parseJson(reply.body);
  return read.ok ? { ...reply, body: JSON.stringify({ ...(read.value as object), root: true }) } : reply;
}

/** What every twin answers besides its vendor's API (4.1); the route above serves them. */
export const twinEndpoints: readonly Documented[] = [
  {
    method: 'GET',
    path: '/<org>/<world>/<vendor>/twin',
    access: 'vendor',
    tag: 'Twins',
    summary: 'the twin manifest',
    answers: { 200: { description: 'what the twin is and models', schema: ref('TwinManifest') } },
  },
  {
    method: 'GET',
    path: '/<org>/<world>/<vendor>/twin/scenario',
    access: 'vendor',
    tag: 'Twins',
    summary: 'the handlers in force, how often each matched, and the requests that nothing answered',
    answers: { 200: { description: 'the scenario', schema: ref('Scenario') } },
  },
];
