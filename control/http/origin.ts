// …/origin: the world whose history this one shares (2.13, 4.7): named, asked, pulled from and pushed to.
import type { Reply } from '../../twins/kit/reply.ts';
import type { Resolution } from '../world/origin/conflict.ts';
import { OriginFault, type OriginWhy } from '../world/origin/origin-fault.ts';
import type { World } from '../world/world.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { list, NULL, object, oneOf, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const STATUS: { readonly [why in OriginWhy]: 400 | 409 | 501 | 502 | 503 } = {
  'no-origin': 409,
  'no-sealer': 501,
  'bad-url': 400,
  'bad-token': 400,
  'is-branch': 409,
  'other-origin': 409,
  'same-history': 409,
  'seal-away': 503,
  'seal-unreadable': 409,
  'origin-away': 502,
  'origin-refuses': 409,
  'origin-rewritten': 409,
  'origin-moved': 409,
  'no-world': 502,
  'twin-differs': 409,
  'branch-stands-on': 409,
  'hash-changed': 409,
  conflict: 409,
};

const FAILURES = {
  409: failure(
    'there is none, or both changed the same fields (`details.conflicts`), or the origin went on (`details.drift`) or was rewritten',
  ),
  502: failure('the origin does not answer, or is no world'),
  503: failure('the token cannot be opened now'),
};

export const origin: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/origin',
    access: 'read',
    tag: 'Changesets',
    summary: 'the origin, and how far this world is from it: `{ origin, ahead, behind, asOf }`',
    answers: { 200: { description: 'the origin', schema: ref('Origin') } },
    run: async (_call, world) => json(200, await world.origin.status()),
  },
  {
    method: 'PUT',
    path: '/-/<org>/<world>/origin',
    access: 'seal',
    tag: 'Changesets',
    summary:
      'names the origin, `{ url, token }`, and brings its history in; `null` forgets it; never by a key',
    request: { schema: { anyOf: [object({ url: TEXT, token: TEXT }), NULL] } },
    answers: {
      200: { description: 'what came', schema: ref('Pulled') },
      400: failure('the URL is no world’s, or there is no token'),
      403: failure('a key names no origin'),
      501: failure('this host seals no tokens'),
      ...FAILURES,
    },
    run: async (call, world) => {
      if (isNull(call.body))
        return told(() => world.origin.name(null, null).then(() => pulled(world, NOTHING)));
      const body = parseBody(call.body, ['url', 'token']);
      if (!body.ok) return problem(400, body.code, body.message);
      const { url, token } = body.value;
      if (typeof url !== 'string' || typeof token !== 'string')
        return problem(400, 'bad-body', 'The body is { url, token }, two texts.');
      return told(async () => {
        await world.origin.name(url, token);
        return pulled(world, await world.pullOrigin());
      });
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/origin/pull',
    access: 'write',
    tag: 'Changesets',
    summary:
      'moves this world onto what the origin has; `{ resolve: [{ twin, type, id, field, take }] }` says what conflicts come to',
    request: {
      optional: true,
      schema: object(
        {},
        {
          resolve: list(
            object({ twin: TEXT, type: TEXT, id: TEXT, field: TEXT, take: oneOf('ours', 'theirs') }),
          ),
        },
      ),
    },
    answers: {
      200: { description: 'what came', schema: ref('Pulled') },
      400: failure('the body cannot be read'),
      ...FAILURES,
    },
    run: async (call, world) => {
      const body = parseBody(call.body, ['resolve'], { optional: true });
      if (!body.ok) return problem(400, body.code, body.message);
      const resolutions = readResolutions(body.value['resolve']);
      if (resolutions === null)
        return problem(
          400,
          'bad-body',
          '`resolve` is a list of { twin, type, id, field, take: "ours" | "theirs" }, each as its conflict has it.',
        );
      return told(async () => pulled(world, await world.pullOrigin(resolutions)));
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/origin/push',
    access: 'write',
    tag: 'Changesets',
    summary: 'pushes every changeset that the origin has not, oldest first; each answers with its receipts',
    answers: {
      200: {
        description: 'those that went',
        schema: object({ pushed: list(ref('Changeset')), status: ref('Origin') }),
      },
      ...FAILURES,
    },
    run: (_call, world) =>
      told(async () => ({ pushed: await world.origin.push(), status: await world.origin.status() })),
  },
];

const NOTHING = { pulled: {}, moved: {} };

const pulled = async (world: World, came: typeof NOTHING) => ({
  ...came,
  status: await world.origin.status(),
});

const told = async (work: () => Promise<unknown>): Promise<Reply> => {
  try {
    return json(200, await work());
  } catch (error) {
    if (!(error instanceof OriginFault)) throw error;
    const { why, message, details } = error;
    return problem(STATUS[why], why, message, Object.keys(details).length === 0 ? {} : { details });
  }
};

const isNull = (body: Uint8Array): boolean =>
  body.length < 16 && new TextDecoder().decode(body).trim() === 'null';

const readResolutions = (value: unknown): readonly Resolution[] | null => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const good = value.every(
    each =>
      typeof each === 'object' &&
      each !== null &&
      ['twin', 'type', 'id', 'field'].every(name => typeof each[name] === 'string') &&
      (each.take === 'ours' || each.take === 'theirs'),
  );
  return good ? (value as readonly Resolution[]) : null;
};
