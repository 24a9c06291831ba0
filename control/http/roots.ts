// …/twins/<vendor>/root, …/refresh and …/conflicts: the real vendor behind a twin, and the copy of it (2.8, 4.6).
import { parseJson } from '../../policy/json-text.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Side } from '../world/roots/conflicts.ts';
import type { World } from '../world/world.ts';
import { json, noSuchTwin, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { COUNT, FLAG, INSTANT, object, oneOf, orNull, TEXT, withText } from './schema.ts';
import { failure, ref } from './shapes.ts';

const ROOT = '/-/<org>/<world>/twins/<vendor>/root';

export const roots: readonly Route[] = [
  {
    method: 'GET',
    path: ROOT,
    access: 'write',
    tag: 'Twins',
    summary: 'the root of a twin; null for none',
    answers: {
      200: { description: 'the root', schema: orNull(ref('Root')) },
      404: failure('the world has no such twin'),
    },
    run: (_call, world, { params }) => {
      const vendor = params['vendor']!;
      return world.manifest(vendor) === undefined ? noSuchTwin(vendor) : json(200, world.roots.get(vendor));
    },
  },
  {
    method: 'PUT',
    path: ROOT,
    access: 'seal',
    tag: 'Twins',
    summary:
      'sets the root of a twin: `{ url, deploy?, refresh?: { every?, atMost? } }`, or `null` for none; never by a key',
    request: {
      schema: orNull(
        object({ url: TEXT }, { deploy: TEXT, refresh: object({}, { every: orNull(TEXT), atMost: TEXT }) }),
      ),
    },
    answers: {
      200: { description: 'the root', schema: orNull(ref('Root')) },
      400: failure('it is no root'),
      403: failure('a key sets no root'),
      404: failure('the world has no such twin'),
    },
    run: async (call, world, { params }) => {
      const vendor = params['vendor']!;
      if (world.manifest(vendor) === undefined) return noSuchTwin(vendor);
      const parsed = parseJson(call.body);
      if (!parsed.ok) return problem(400, 'bad-body', `The body is ${parsed.why}.`);
      const put = await world.roots.put(vendor, parsed.value);
      return put.ok ? json(200, put.root) : problem(400, 'bad-root', put.message);
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/twins/<vendor>/refresh',
    access: 'write',
    tag: 'Twins',
    summary: 'looks at the root now; no more often than its `refresh.atMost`, unless `force=1`',
    query: { force: { description: '`1`: however short ago the last time is', schema: TEXT } },
    answers: {
      202: {
        description:
          'the pass is under way, or it is too early for one; the twin’s status says how far it is',
        schema: object({
          started: withText(FLAG, 'false: one was under way already, or the last is not `atMost` ago'),
          nextAt: withText(orNull(INSTANT), 'from when on it may be asked again'),
          refresh: ref('RefreshStanding'),
        }),
      },
      404: failure('the world has no such twin'),
      409: failure('the twin has no root, or does not know how its vendor is copied'),
    },
    run: async (call, world, { params }) => {
      const vendor = params['vendor']!;
      if (world.manifest(vendor) === undefined) return noSuchTwin(vendor);
      const force = new URLSearchParams(call.query).get('force') === '1';
      const result = await world.roots.refresh(vendor, { force });
      if (!result.ok) return problem(409, result.why, result.message);
      const { started, nextAt } = result;
      return json(202, { started, nextAt, refresh: world.roots.standing(vendor) });
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/twins/<vendor>/conflicts',
    access: 'write',
    tag: 'Twins',
    summary:
      'resolves what both the world and the root changed: `{ take: "theirs" | "ours", type?, id? }`, of one record or of all; writing the root’s value into the record does it too',
    request: { schema: object({ take: oneOf('theirs', 'ours') }, { type: TEXT, id: TEXT }) },
    answers: {
      200: { description: 'records that are in conflict no more', schema: object({ resolved: COUNT }) },
      400: failure('the body says no side, or half of a record’s name'),
      404: failure('the world has no such twin, or that record is in no conflict'),
      409: failure('the twin has no root'),
    },
    run: (call, world, { params }) => resolve(call.body, world, params['vendor']!),
  },
];

async function resolve(bytes: Uint8Array, world: World, vendor: string): Promise<Reply> {
  if (world.manifest(vendor) === undefined) return noSuchTwin(vendor);
  const body = parseBody(bytes, ['take', 'type', 'id']);
  if (!body.ok) return problem(400, body.code, body.message);
  const { take, type, id } = body.value;
  if (take !== 'theirs' && take !== 'ours')
    return problem(400, 'bad-body', '`take` is "theirs", what the root has, or "ours", what the world has.');
  const of = type === undefined && id === undefined ? undefined : { type, id };
  if (of !== undefined && (typeof type !== 'string' || typeof id !== 'string'))
    return problem(
      400,
      'bad-body',
      'A record is named by `type` and `id`, both texts; without them, all are meant.',
    );
  const result = await world.roots.resolve(
    vendor,
    take satisfies Side,
    of as { type: string; id: string } | undefined,
  );
  if (result.ok) return json(200, { resolved: result.resolved });
  return problem(result.why === 'no-root' ? 409 : 404, result.why, result.message);
}
