// What the world's own endpoints answer, as named JSON Schemas: sections 2.1 to 2.13, and the shapes that the
// specification leaves open. The OpenAPI document, the reference and the contract check of the tests read these.
import { RULE_NAMES } from '../../policy/rules.ts';
import { CHANGESET_SHAPES } from './changeset-shapes.ts';
import { LOOKING_SHAPES } from './looking-shapes.ts';
import { REPORT_SHAPES } from './report-shapes.ts';
import { REQUEST_SHAPES } from './request-shapes.ts';
import type { Answer } from './route.ts';
import {
  ANYTHING,
  COUNT,
  FLAG,
  INSTANT,
  list,
  map,
  NULL,
  NUMBER,
  object,
  oneOf,
  orNull,
  POSITION,
  type Schema,
  shapesOf,
  TEXT,
  to,
  withText,
} from './schema.ts';
import { TWIN_SHAPES } from './twin-shapes.ts';
import { VENDOR_SHAPES } from './vendor-shapes.ts';

const TRACE_ID: Schema = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const SPAN_ID: Schema = { type: 'string', pattern: '^[0-9a-f]{16}$' };
const SCOPE = oneOf('write', 'read');
const CALLER = withText(
  TEXT,
  '`token`, `token:read`, `key:<name>`, `key:<name> for:<person>` or `person:<who>`',
);
const MILLISECONDS = withText({ type: 'number', minimum: 0 }, 'milliseconds, within 3 %');

export const SHAPES = shapesOf({
  ...VENDOR_SHAPES,
  Error: withText(
    object({ error: object({ code: TEXT, message: TEXT }, { details: ANYTHING }) }),
    'every answer of the world’s own endpoints that is no success',
  ),

  Actor: object({ type: oneOf('client', 'system', 'root', 'webhook', 'origin') }, { id: TEXT }),
  Change: object(
    { op: oneOf('put', 'delete', 'blob', 'ref'), type: TEXT, id: TEXT },
    { before: ANYTHING, after: ANYTHING },
  ),
  DeliveryNote: withText(
    object(
      {
        id: TEXT,
        endpoint: object({ id: TEXT, url: TEXT }),
        event: object({ id: TEXT, type: TEXT }),
        attempt: { type: 'integer', minimum: 1 },
      },
      { status: COUNT, error: TEXT },
    ),
    'the webhook that a `webhook.delivered` or `webhook.failed` entry tells of',
  ),
  Entry: withText(
    object(
      {
        id: withText(TEXT, '`<twin>:<position>`'),
        twin: TEXT,
        position: { ...POSITION, minimum: 1 },
        kind: withText(TEXT, 'the vendor’s own event name where there is one'),
        occurredAt: withText(INSTANT, 'ISO 8601, world time'),
        recordedAt: withText(INSTANT, 'ISO 8601, wall time'),
        actor: to('Actor'),
        changes: list(to('Change')),
      },
      {
        caller: CALLER,
        request: withText(
          object(
            { method: TEXT, path: TEXT },
            {
              query: withText(TEXT, 'without the `?`'),
              headers: { type: 'object', additionalProperties: TEXT },
              body: withText(TEXT, 'as it was sent, where it is text and not long; secrets read `hidden`'),
              blob: object({ sha256: TEXT, bytes: COUNT }),
            },
          ),
          'the request that made the entry, without credentials',
        ),
        trace: object({ traceId: TRACE_ID, spanId: SPAN_ID, parentId: orNull(SPAN_ID) }),
        cause: withText(TEXT, 'id of the entry that caused this one'),
        delivery: to('DeliveryNote'),
        changeset: withText(TEXT, 'the changeset that it was cut into, or came with'),
        receipt: withText(to('Receipt'), 'what became of its request at the vendor'),
      },
    ),
    'a line of a twin’s log',
  ),
  EntryPage: object({
    entries: list(to('Entry')),
    next: withText(orNull(TEXT), 'the `after` of the following page'),
  }),
  TimelineEntry: object({ twin: TEXT, position: POSITION, entry: to('Entry') }, { caller: CALLER }),
  TimelinePage: object({
    entries: list(to('TimelineEntry')),
    next: withText(orNull(TEXT), 'the `before` of the following page'),
  }),
  StoryPage: object({
    lines: list(to('StoryLine')),
    next: withText(orNull(TEXT), 'the `before` of the following page, the `after` with `after`'),
  }),
  StoryLine: withText(
    object(
      {
        id: withText(TEXT, '`<twin>:<position>`'),
        twin: TEXT,
        position: { ...POSITION, minimum: 1 },
        kind: TEXT,
        occurredAt: INSTANT,
        actor: TEXT,
        text: withText(
          TEXT,
          'in words: `subscription for Ada Lovelace, EUR 19.00 a month`; empty where only the kind tells',
        ),
        records: withText(
          list(
            object({
              type: TEXT,
              id: TEXT,
              title: withText(TEXT, 'what the twin calls it; its type and id, where it calls it nothing'),
              summary: orNull(TEXT),
              fate: oneOf('created', 'changed', 'ended'),
            }),
          ),
          'what it is about first',
        ),
        folded: withText(
          list(object({ type: TEXT, count: COUNT })),
          'records besides: events, parts of others, files',
        ),
      },
      {
        caller: CALLER,
        request: object({ method: TEXT, path: TEXT }),
        trace: TRACE_ID,
        cause: withText(TEXT, 'id of the entry that caused this one'),
        delivery: to('DeliveryNote'),
      },
    ),
    'an entry in words, without the bodies of its records',
  ),
  Checkpoint: object({
    twin: TEXT,
    position: POSITION,
    view: TEXT,
    records: list(object({ type: TEXT, id: TEXT, body: ANYTHING })),
    blobs: withText(
      list(object({ sha256: TEXT, size: COUNT })),
      'the files that its records name by their SHA-256',
    ),
  }),
  History: object({
    views: map(
      object({ view: withText(TEXT, 'names this state; `checkpoint?at=` takes it'), position: POSITION }),
    ),
  }),
  Diff: object({
    base: withText(
      object({ id: TEXT, at: INSTANT }),
      'the world it branched off and as of when; of any other world its own beginning',
    ),
    changes: list(object({ twin: TEXT, entry: to('Entry') })),
    next: withText(orNull(TEXT), 'the `after` of the following page'),
  }),

  Origin: withText(
    {
      anyOf: [
        object({ origin: NULL }),
        object({
          origin: withText(TEXT, 'its URL'),
          ahead: withText(object({ changes: COUNT, changesets: COUNT }), 'what the origin has not'),
          behind: withText(map(COUNT), 'entries that this world has not, of each twin that lacks any'),
          asOf: orNull(withText(INSTANT, 'when the origin was last asked')),
        }),
      ],
    },
    'the world whose history this one shares',
  ),
  Pulled: object({
    pulled: withText(map(COUNT), 'entries that came, of each twin'),
    moved: withText(map(COUNT), 'entries of this world’s own that follow them now'),
    status: to('Origin'),
  }),
  Checks: object({ checks: list(to('Check')) }),
  Check: object({ name: TEXT, source: withText(TEXT, 'a JavaScript module') }),
  ...CHANGESET_SHAPES,

  Clock: object(
    { at: INSTANT, frozen: withText(FLAG, 'false: it follows the wall clock') },
    {
      catchingUp: withText(
        object({
          done: withText(COUNT, 'events that happened since the catch-up began'),
          left: withText(COUNT, 'events that wait for `at` as it stands; each may bring others'),
          at: withText(INSTANT, 'the instant that is reached: what came before it is settled'),
        }),
        'only while what fell due by `at` still happens; who asks a twin gets 503 with `Retry-After` meanwhile',
      ),
    },
  ),
  Reset: object({
    to: withText(TEXT, '`nothing`, `savepoint`, an instant, or the backup or branch'),
    positions: withText(map(COUNT), 'of each twin, now'),
  }),
  Branch: object({
    name: withText(TEXT, '`<org>/<world>`'),
    from: TEXT,
    at: INSTANT,
    createdAt: INSTANT,
    expiresAt: orNull(INSTANT),
  }),
  MadeBranch: object({ name: TEXT, token: TEXT, readToken: TEXT, expiresAt: orNull(INSTANT) }),

  ...TWIN_SHAPES,
  ...LOOKING_SHAPES,

  Row: object({
    name: withText(TEXT, 'the twin or the link'),
    requests: COUNT,
    status: object({ '2xx': COUNT, '3xx': COUNT, '4xx': COUNT, '5xx': COUNT }),
    ms: object({ p50: MILLISECONDS, p95: MILLISECONDS }),
    unmatched: withText(COUNT, 'requests that no handler and no operation of the twin answered'),
    routes: withText(
      list(
        object({
          route: withText(TEXT, 'method and template: `POST /v1/customers`'),
          requests: COUNT,
          errors: withText(COUNT, 'answers of status 400 and above'),
          p50: MILLISECONDS,
          p95: MILLISECONDS,
        }),
      ),
      'the ten with the most requests',
    ),
  }),
  Report: object({
    from: withText(
      INSTANT,
      'the beginning of a minute, over 24 hours of an hour; later where requests were not counted yet',
    ),
    to: INSTANT,
    hours: NUMBER,
    twins: list(to('Row')),
    links: list(to('Row')),
    journalFailures: withText(COUNT, 'lines that failed to be kept since the server started'),
  }),

  ...REPORT_SHAPES,
  ...REQUEST_SHAPES,

  Refusal: withText(
    object(
      {
        kind: { const: 'wrld-world-refusal' },
        version: { const: 1 },
        capability: oneOf(
          'network.egress',
          'network.services',
          'network.ownLoopback',
          'network.host',
          'files.read',
          'files.persist',
        ),
        target: TEXT,
        missing: oneOf('declaration', 'grant', 'transport', 'twin'),
        rule: oneOf(...RULE_NAMES),
        reason: TEXT,
        see: TEXT,
      },
      {
        grantField: TEXT,
        declaredBy: object({ capability: TEXT, file: TEXT, line: { type: 'integer' } }),
      },
    ),
    'the record of a refusal (2.1)',
  ),
  SeenCall: object({
    at: INSTANT,
    twin: TEXT,
    method: TEXT,
    host: TEXT,
    path: TEXT,
    query: TEXT,
    headers: withText(map(TEXT), 'lower-case names; credentials are left out'),
    body: withText(ANYTHING, 'what JSON or a form holds, else the text; null for none'),
    status: withText(COUNT, '0: the connection was cut instead'),
    ms: { type: 'number' },
    unmatched: withText(FLAG, 'neither a handler nor an operation of the twin answered it'),
  }),
  SeenRefusal: object({ nth: COUNT, at: INSTANT, run: TEXT, agent: orNull(TEXT), record: to('Refusal') }),

  WorldManifest: object(
    {
      name: TEXT,
      vendors: withText(map(TEXT), 'vendor id → the twin’s URL'),
      ca: withText(TEXT, 'PEM'),
      proxy: orNull(TEXT),
      env: map(TEXT),
    },
    {
      streams: withText(
        map(object({ url: TEXT, env: list(TEXT) }, { listen: object({ host: TEXT, port: COUNT }) })),
        'vendor id of a TCP twin → the WebSocket that carries it, and the variables its client reads',
      ),
    },
  ),
  Key: object({
    id: TEXT,
    name: TEXT,
    scope: SCOPE,
    createdAt: INSTANT,
    lastUsedAt: orNull(INSTANT),
    expiresAt: orNull(INSTANT),
    for: orNull(TEXT),
    person: withText(orNull(TEXT), 'the name that attribution uses'),
    createdBy: TEXT,
  }),
  BrowserProfile: withText(
    object(
      {
        storageState: object({
          cookies: list(
            object(
              {
                name: TEXT,
                value: TEXT,
                domain: TEXT,
                path: TEXT,
                expires: withText(NUMBER, 'Unix seconds, or -1 for a session cookie'),
                httpOnly: FLAG,
                secure: FLAG,
                sameSite: oneOf('Strict', 'Lax', 'None'),
              },
              { partitionKey: TEXT, _crHasCrossSiteAncestor: FLAG },
            ),
          ),
          origins: list(
            object(
              { origin: TEXT, localStorage: list(object({ name: TEXT, value: TEXT })) },
              { indexedDB: list(ANYTHING) },
            ),
          ),
        }),
      },
      { context: map(ANYTHING) },
    ),
    'schema/browser-profile.schema.json says it whole; unknown keys are refused',
  ),
  Site: object({
    vendor: TEXT,
    host: withText(TEXT, 'the vendor’s real host; the twin’s name where its pages stand at none'),
    land: withText(orNull(TEXT), 'the path of its first page; null where every page is of some object'),
  }),
  BoardPage: object({
    key: withText(TEXT, '`~browser:<browser>:<vendor>:…` of a browser’s copy'),
    alias: withText(orNull(TEXT), 'what was kept under it before there were browsers is this page’s'),
    section: object({ key: TEXT, alias: orNull(TEXT) }),
    browser: withText(orNull(TEXT), 'null: the plain copy'),
    vendor: TEXT,
    host: TEXT,
    land: TEXT,
    origin: withText(orNull(TEXT), 'null: no address of it can be made'),
  }),
  MadeKey: withText(
    object({ id: TEXT, key: TEXT }, { name: TEXT, scope: SCOPE }),
    'the key’s value, told this once',
  ),
  Session: object(
    { world: TEXT, scope: SCOPE },
    { origin: TEXT, local: { const: true }, who: TEXT, issuer: TEXT },
  ),
  WrongOrigin: withText(
    object({ error: object({ code: TEXT, message: TEXT }, { details: ANYTHING }) }, { origin: TEXT }),
    'where the session is to be asked for',
  ),
  Tokens: withText(object({ name: TEXT, token: TEXT, readToken: TEXT }), 'told this once'),
});

export type ShapeName = keyof typeof SHAPES;

export function ref(name: ShapeName): Schema {
  return to(name);
}

/** An answer of the one error shape. */
export function failure(description: string): Answer {
  return { description, schema: ref('Error') };
}
