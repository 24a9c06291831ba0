// …/clock: the instant every twin stamps from (2.13, 4.9).
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { ClockResult } from '../world/work/world-clock.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { INSTANT, object } from './schema.ts';
import { failure, ref } from './shapes.ts';

// 3: moving the clock back is a conflict (409), and so is advancing one that is not set.
const STATUS = {
  'would-move-back': 409,
  'clock-unset': 409,
  'not-an-instant': 400,
  'not-a-duration': 400,
} as const;

export const clock: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/clock',
    access: 'read',
    tag: 'Time',
    summary:
      '`{ at, frozen }`: the instant every twin stamps from; `catchingUp: { done, left, at }` while what is due by then still happens',
    answers: { 200: { description: 'the clock', schema: ref('Clock') } },
    run: async (_call, world) => json(200, await world.clock()),
  },
  {
    method: 'PUT',
    path: '/-/<org>/<world>/clock',
    access: 'write',
    tag: 'Time',
    summary: 'sets the clock: `{ at }`, never before the newest entry',
    request: { schema: object({ at: INSTANT }) },
    answers: {
      200: { description: 'the clock, frozen', schema: ref('Clock') },
      400: failure('`at` is no instant'),
      409: failure('the clock would move back'),
    },
    run: (call, world) => withText(call, 'at', at => world.setClock(at)),
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/clock/advance',
    access: 'write',
    tag: 'Time',
    summary: 'moves a set clock forward: `{ by: "<N>(s|m|h|d)" }`',
    request: { schema: object({ by: { type: 'string', pattern: '^[0-9]+[smhd]$' } }) },
    answers: {
      200: { description: 'the clock', schema: ref('Clock') },
      400: failure('`by` is no duration'),
      409: failure('the clock is not set'),
    },
    run: (call, world) => withText(call, 'by', by => world.advanceClock(by)),
  },
];

async function withText(
  call: Call,
  field: 'at' | 'by',
  move: (text: string) => Promise<ClockResult>,
): Promise<Reply> {
  const body = parseBody(call.body, [field]);
  if (!body.ok) return problem(400, body.code, body.message);
  const text = body.value[field];
  if (typeof text !== 'string') return problem(400, 'bad-body', `The body is { ${field}: string }.`);
  const result = await move(text);
  return result.ok ? json(200, result.clock) : problem(STATUS[result.why], result.why, result.message);
}
