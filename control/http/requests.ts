// GET …/requests: the report of requests over a period (4.4). Beside it, ours: the requests one by one, one of them whole,
// and how many there were by the minute.
import {
  REPORT_HOURS_DEFAULT,
  REPORT_HOURS_MAX,
  REQUEST_LINES_DEFAULT,
  REQUEST_LINES_MAX,
  REQUEST_MINUTES_DEFAULT,
  REQUEST_MINUTES_MAX,
} from '../world/limits.ts';
import { NOTHING_OUTSIDE, type OutsideSeen } from '../world/requests/outside.ts';
import type { LinesAsk, LinesCursor } from '../world/requests/request-lines.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import type { Surroundings } from './surroundings.ts';

const HOURS = /^[1-9][0-9]{0,4}$/;
const CURSOR = /^([0-9]{1,16})\.([0-9]{1,16})$/;
const LINE = /^[to][1-9][0-9]{0,15}$/;
const OUTCOMES = ['twin', 'granted', 'refused', 'failed'] as const;

const report: Route = {
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
    const hours = wholeOf(call.query, 'hours', REPORT_HOURS_DEFAULT, REPORT_HOURS_MAX);
    if (hours === null)
      return problem(400, 'bad-hours', `\`hours\` is a whole number from 1 to ${REPORT_HOURS_MAX}.`);
    return json(200, await world.requests(hours));
  },
};

const lines: Route = {
  method: 'GET',
  path: '/-/<org>/<world>/requests/lines',
  access: 'read',
  tag: 'Looking',
  summary:
    'requests to twins, let out and refused, newest first; `limit`, `before`, `since`, `outcome`, `host`, `text`',
  query: {
    limit: {
      description: `lines of a page, ${REQUEST_LINES_DEFAULT} by default`,
      schema: { type: 'integer', minimum: 1, maximum: REQUEST_LINES_MAX },
    },
    before: { description: '`next` of the page before', schema: TEXT },
    since: { description: '`newest` of an earlier page: what came after it', schema: TEXT },
    outcome: {
      description: 'those alone; `failed`: answered with 400 or more, or cut',
      schema: { enum: OUTCOMES },
    },
    host: { description: 'part of the host’s name, or a twin', schema: TEXT },
    text: { description: 'part of method, host and path, of status, rule, caller or trace', schema: TEXT },
  },
  answers: {
    200: { description: 'a page of requests', schema: ref('RequestLines') },
    400: failure('a parameter cannot be read'),
  },
  run: async (call, world, { around }) => {
    const ask = linesAsk(new URLSearchParams(call.query));
    if ('message' in ask) return problem(400, ask.code, ask.message);
    const page = await world.lookedAt.page(ask, await outsideOf(around));
    return json(200, { ...page, outside: around.outside !== undefined });
  },
};

const one: Route = {
  method: 'GET',
  path: '/-/<org>/<world>/requests/lines/<id>',
  access: 'read',
  tag: 'Looking',
  summary:
    'one request whole: its entry, and the request and the answer while they are kept, without secrets',
  answers: {
    200: { description: 'the request', schema: ref('WholeRequest') },
    404: failure('no such request is told any more'),
  },
  run: async (_call, world, { around, params }) => {
    const { id = '' } = params;
    const whole = LINE.test(id) ? await world.lookedAt.one(id, await outsideOf(around)) : null;
    return whole === null
      ? problem(404, 'no-such-request', 'This request is not told here, or not any more.')
      : json(200, whole);
  },
};

const minutes: Route = {
  method: 'GET',
  path: '/-/<org>/<world>/requests/minutes',
  access: 'read',
  tag: 'Looking',
  summary: 'requests of the last `minutes` by the minute and what became of them, with response times',
  query: {
    minutes: {
      description: `${REQUEST_MINUTES_DEFAULT} by default, the one under way among them`,
      schema: { type: 'integer', minimum: 1, maximum: REQUEST_MINUTES_MAX },
    },
  },
  answers: {
    200: { description: 'the minutes in which there were any', schema: ref('RequestMinutes') },
    400: failure('`minutes` is no whole number of minutes'),
  },
  run: async (call, world, { around }) => {
    const last = wholeOf(call.query, 'minutes', REQUEST_MINUTES_DEFAULT, REQUEST_MINUTES_MAX);
    if (last === null)
      return problem(400, 'bad-minutes', `\`minutes\` is a whole number from 1 to ${REQUEST_MINUTES_MAX}.`);
    return json(200, await world.lookedAt.minutes(last, await outsideOf(around)));
  },
};

export const requests: readonly Route[] = [report, lines, one, minutes];

const outsideOf = async ({ outside }: Surroundings): Promise<OutsideSeen> =>
  outside === undefined ? NOTHING_OUTSIDE : outside.look();

/** Empty is not set, as everywhere (4.4); null for what is no number from 1 to `most`. */
function wholeOf(query: string, name: string, otherwise: number, most: number): number | null {
  const text = new URLSearchParams(query).get(name) || String(otherwise);
  return HOURS.test(text) && Number(text) <= most ? Number(text) : null;
}

function linesAsk(params: URLSearchParams): LinesAsk | { readonly code: string; readonly message: string } {
  const limit = wholeOf(String(params), 'limit', REQUEST_LINES_DEFAULT, REQUEST_LINES_MAX);
  if (limit === null)
    return { code: 'bad-limit', message: `\`limit\` is a whole number from 1 to ${REQUEST_LINES_MAX}.` };
  const before = cursorOf(params.get('before'));
  const since = cursorOf(params.get('since'));
  if (before === undefined || since === undefined)
    return { code: 'bad-cursor', message: '`before` is `next` of a page, and `since` is `newest` of one.' };
  const outcome = params.get('outcome') || null;
  const known = OUTCOMES.find(each => each === outcome) ?? null;
  if (known !== outcome)
    return { code: 'bad-outcome', message: `\`outcome\` is one of ${OUTCOMES.join(', ')}.` };
  return {
    limit,
    before,
    since,
    outcome: known,
    host: params.get('host')?.toLowerCase() || null,
    text: params.get('text')?.toLowerCase() || null,
  };
}

/** Undefined for what is none. */
function cursorOf(text: string | null): LinesCursor | null | undefined {
  if (text === null || text === '') return null;
  const [, journal, outside] = CURSOR.exec(text) ?? [];
  return journal === undefined ? undefined : { journal: Number(journal), outside: Number(outside) };
}
