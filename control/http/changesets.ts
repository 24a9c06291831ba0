// …/changesets: cut, listed, looked at and approved (2.6, 4.4, 4.5).

import { bodyText } from '../world/changesets/body-text.ts';
import type { ApproveResult, Signing } from '../world/changesets/changesets.ts';
import type { CutFailure } from '../world/changesets/cut.ts';
import type { Asker } from './access.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { list, object, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const CUT_STATUS: { readonly [why in CutFailure['why']]: 400 | 409 } = {
  'nothing-to-cut': 400,
  'message-required': 400,
  'bad-message': 400,
  'bad-name': 400,
  'name-taken': 409,
};

const APPROVE_STATUS: { readonly [why in Extract<ApproveResult, { ok: false }>['why']]: 400 | 404 | 409 } = {
  'no-such-changeset': 404,
  'hash-changed': 409,
  'bad-person': 400,
  'bad-note': 400,
};

const NONE = (name: string) => problem(404, 'no-such-changeset', `There is no changeset ${name}.`);

export const changesets: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/changesets',
    access: 'read',
    tag: 'Changesets',
    summary: 'the changesets, newest first, each with what was said of it and whether it may be deployed',
    answers: {
      200: { description: 'the changesets', schema: object({ changesets: list(ref('Changeset')) }) },
    },
    run: async (_call, world) => json(200, { changesets: await world.changesets.list() }),
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/changesets/<name>',
    access: 'read',
    tag: 'Changesets',
    summary: 'one changeset; with `body=1` the whole of it, as it can be pushed to another world',
    query: { body: { description: '`1`: its changes and actions', schema: TEXT } },
    answers: {
      200: {
        description: 'the changeset',
        schema: { anyOf: [ref('Changeset'), ref('ChangesetBody')] },
      },
      404: failure('there is none'),
    },
    run: async (call, world, { params }) => {
      const name = params['name']!;
      const found = await world.changesets.get(name);
      if (found === null) return NONE(name);
      if (new URLSearchParams(call.query).get('body') !== '1') return json(200, found);
      const { headers } = json(200, null);
      return { status: 200, headers, body: bodyText(world.changesets, found) };
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/changesets',
    access: 'write',
    tag: 'Changesets',
    summary: 'cuts every change that is in no changeset yet into one: `{ message, name? }`',
    request: { schema: object({}, { message: TEXT, name: TEXT }) },
    answers: {
      200: { description: 'the changeset', schema: ref('Changeset') },
      400: failure('there is nothing to cut, or no message where one is needed, or the name is none'),
      409: failure('there is a changeset of that name'),
    },
    run: async (call, world, { asker }) => {
      const body = parseBody(call.body, ['message', 'name'], { optional: true });
      if (!body.ok) return problem(400, body.code, body.message);
      const { message, name } = body.value;
      for (const [field, value] of Object.entries({ message, name }))
        if (value !== undefined && typeof value !== 'string')
          return problem(400, 'bad-body', `\`${field}\` is a text.`);
      const by = asker!.caller;
      const result = await world.changesets.cut({
        message: message as string | undefined,
        name: name as string | undefined,
        by,
        owner: personOf(asker!),
      });
      if (!result.ok) return problem(CUT_STATUS[result.why], result.why, result.message);
      return json(200, await world.changesets.get(result.name));
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/changesets/<name>/approve',
    access: 'write',
    tag: 'Changesets',
    summary: 'signs what the changeset says now: `{ as, note? }`; a key and a session sign as themselves',
    request: { schema: object({}, { as: TEXT, note: TEXT }) },
    answers: {
      200: { description: 'the changeset', schema: ref('Changeset') },
      400: failure('the world’s token says no `as`'),
      404: failure('there is none'),
      409: failure('the changeset was changed outside of the world'),
    },
    run: async (call, world, { asker, params }) => {
      const body = parseBody(call.body, ['as', 'note'], { optional: true });
      if (!body.ok) return problem(400, body.code, body.message);
      const { as, note } = body.value;
      if (note !== undefined && typeof note !== 'string')
        return problem(400, 'bad-body', '`note` is a text.');
      const signing = signingOf(asker!, as, note);
      if (typeof signing === 'string') return problem(400, 'bad-person', signing);
      const result = await world.changesets.approve(params['name']!, signing);
      if (!result.ok) return problem(APPROVE_STATUS[result.why], result.why, result.message);
      return json(200, result.changeset);
    },
  },
];

/** Null for the world's token, which is nobody's. */
export const personOf = ({ by, caller, person }: Asker): string | null =>
  person ?? (by === 'session' && caller.startsWith('person:') ? caller.slice('person:'.length) : null);

/** 4.5: a session as its person, a key as the person it is for, the world's token as it says. */
const signingOf = (asker: Asker, as: unknown, note: string | undefined): Signing | string => {
  const { by, caller } = asker;
  if (by !== 'token')
    return { person: personOf(asker) ?? (by === 'key' ? caller : 'machine'), via: caller, note };
  if (typeof as !== 'string') return 'The world’s token is nobody’s: say who signs, as `as`.';
  return { person: as, via: 'token', note };
};
