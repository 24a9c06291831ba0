// …/deploy: what was done here is done at the real vendors (3, 4.5).
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { DeployResult } from '../world/changesets/deploy.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route, Visit } from './route.ts';
import { object, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const STATUS: { readonly [why in Extract<DeployResult, { ok: false }>['why']]: 404 | 409 } = {
  'no-such-changeset': 404,
  'not-ready': 409,
  deploying: 409,
};

const CONFIRM = {
  schema: object({}, { confirm: TEXT }),
  description: 'a browser session says what it deploys: the changeset’s name, or for all of them the world’s',
  optional: true,
} as const;

export const deploy: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/deploy',
    access: 'write',
    tag: 'Changesets',
    summary: 'deploys every changeset that is ready, oldest first, up to the first that stops',
    request: CONFIRM,
    answers: {
      200: { description: 'what became of each', schema: ref('Deployed') },
      400: failure('a browser session did not name the world'),
    },
    run: async (call, world, visit) =>
      unconfirmed(call, visit, world.name) ?? answerOf(await world.deploys.all()),
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/deploy/<name>',
    access: 'write',
    tag: 'Changesets',
    summary: 'deploys one changeset, each of its actions at most once',
    request: CONFIRM,
    answers: {
      200: { description: 'what became of it', schema: ref('Deployed') },
      400: failure('a browser session did not name the changeset'),
      404: failure('there is none'),
      409: failure('the world’s rules do not allow it (`details.reasons`), or it is being deployed already'),
    },
    run: async (call, world, visit) => {
      const name = visit.params['name']!;
      return unconfirmed(call, visit, name) ?? answerOf(await world.deploys.one(name));
    },
  },
];

/** 4.5: who presents no token names what is to happen. */
const unconfirmed = ({ body }: Call, { asker, presented }: Visit, name: string): Reply | null => {
  const read = parseBody(body, ['confirm'], { optional: true });
  if (!read.ok) return problem(400, read.code, read.message);
  const { confirm } = read.value;
  if (confirm === undefined ? asker?.by !== 'session' || presented !== null : confirm === name) return null;
  return problem(400, 'not-confirmed', `Say what is deployed: { "confirm": ${JSON.stringify(name)} }.`);
};

const answerOf = (result: DeployResult): Reply => {
  if (result.ok) return json(200, { changesets: result.changesets });
  const { why, message, reasons } = result;
  return problem(STATUS[why], why, message, reasons === undefined ? {} : { details: { reasons } });
};
