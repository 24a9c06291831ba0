// …/clock: the instant every twin stamps from (2.13, 4.9).
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { ClockResult } from '../world/world.ts';
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';

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
    summary: '`{ at, frozen }`: the instant every twin stamps from',
    run: (_call, world) => json(200, world.clock()),
  },
  {
    method: 'PUT',
    path: '/-/<org>/<world>/clock',
    access: 'write',
    summary: 'sets the clock: `{ at }`, never before the newest entry',
    run: (call, world) => withText(call, 'at', at => world.setClock(at)),
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/clock/advance',
    access: 'write',
    summary: 'moves a set clock forward: `{ by: "<N>(s|m|h|d)" }`',
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
