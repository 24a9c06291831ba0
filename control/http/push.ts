// …/push: a changeset of another world arrives (4.5).
import { parseJson } from '../../policy/json-text.ts';
import type { PushResult } from '../world/changesets/push.ts';
import { json, problem } from './answer.ts';
import { personOf } from './changesets.ts';
import type { Route } from './route.ts';
import { failure, ref } from './shapes.ts';

const STATUS: { readonly [why in Extract<PushResult, { ok: false }>['why']]: 400 | 409 | 413 } = {
  'bad-changeset': 400,
  'bad-hash': 400,
  'no-such-twin': 409,
  'name-taken': 409,
  'base-not-current': 409,
  'too-large': 413,
};

export const push: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/push',
    access: 'write',
    tag: 'Changesets',
    summary:
      'takes a changeset of another world, all of it or nothing; a root that asks for it is deployed to at once',
    request: { schema: ref('ChangesetBody') },
    answers: {
      200: { description: 'the changeset as it stands here, with its receipts', schema: ref('Changeset') },
      400: failure('it is no changeset, or was changed after it was cut'),
      409: failure(
        'this world went on since (`details.drift`), has none of its twins, or has another changeset of that name',
      ),
      413: failure('a record of it is larger than a world takes'),
    },
    run: async (call, world, { asker }) => {
      const parsed = parseJson(call.body);
      if (!parsed.ok) return problem(400, 'bad-changeset', `The body is ${parsed.why}.`);
      const result = await world.pushes.push(parsed.value, { by: asker!.caller, person: personOf(asker!) });
      if (result.ok) return json(200, result.changeset);
      const { why, message, drift } = result;
      return problem(STATUS[why], why, message, drift === undefined ? {} : { details: { drift } });
    },
  },
];
