// …/browsers: browser profiles by name (2.5, 4.3).
import { parseJson } from '../../policy/json-text.ts';
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { BrowserProblem } from '../world/browsers/browsers.ts';
import { BROWSER_BODY_BYTES_MAX, BROWSERS_MAX } from '../world/limits.ts';
import { json, problem } from './answer.ts';
import type { Route, Visit } from './route.ts';
import { list, object, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const STATUS: { readonly [why in BrowserProblem['why']]: 400 | 409 } = {
  'bad-name': 400,
  'bad-profile': 400,
  'no-site-fits': 400,
  'label-taken': 400,
  'too-many-browsers': 409,
  unreadable: 409,
};

const PROFILE = { description: 'the profile', schema: ref('BrowserProfile') };
const NO_SUCH = problem(404, 'no-such-browser', 'The world has no browser of that name.');

export const browsers: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/browsers',
    access: 'read',
    tag: 'Looking',
    summary: 'the names of the world’s browsers, sorted',
    answers: { 200: { description: 'the names', schema: object({ browsers: list(TEXT) }) } },
    run: async (_call, _world, { around }) => json(200, { browsers: await around.browsers.names() }),
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/browsers/<name>',
    access: 'read',
    tag: 'Looking',
    summary: 'one browser’s profile: `{ storageState, context }`',
    answers: {
      200: PROFILE,
      404: failure('there is no such browser'),
      409: failure('its file was changed by hand, and is no profile'),
    },
    run: async (_call, _world, { around, params }) => {
      const found = await around.browsers.read(params['name']!);
      if (found === null) return NO_SUCH;
      return found.ok ? json(200, found.profile) : refusalOf(found);
    },
  },
  {
    method: 'PUT',
    path: '/-/<org>/<world>/browsers/<name>',
    access: 'write',
    tag: 'Looking',
    summary: 'makes a browser or replaces it wholesale; `Content-Type: application/json`, at most 1 MiB',
    request: { schema: ref('BrowserProfile') },
    answers: {
      200: { description: 'the stored profile', schema: ref('BrowserProfile') },
      400: failure('the name or the profile is none, or no address of it is left'),
      409: failure(`the world has ${BROWSERS_MAX} browsers already`),
      413: failure('the profile is over 1 MiB'),
      415: failure('the body is not said to be JSON'),
    },
    run: put,
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/browsers/<name>',
    access: 'write',
    tag: 'Looking',
    summary: 'removes a browser',
    answers: { 204: { description: 'removed' }, 404: failure('there is no such browser') },
    run: async (_call, _world, { around, params }) =>
      (await around.browsers.remove(params['name']!)) ? { status: 204, headers: [], body: null } : NO_SUCH,
  },
];

async function put(call: Call, _world: unknown, { around, params }: Visit): Promise<Reply> {
  if (call.body.length > BROWSER_BODY_BYTES_MAX)
    return problem(413, 'body-too-large', 'A browser profile is at most 1 MiB.');
  const type = call.headers['content-type'];
  if (typeof type !== 'string' || !/^application\/json[ \t]*(?:;|$)/i.test(type))
    return problem(415, 'not-json', 'A browser profile is sent with Content-Type: application/json.');
  const body = parseJson(call.body);
  if (!body.ok) return problem(400, 'bad-body', `The body is ${body.why}.`);
  const stored = await around.browsers.put(params['name']!, body.value);
  return stored.ok ? json(200, stored.profile) : refusalOf(stored);
}

function refusalOf({ why, message, faults }: BrowserProblem): Reply {
  return problem(STATUS[why], why, message, faults === undefined ? {} : { details: { faults } });
}
