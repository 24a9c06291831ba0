// …/branches: worlds cloned from this one's history (2.12, 4.9).
import { BRANCH_TTL_SECONDS_MAX, BRANCH_TTL_SECONDS_MIN } from '../world/limits.ts';
import { parseDuration } from '../world/store/duration.ts';
import { askAgain, json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { FLAG, INSTANT, list, object, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import type { BranchAsk } from './surroundings.ts';

const MAKES_NONE = problem(404, 'no-branches', 'This host makes no branches.');
const HOST_MAKES_NONE = failure('the host makes no branches');

export const branches: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/branches',
    access: 'read',
    tag: 'Branches',
    summary: 'this world’s branches',
    answers: {
      200: { description: 'the branches, oldest first', schema: object({ branches: list(ref('Branch')) }) },
      404: HOST_MAKES_NONE,
    },
    run: (_call, _world, { around }) =>
      around.branches === null ? MAKES_NONE : json(200, { branches: around.branches.list() }),
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/branches',
    access: 'write',
    tag: 'Branches',
    summary:
      'makes a branch: `{ at?: { instant }, ttl?, live?, label? }`, `ttl` in seconds or as `1h`, or no body; its tokens are told this once',
    request: {
      schema: object(
        {},
        {
          at: object({ instant: INSTANT }),
          ttl: {
            anyOf: [
              { type: 'integer', minimum: BRANCH_TTL_SECONDS_MIN, maximum: BRANCH_TTL_SECONDS_MAX },
              { type: 'string', pattern: '^[0-9]+[smhd]$' },
            ],
          },
          live: FLAG,
          label: TEXT,
        },
      ),
    },
    answers: {
      201: { description: 'the branch', schema: ref('MadeBranch') },
      400: failure('the body cannot be read, or asks for a branch that cannot be'),
      404: HOST_MAKES_NONE,
      409: failure('the world has as many branches as it takes'),
      503: failure(
        'the world is catching up and has not reached the instant; `Retry-After` says when to ask again',
      ),
    },
    run: async (call, _world, { around }) => {
      if (around.branches === null) return MAKES_NONE;
      const body = parseBody(call.body, ['at', 'ttl', 'live', 'label'], { optional: true });
      if (!body.ok) return problem(400, body.code, body.message);
      const ask = readAsk(body.value);
      if (typeof ask === 'string') return problem(400, 'bad-body', ask);
      const made = await around.branches.make(ask);
      if (!made.ok) {
        const { status, code, message } = made;
        return status === 503 ? askAgain(code, message) : problem(status, code, message);
      }
      const { name, token, readToken, expiresAt } = made;
      return json(201, { name, token, readToken, expiresAt });
    },
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/branches/<branchorg>/<branch>',
    access: 'write',
    tag: 'Branches',
    summary: 'removes a branch of this world, named by its own org and world, with everything in it',
    answers: {
      204: { description: 'it is gone' },
      404: failure('no such branch, or the host makes none'),
      409: failure('the branch has branches of its own'),
    },
    run: async (_call, _world, { around, params }) => {
      if (around.branches === null) return MAKES_NONE;
      const name = `${params['branchorg']}/${params['branch']}`;
      switch (await around.branches.remove(name)) {
        case 'removed':
          return { status: 204, headers: [], body: null };
        case 'has-branches':
          return problem(409, 'has-branches', `${name} has branches of its own; remove those first.`);
        case 'unknown':
          return problem(404, 'no-such-branch', `${name} is no branch of this world.`);
      }
    },
  },
];

/** The ask, or what is wrong with it. */
function readAsk(body: { readonly [field: string]: unknown }): BranchAsk | string {
  const { at, ttl, live, label } = body;
  const instant = at === undefined ? undefined : instantOf(at);
  if (instant === null) return '`at` is { instant }, an ISO 8601 instant with its offset.';
  const seconds = ttl === undefined ? undefined : secondsOf(ttl);
  if (seconds === null)
    return `\`ttl\` is a whole number of seconds, ${BRANCH_TTL_SECONDS_MIN} to ${BRANCH_TTL_SECONDS_MAX}, or as long as that in words: 90s, 15m, 1h, 30d.`;
  if (live !== undefined && typeof live !== 'boolean') return '`live` is true or false.';
  if (label !== undefined && typeof label !== 'string') return '`label` is a text.';
  return {
    ...(instant === undefined ? {} : { at: instant }),
    ...(seconds === undefined ? {} : { ttl: seconds }),
    ...(live === undefined ? {} : { live }),
    ...(label === undefined ? {} : { label }),
  };
}

function instantOf(at: unknown): string | null {
  if (typeof at !== 'object' || at === null || Object.keys(at).length !== 1) return null;
  const { instant } = at as { readonly instant?: unknown };
  return typeof instant === 'string' ? instant : null;
}

/** As the command line takes it too. */
function secondsOf(ttl: unknown): number | null {
  const ms = parseDuration(ttl);
  const seconds = ms === null ? ttl : ms / 1000;
  return Number.isInteger(seconds) &&
    Number(seconds) >= BRANCH_TTL_SECONDS_MIN &&
    Number(seconds) <= BRANCH_TTL_SECONDS_MAX
    ? Number(seconds)
    : null;
}
