// GET …/due: what waits for the world's clock, in the words of the twins (4.9). Ours, beside section 4.
import { INSTANT_MS_MAX } from '../world/limits.ts';
import { parseInstant } from '../world/store/instant.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { INSTANT } from './schema.ts';
import { failure, ref } from './shapes.ts';

export const due: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/due',
    access: 'read',
    tag: 'Time',
    summary:
      'what waits for the clock, soonest first: renewals, ends of trials, further attempts at webhooks; `until`',
    query: { until: { description: 'what waits for later is left out', schema: INSTANT } },
    answers: {
      200: { description: 'what is known now; each may bring others', schema: ref('AwaitedList') },
      400: failure('`until` is no instant'),
    },
    run: async (call, world) => {
      const asked = new URLSearchParams(call.query).get('until') || null;
      const until = asked === null ? INSTANT_MS_MAX : parseInstant(asked);
      if (until === null)
        return problem(
          400,
          'not-an-instant',
          '`until` is an ISO 8601 instant with its offset: 2026-03-01T00:00:00Z.',
        );
      return json(200, await world.story.ahead(until));
    },
  },
];
