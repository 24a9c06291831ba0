// What the world's own endpoints answer, as named JSON Schemas: sections 2.1 to 2.13, and the shapes that the
// specification leaves open. The OpenAPI document, the reference and the contract check of the tests read these.
import { RULE_NAMES } from '../../policy/rules.ts';
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
  type Schema,
  TEXT,
  withText,
} from './schema.ts';

const TRACE_ID: Schema = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const SPAN_ID: Schema = { type: 'string', pattern: '^[0-9a-f]{16}$' };
const POSITION: Schema = { type: 'integer', minimum: 0, description: 'place in the twin’s log' };
const SCOPE = oneOf('write', 'read');
const CALLER = withText(
  TEXT,
  '`token`, `token:read`, `key:<name>`, `key:<name> for:<person>` or `person:<who>`',
);
const SCREENS = list(object({ id: TEXT, path: TEXT }, { host: TEXT }));
const MILLISECONDS = withText({ type: 'number', minimum: 0 }, 'milliseconds, within 3 %');

const shapesOf = <Name extends string>(shapes: { readonly [name in Name]: Schema }) => shapes;

const to = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const SHAPES = shapesOf({
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
        changeset: withText(TEXT, 'the changeset that it was cut into'),
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

  Changeset: withText(
    object({
      kind: { const: 'wrld-changeset' },
      version: { const: 1 },
      name: TEXT,
      message: TEXT,
      base: object({
        world: TEXT,
        twins: withText(map(POSITION), 'where each of the twins that it touches stood before'),
      }),
      at: INSTANT,
      entries: COUNT,
      contentHash: withText(TEXT, 'as it was stored'),
      currentHash: withText(TEXT, 'of the body as it stands'),
      owner: orNull(TEXT),
      cutBy: TEXT,
      pushedBy: orNull(TEXT),
      verification: orNull(
        object(
          {
            hash: TEXT,
            ok: FLAG,
            at: INSTANT,
            failures: withText(
              list(object({ check: TEXT, entry: TEXT, message: TEXT })),
              'each check that failed, and at which entry; without one where the check itself ended',
            ),
          },
          {
            more: withText(COUNT, 'failures beyond those that are listed'),
            printed: list(object({ check: TEXT, text: TEXT })),
          },
        ),
      ),
      approvals: list(object({ hash: TEXT, person: TEXT, via: TEXT, at: INSTANT }, { note: TEXT })),
      readiness: object({
        ready: FLAG,
        approvers: list(TEXT),
        required: COUNT,
        reasons: withText(
          list(TEXT),
          '`hash-changed`, `not-verified`, `verify-failed`, `verify-other-hash`, `approvals n/m`',
        ),
      }),
      deployed: list(
        object(
          {
            service: TEXT,
            actionId: TEXT,
            status: oneOf('deployed', 'landed', 'refused', 'failed', 'skipped'),
            at: INSTANT,
          },
          { externalId: TEXT, url: TEXT, reason: TEXT },
        ),
      ),
    }),
    'a run of a world’s own entries, made to be read, checked and approved',
  ),
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
  Rules: object({
    changesets: object(
      {},
      {
        approvals: withText(COUNT, 'different persons whose approvals a deploy needs'),
        summary: withText(FLAG, 'a cut without a message gets one'),
      },
    ),
  }),

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

  MapEntry: object({
    twin: TEXT,
    position: POSITION,
    screens: SCREENS,
    root: NULL,
    resources: list(object({ type: TEXT, count: COUNT })),
  }),
  TwinStatus: object({
    twin: TEXT,
    identity: object({
      mounted: orNull(object({ package: TEXT, version: orNull(TEXT) })),
      pinned: withText(orNull(TEXT), 'the selection at boot'),
    }),
    execution: object({ rootConnected: FLAG, deploy: NULL }),
    dataOrigin: oneOf('shared-history', 'vendor-refresh', 'unrecorded'),
    protocol: oneOf('http', 'smtp', 'mysql'),
    screens: SCREENS,
    root: NULL,
    credential: object({ sealed: FLAG }),
    refresh: object({ lastAt: orNull(INSTANT) }),
    position: POSITION,
    receipt: NULL,
  }),
  TwinManifest: object(
    {
      kind: { const: 'wrld-twin' },
      vendor: TEXT,
      version: TEXT,
      protocol: oneOf('http', 'smtp', 'mysql'),
      api: object({ sdks: list(object({ npm: TEXT, version: TEXT })) }, { version: TEXT }),
      models: list(object({ type: TEXT, operations: list(TEXT) }, { idPrefix: TEXT })),
      coverage: object({ modelled: COUNT, generic: COUNT, catalog: COUNT }),
      hosts: list(object({ host: TEXT, paths: list(TEXT) })),
      generative: FLAG,
      matchers: list(TEXT),
      root: FLAG,
      screens: SCREENS,
    },
    {
      endpointEnv: map(TEXT),
      stream: object({ id: TEXT, env: list(TEXT) }, { hosts: list(object({ host: TEXT, port: COUNT })) }),
      upgrades: list(TEXT),
      requestScopes: list({ const: 'read' }),
      webhooks: object({ scheme: TEXT, events: list(TEXT) }),
      refresh: object({ every: orNull(TEXT), atMost: TEXT }),
    },
  ),
  Scenario: object(
    {
      vendor: TEXT,
      hash: TEXT,
      loadedAt: INSTANT,
      handlers: list(
        object({
          id: TEXT,
          index: COUNT,
          match: ANYTHING,
          reply: ANYTHING,
          matched: COUNT,
          lastMatchedAt: orNull(INSTANT),
        }),
      ),
      unmatched: withText(
        list(
          object(
            { at: INSTANT, request: TEXT, method: TEXT, path: TEXT, features: list(TEXT) },
            { nearest: object({ id: TEXT, failed: list(TEXT) }) },
          ),
        ),
        'the newest 100',
      ),
      unmatchedTotal: COUNT,
    },
    {
      fault: withText(
        object({ at: INSTANT, faults: list(ANYTHING) }),
        'why the handlers file, as it stands, is not in force',
      ),
    },
  ),

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
  OpenedRun: withText(object({ name: TEXT, secret: TEXT }), 'the credentials of the run’s proxy URL'),
});

export type ShapeName = keyof typeof SHAPES;

export function ref(name: ShapeName): Schema {
  return to(name);
}

/** An answer of the one error shape. */
export function failure(description: string): Answer {
  return { description, schema: ref('Error') };
}
