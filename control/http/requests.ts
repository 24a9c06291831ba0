// GET …/requests: the report of requests over a period (4.4).
import { REPORT_HOURS_DEFAULT, REPORT_HOURS_MAX } from '../world/limits.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { failure, ref } from './shapes.ts';

const HOURS = /^[1-9][0-9]{0,4}$/;

export const requests: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/requests',
    access: 'read',
    tag: 'History',
    summary:
      'requests of the last `hours` by twin: by class of status, response times, top routes, lines not kept',
    query: {
      hours: {
        description: `${REPORT_HOURS_DEFAULT} by default`,
        schema: { type: 'integer', minimum: 1, maximum: REPORT_HOURS_MAX },
      },
    },
    answers: {
      200: { description: 'the report', schema: ref('Report') },
      400: failure('`hours` is no whole number of hours that the journal keeps'),
    },
    run: async (call, world) => {
      const text = new URLSearchParams(call.query).get('hours') || String(REPORT_HOURS_DEFAULT);
      if (!HOURS.test(text) || Number(text) > REPORT_HOURS_MAX)
        return problem(400, 'bad-hours', `\`hours\` is a whole number from 1 to ${REPORT_HOURS_MAX}.`);
      return json(200, await world.requests(Number(text)));
    },
  },
];
