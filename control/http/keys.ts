// …/keys: named keys (2.10, 4.8, 5.6). Managed by the world's token or a browser's session, never by a key.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { KeyResult, NewKey } from '../world/access/key.ts';
import { parseInstant } from '../world/store/instant.ts';
import type { World } from '../world/world.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route, Visit } from './route.ts';
import { COUNT, FLAG, INSTANT, list, object, oneOf, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const FIELDS = ['name', 'scope', 'for', 'forName', 'expiresAt', 'replace'] as const;

/** What only the world's token may say of a key. */
const OF_THE_TOKEN = ['for', 'forName', 'expiresAt', 'replace'] as const;

const STATUS: { readonly [why in Extract<KeyResult, { ok: false }>['why']]: 400 | 409 } = {
  'bad-name': 400,
  'bad-person': 400,
  'bad-expiry': 400,
  'name-taken': 409,
  'too-many-keys': 409,
};

export const keys: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/keys',
    access: 'keys',
    tag: 'Access',
    summary: 'the world’s named keys, without their values',
    answers: { 200: { description: 'the keys, oldest first', schema: object({ keys: list(ref('Key')) }) } },
    run: (_call, _world, { around }) => json(200, { keys: around.gate.keys.list() }),
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/keys',
    access: 'keys',
    tag: 'Access',
    summary:
      'makes a key and answers its value, once: `{ name, scope? }`; with the world’s token also `for`, `forName`, `expiresAt`, `replace`',
    request: {
      schema: object(
        { name: TEXT },
        { scope: oneOf('write', 'read'), for: TEXT, forName: TEXT, expiresAt: INSTANT, replace: FLAG },
      ),
    },
    answers: {
      200: { description: 'the key', schema: ref('MadeKey') },
      400: failure('the name, the person or the expiry is none'),
      403: failure('a session says no more of a key than its name and scope'),
      409: failure('there is a key of that name, or there are as many keys as the world takes'),
    },
    run: make,
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/keys/<id>',
    access: 'keys',
    tag: 'Access',
    summary: 'revokes that key alone, and the sessions it opened',
    answers: { 204: { description: 'revoked' }, 404: failure('there is no such key') },
    run: (_call, world, { around, params }) => {
      if (!around.gate.keys.revoke(params['id']!))
        return problem(404, 'no-such-key', 'There is no such key.');
      world.news.tell({ kind: 'keys' });
      return { status: 204, headers: [], body: null };
    },
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/keys',
    access: 'token',
    tag: 'Access',
    summary: 'revokes every key made by or for the person of `person`',
    query: { person: { description: 'the person’s subject', schema: TEXT, required: true } },
    answers: {
      200: { description: 'how many there were', schema: object({ revoked: COUNT }) },
      400: failure('`person` is missing'),
    },
    run: (call, world, { around }) => {
      const subjects = new URLSearchParams(call.query).getAll('person');
      const [subject] = subjects;
      // A list is asked for by its person or not at all: an empty one must not mean everybody's.
      if (subject === undefined || subject === '' || subjects.length > 1)
        return problem(400, 'bad-person', '`person` names the subject whose keys are revoked.');
      const revoked = around.gate.keys.revokePerson(subject);
      if (revoked > 0) world.news.tell({ kind: 'keys' });
      return json(200, { revoked });
    },
  },
];

function make(call: Call, world: World, visit: Visit): Reply {
  const { around, asker } = visit;
  const body = parseBody(call.body, FIELDS);
  if (!body.ok) return problem(400, body.code, body.message);
  // The head was read before the body was: what it presented may have ended meanwhile.
  if (asker === null || !visit.stands())
    return problem(401, 'unauthenticated', 'The credential has ended meanwhile.');
  const beyond =
    asker.by === 'token' ? undefined : OF_THE_TOKEN.find(field => body.value[field] !== undefined);
  if (beyond !== undefined)
    return problem(403, 'not-for-this-credential', `Only the world’s token says \`${beyond}\` of a key.`);
  const key = parseKey(body.value);
  if (typeof key === 'string') return problem(400, 'bad-body', key);
  const result = around.gate.keys.make(key, asker);
  if (!result.ok) return problem(STATUS[result.why], result.why, result.message);
  world.news.tell({ kind: 'keys' });
  const { name, scope } = key;
  return json(200, { id: result.id, key: result.secret.reveal(), name, scope });
}

/** Says what is wrong as a text. */
function parseKey(fields: { readonly [field: string]: unknown }): NewKey | string {
  const { name, scope = 'write', expiresAt = null, replace = false } = fields;
  const whom = fields['for'] ?? null;
  const forName = fields['forName'] ?? null;
  if (typeof name !== 'string') return 'The body is { name, scope? }; `name` is a text.';
  if (scope !== 'write' && scope !== 'read') return '`scope` is `write` or `read`.';
  if (whom !== null && typeof whom !== 'string') return '`for` is the subject of a person, a text.';
  if (forName !== null && typeof forName !== 'string') return '`forName` is the name of a person, a text.';
  if (typeof replace !== 'boolean') return '`replace` is true or false.';
  const expires = expiresAt === null ? null : parseInstant(expiresAt);
  if (expiresAt !== null && expires === null)
    return '`expiresAt` is an ISO 8601 instant with its offset: 2026-03-01T00:00:00Z.';
  return { name, scope, for: whom, forName, expires, replace };
}
