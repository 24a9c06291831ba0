// POST …/reset: the world brought back to nothing, to an instant, to its savepoint, or to what a backup or a branch holds.
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { INSTANT, object, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import type { ResetAsk } from './surroundings.ts';

const STATUS = {
  'has-branches': 409,
  'is-branch': 409,
  'not-an-instant': 400,
  'not-yet': 400,
  'no-such-name': 404,
  'no-savepoint': 409,
} as const;

export const reset: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/reset',
    access: 'write',
    tag: 'Time',
    summary:
      'brings the world back: empty, or `{ to: { instant } }`, `{ to: { savepoint: true } }`, `{ to: { name } }` of a backup or a branch',
    request: {
      optional: true,
      schema: object({}, { to: object({}, { instant: INSTANT, name: TEXT, savepoint: { const: true } }) }),
      description: 'who gets in stays as it is; webhooks that wait are not sent',
    },
    answers: {
      200: { description: 'it is so', schema: ref('Reset') },
      400: failure('the body cannot be read, or names no instant that there was'),
      404: failure('no backup and no branch has the name, or the host brings no world back'),
      409: failure('branches left this world later, it is a branch itself, or it has no savepoint'),
    },
    run: async (call, _world, { around }) => {
      if (around.reset === null) return problem(404, 'no-reset', 'This host brings no world back.');
      const body = call.body.length === 0 ? { ok: true as const, value: {} } : parseBody(call.body, ['to']);
      if (!body.ok) return problem(400, body.code, body.message);
      const ask = readAsk((body.value as { readonly to?: unknown }).to);
      if (ask === null)
        return problem(
          400,
          'bad-body',
          '`to` is { instant }, { name } or { savepoint: true }; leave it out for an empty world.',
        );
      const outcome = await around.reset(ask);
      if (!outcome.ok) return problem(STATUS[outcome.why], outcome.why, outcome.message);
      const { to, positions } = outcome;
      return json(200, { to, positions });
    },
  },
];

function readAsk(to: unknown): ResetAsk | null {
  if (to === undefined) return { to: 'nothing' };
  if (typeof to !== 'object' || to === null || Object.keys(to).length !== 1) return null;
  const { instant, name, savepoint } = to as { readonly [field: string]: unknown };
  if (savepoint === true) return { to: 'savepoint' };
  if (typeof instant === 'string') return { to: 'instant', instant };
  return typeof name === 'string' ? { to: 'name', name } : null;
}
