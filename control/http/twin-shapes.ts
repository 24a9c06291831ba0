// What a world tells of its twins, as named JSON Schemas (2.2, 2.3, 2.7, 2.8, 2.13): a part of shapes.ts.
import {
  ANYTHING,
  COUNT,
  FLAG,
  INSTANT,
  list,
  map,
  object,
  oneOf,
  orNull,
  type Schema,
  TEXT,
  withText,
} from './schema.ts';

const POSITION: Schema = { type: 'integer', minimum: 0, description: 'place in the twin’s log' };
const SCREENS = list(object({ id: TEXT, path: TEXT }, { host: TEXT }));
const DEPLOY = withText(
  oneOf('auto', 'manual', 'never'),
  '`auto`: what is pushed is performed at once; `manual`: when somebody deploys it; `never`: it is not performed there',
);

const to = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const TWIN_SHAPES = {
  MapEntry: object({
    twin: TEXT,
    position: POSITION,
    screens: SCREENS,
    root: orNull(to('Root')),
    resources: list(object({ type: TEXT, count: COUNT })),
  }),
  TwinStatus: object({
    twin: TEXT,
    identity: object({
      mounted: orNull(object({ package: TEXT, version: orNull(TEXT) })),
      pinned: withText(orNull(TEXT), 'the selection at boot'),
    }),
    execution: object({ rootConnected: FLAG, deploy: orNull(DEPLOY) }),
    dataOrigin: oneOf('shared-history', 'vendor-refresh', 'unrecorded'),
    protocol: oneOf('http', 'smtp', 'mysql'),
    screens: SCREENS,
    root: orNull(to('Root')),
    credential: object({ sealed: FLAG }),
    refresh: to('RefreshStanding'),
    position: POSITION,
    receipt: orNull(
      object(
        { changeset: TEXT, actionId: TEXT, status: TEXT, at: INSTANT },
        { externalId: TEXT, url: TEXT, reason: TEXT },
      ),
    ),
  }),
  Root: object({
    url: withText(TEXT, 'where the vendor’s API begins'),
    deploy: DEPLOY,
    refresh: object({
      every: withText(orNull(TEXT), 'a duration (`15m`); null: only when asked'),
      atMost: withText(TEXT, 'a duration (`1m`): no more often, unless forced'),
    }),
  }),
  RefreshStanding: object({
    lastAt: withText(orNull(INSTANT), 'when the last pass over the root ended; wall time'),
    nextAt: withText(orNull(INSTANT), 'when the next one begins by itself'),
    progress: orNull(object({ done: withText(COUNT, 'records of the pass so far'), since: INSTANT })),
    fault: orNull(object({ at: INSTANT, message: TEXT })),
    conflicts: list(to('Conflict')),
  }),
  Conflict: withText(
    object(
      { type: TEXT, id: TEXT, field: withText(TEXT, 'a JSON pointer; empty: the record whole') },
      { base: ANYTHING, ours: ANYTHING, theirs: ANYTHING },
    ),
    'a field that both the world and the root changed, with what both began with; the world keeps its own until it is resolved',
  ),
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
};
