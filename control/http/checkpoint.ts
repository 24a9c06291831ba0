// GET …/checkpoint/<twin>: the whole state of a twin at a position (4.4).
import { noSuchTwin, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const POSITION = /^(0|[1-9][0-9]{0,14})$/;

const STATUS = { 'not-yet': 400, 'too-large': 413 } as const;

export const checkpoint: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/checkpoint/<twin>',
    access: 'read',
    tag: 'History',
    summary: 'the twin’s state at a position (`at`, default its newest), at most 24 MB',
    query: { at: { description: 'a position, or a `view` of `…/history`', schema: TEXT } },
    answers: {
      200: { description: 'the records, in the order of type and id', schema: ref('Checkpoint') },
      400: failure('`at` is no position of the twin, or one that is not there yet'),
      404: failure('the world has no such twin'),
      413: failure('the state is over 24 MB'),
    },
    run: async (call, world, { params }) => {
      const twin = params['twin']!;
      if (!world.vendors.includes(twin)) return noSuchTwin(twin);
      const at = positionIn(new URLSearchParams(call.query).get('at') || null, twin);
      if (at === undefined) {
        const message = `\`at\` is a position (a whole number, 0 or more) or a view of ${twin} (${twin}@<position>).`;
        return problem(400, 'bad-position', message);
      }
      const taken = (await world.past.checkpoint(twin, at))!;
      if (!taken.ok) return problem(STATUS[taken.why], taken.why, taken.message);
      return {
        status: 200,
        headers: [
          ['content-type', 'application/json; charset=utf-8'],
          ['cache-control', 'no-store'],
          ['content-length', String(taken.bytes)],
        ],
        body: call.method === 'HEAD' ? null : taken.body,
      };
    },
  },
];

/** Null for the newest, undefined for what is no position. */
function positionIn(text: string | null, twin: string): number | null | undefined {
  if (text === null) return null;
  const position = text.startsWith(`${twin}@`) ? text.slice(twin.length + 1) : text;
  return POSITION.test(position) ? Number(position) : undefined;
}
