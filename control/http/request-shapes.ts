// What is answered of a world's requests, one by one and by the minute.
import {
  COUNT,
  FLAG,
  INSTANT,
  list,
  NUMBER,
  object,
  oneOf,
  orNull,
  POSITION,
  shapesOf,
  TEXT,
  to,
  withText,
} from './schema.ts';

const MASKED = 'what is secret in it reads `masked-…`';

const HEADERS = withText(
  list({ type: 'array', items: TEXT, minItems: 2, maxItems: 2 }),
  `name and value, in order; ${MASKED}`,
);

export const REQUEST_SHAPES = shapesOf({
  SeenRun: object({ name: TEXT, openedAt: INSTANT, closedAt: orNull(INSTANT) }),
  OpenedRun: withText(object({ name: TEXT, secret: TEXT }), 'the credentials of the run’s proxy URL'),
  RequestLine: object({
    id: TEXT,
    at: INSTANT,
    outcome: withText(oneOf('twin', 'granted', 'refused'), 'who answered: a twin, the outside, nobody'),
    twin: orNull(TEXT),
    caller: withText(orNull(TEXT), 'who asked; of what is no twin’s, the run'),
    method: orNull(TEXT),
    host: orNull(TEXT),
    path: withText(
      orNull(TEXT),
      'without its query; of an older request to a twin, the operation’s template; null for a tunnel',
    ),
    rule: withText(orNull(TEXT), 'that refused it; null where nobody could read it'),
    status: withText(COUNT, '0: the connection was cut instead, or it is a tunnel'),
    ms: orNull(NUMBER),
    unmatched: withText(FLAG, 'neither a handler nor an operation of the twin answered it'),
    trace: orNull(TEXT),
  }),
  RequestLines: object({
    lines: withText(list(to('RequestLine')), 'newest first'),
    next: withText(orNull(TEXT), '`before` of the page that follows; null at the end'),
    newest: withText(TEXT, '`since` of what comes after all that there is now'),
    outside: withText(FLAG, 'whether what the world’s proxy let out and refused is among them'),
  }),
  WholeRequest: object({
    line: to('RequestLine'),
    entry: withText(orNull(object({ twin: TEXT, position: POSITION })), 'what it changed in the world'),
    exchange: withText(
      orNull(to('Exchange')),
      'the newest requests to twins alone, since the world was opened',
    ),
  }),
  Exchange: object({
    request: object({
      atHost: withText(FLAG, 'false: at the twin’s own URL, below which `path` is'),
      method: TEXT,
      host: TEXT,
      path: TEXT,
      query: TEXT,
      headers: HEADERS,
      body: to('ShownBody'),
    }),
    answer: object({
      status: withText(COUNT, '0: the connection was cut instead'),
      headers: HEADERS,
      body: to('ShownBody'),
    }),
  }),
  ShownBody: object({
    bytes: COUNT,
    text: withText(orNull(TEXT), `null for none, for what is no text, and for more than is kept; ${MASKED}`),
    image: withText(orNull(TEXT), 'Base64, of an image'),
  }),
  RequestMinutes: object({
    from: INSTANT,
    to: INSTANT,
    outsideSince: withText(
      orNull(INSTANT),
      'from when on what was granted and refused is counted; null: not at all',
    ),
    minutes: withText(
      list(
        object({
          at: withText(INSTANT, 'its beginning'),
          twin: withText(COUNT, 'answered by twins with less than 400'),
          failed: withText(COUNT, 'answered by twins with 400 or more, or cut'),
          granted: COUNT,
          refused: COUNT,
          p50: withText(NUMBER, 'milliseconds, of all that were answered'),
          p95: NUMBER,
        }),
      ),
      'oldest first; those without a request are left out',
    ),
  }),
});
