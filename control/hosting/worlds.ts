// /-/worlds: the inventory of a host, and what its admin does to one world (4.10).
import type { Reply } from '../../twins/kit/reply.ts';
import { json, problem } from '../http/answer.ts';
import { parseBody } from '../http/body.ts';
import type { Answer } from '../http/route.ts';
import { ANYTHING, list, object, orNull, type Schema, TEXT, withText } from '../http/schema.ts';
import { failure } from '../http/shapes.ts';
import { type AdminRoute, type AdminVisit, NOT_ADMIN, refused } from './admin-route.ts';
import type { MakeAsk } from './host-worlds.ts';
import { OWNER_CHARS_MAX, VENDORS_PER_WORLD_MAX } from './limits.ts';

export const ROW: Schema = object(
  {
    org: TEXT,
    world: TEXT,
    name: withText(TEXT, '`<org>/<world>`'),
    base: withText(TEXT, 'the world’s URL'),
    token: withText(orNull(TEXT), 'null where it cannot be read; `fault` says why'),
    readToken: orNull(TEXT),
    twins: list(
      object({
        vendor: TEXT,
        protocol: withText(
          orNull(TEXT),
          'null before the world was opened, where its twin is a module of its own',
        ),
        root: withText(ANYTHING, 'the root that its twin has; null for none'),
      }),
    ),
  },
  {
    owner: withText(TEXT, 'the owning org, once it is recorded'),
    fault: withText(TEXT, 'why the world cannot be served as it stands'),
  },
);

const AWAY = failure('the host shuts down, or the process that has the world is being started again');
export const NO_SUCH_WORLD: Answer = failure('the host has no world of that name');
const GONE: Reply = { status: 204, headers: [], body: null };

const makesOne: AdminRoute = {
  method: 'POST',
  path: '/-/worlds',
  access: 'admin',
  tag: 'Hosting',
  summary: 'makes a world, which answers at once',
  request: {
    schema: object({ org: TEXT, world: TEXT, vendors: list(TEXT) }, { owner: TEXT }),
    description:
      '`{ org, world, vendors, owner? }`; `vendors` are some of `GET /-/vendors`, `owner` is the org that owns it',
  },
  answers: {
    201: { description: 'its row, with its two tokens', schema: ROW },
    400: failure('the body, a name that no world may have, or a vendor that has no twin here'),
    ...NOT_ADMIN,
    409: failure('the name is taken'),
    503: AWAY,
  },
  run: (body, visit) => make(body, visit, FIELDS),
};

/** With what a host takes besides that gives worlds the credentials of their callers, and branches a name (4.11). */
const adoptsOne: AdminRoute = {
  ...makesOne,
  summary: 'makes a world, which answers at once; with `from` a branch of that one, as it is now',
  request: {
    schema: object(
      { org: TEXT, world: TEXT, vendors: list(TEXT) },
      { owner: TEXT, from: TEXT, token: TEXT, readToken: TEXT },
    ),
    description:
      '`{ org, world, vendors, owner?, token?, readToken?, from? }`; `token` and `readToken` are credentials of 24 to 256 URL-safe characters that the callers hold already (one that is left out is made), `from` is `<org>/<world>`',
  },
  answers: {
    ...makesOne.answers,
    400: failure(
      'the body, a name that no world may have, a vendor without a twin, or a token of another form',
    ),
    404: failure('`from` names no world'),
    503: failure('the world that is branched off cannot answer now'),
  },
  run: (body, visit) => make(body, visit, [...FIELDS, 'from', 'token', 'readToken']),
};

const FIELDS = ['org', 'world', 'vendors', 'owner'];

async function make(body: Uint8Array, { around }: AdminVisit, fields: readonly string[]): Promise<Reply> {
  const ask = readAsk(body, fields);
  if (typeof ask === 'string') return problem(400, 'bad-body', ask);
  // It would open the world, and whoever has the world would have the host (5.1).
  if ([ask.token, ask.readToken].some(adopted => adopted !== undefined && around.isAdmin(adopted)))
    return problem(400, 'bad-token', 'That is the admin token of this host, which opens no world.');
  const made = await around.worlds.make(ask);
  return made.ok ? json(201, made.row) : refused(made);
}

export const worlds: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/-/worlds',
    access: 'admin',
    tag: 'Hosting',
    summary: 'every world of the host, branches among them, with its tokens',
    answers: { 200: { description: 'sorted by name', schema: object({ worlds: list(ROW) }) }, ...NOT_ADMIN },
    run: (_body, { around }) => ({
      ...json(200, null),
      body: inventoryText(around.worlds.inventory()),
    }),
  },
  makesOne,
  {
    method: 'PUT',
    path: '/-/worlds/<org>/<world>/owner',
    access: 'admin',
    tag: 'Hosting',
    summary: 'records the owning org of a world that was made without one',
    request: { schema: object({ owner: TEXT }), description: '`{ owner }`' },
    answers: {
      200: { description: 'it is recorded', schema: object({ name: TEXT, owner: TEXT }) },
      400: failure('the body'),
      ...NOT_ADMIN,
      404: NO_SUCH_WORLD,
      409: failure('another org is recorded'),
      503: AWAY,
    },
    run: async (body, visit) => {
      const parsed = parseBody(body, ['owner']);
      if (!parsed.ok) return problem(400, parsed.code, parsed.message);
      const { owner } = parsed.value;
      if (!isOwner(owner)) return problem(400, 'bad-body', BAD_OWNER);
      const name = nameOf(visit);
      const done = await visit.around.worlds.own(name, owner);
      return done.ok ? json(200, { name, owner }) : refused(done);
    },
  },
  {
    method: 'POST',
    path: '/-/worlds/<org>/<world>/rotate',
    access: 'admin',
    tag: 'Hosting',
    summary: 'new tokens for a world; the old ones, every session and every key end with the answer',
    answers: {
      200: { description: 'the new tokens', schema: object({ name: TEXT, token: TEXT, readToken: TEXT }) },
      ...NOT_ADMIN,
      404: NO_SUCH_WORLD,
      503: failure(
        'the world cannot be opened, which the host’s log explains; or as of a world that is made',
      ),
    },
    run: async (_body, visit) => {
      const name = nameOf(visit);
      const done = await visit.around.worlds.rotate(name);
      return done.ok ? json(200, { name, token: done.token, readToken: done.readToken }) : refused(done);
    },
  },
  {
    method: 'DELETE',
    path: '/-/worlds/<org>/<world>',
    access: 'admin',
    tag: 'Hosting',
    summary: 'removes a world, with everything in it',
    answers: {
      204: { description: 'it is gone' },
      ...NOT_ADMIN,
      404: NO_SUCH_WORLD,
      409: failure('it has branches, or another process has it open'),
      503: failure(
        'as of a world that is made; or, on the edge, it is served no more and the rest goes by itself (`not-gone-yet`)',
      ),
    },
    run: async (_body, visit) => {
      const done = await visit.around.worlds.remove(nameOf(visit));
      return done.ok ? GONE : refused(done);
    },
  },
];

export const adoptingWorlds: readonly AdminRoute[] = worlds.map(route =>
  route === makesOne ? adoptsOne : route,
);

export function nameOf({ params }: AdminVisit): string {
  return `${params['org']}/${params['world']}`;
}

const BAD_OWNER = `\`owner\` is a text of 1 to ${OWNER_CHARS_MAX} characters, without control characters.`;

function isOwner(owner: unknown): owner is string {
  return typeof owner === 'string' && owner.length <= OWNER_CHARS_MAX && /^[^\p{Cc}]+$/u.test(owner);
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** The ask, or what is wrong with it. Names and vendors are the host's to judge. */
function readAsk(body: Uint8Array, fields: readonly string[]): MakeAsk | string {
  const parsed = parseBody(body, fields);
  if (!parsed.ok) return parsed.message;
  const { org, world, vendors, owner, from, token, readToken } = parsed.value;
  if (typeof org !== 'string' || typeof world !== 'string')
    return '`org` and `world` are texts: the two parts of its name.';
  if (!Array.isArray(vendors) || !vendors.every(vendor => typeof vendor === 'string'))
    return '`vendors` is a list of texts; GET /-/vendors has those that there are.';
  if (vendors.length > VENDORS_PER_WORLD_MAX)
    return `\`vendors\` has at most ${VENDORS_PER_WORLD_MAX} of them.`;
  if (new Set(vendors).size < vendors.length) return '`vendors` names one twice.';
  if (owner !== undefined && !isOwner(owner)) return BAD_OWNER;
  if (from !== undefined && typeof from !== 'string')
    return '`from` is a text: `<org>/<world>` of the world that it is to be a branch of.';
  if (!isTextOrNone(token) || !isTextOrNone(readToken)) return '`token` and `readToken` are texts.';
  return {
    org,
    world,
    vendors,
    ...(owner === undefined ? {} : { owner }),
    ...(from === undefined ? {} : { from }),
    ...(token === undefined ? {} : { token }),
    ...(readToken === undefined ? {} : { readToken }),
  };
}

const encoder = new TextEncoder();

/** Sent as it is read: a host has thousands. */
async function* inventoryText(rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield encoder.encode('{"worlds":[');
  yield* rows;
  yield encoder.encode(']}\n');
}
