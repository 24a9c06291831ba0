// What the endpoints of changesets, of their rules, of pushes and of deploys take and answer, as named JSON Schemas.
import {
  COUNT,
  FLAG,
  INSTANT,
  list,
  map,
  object,
  oneOf,
  orNull,
  POSITION,
  shapesOf,
  TEXT,
  to,
  withText,
} from './schema.ts';

export const CHANGESET_SHAPES = shapesOf({
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
      applied: withText(
        { enum: ['replayed', 'confirmed', null] },
        'of a push: its entries were replayed where it was pushed to, or that world did what they ask; null for neither',
      ),
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
      deployed: list(to('Receipt')),
    }),
    'a run of a world’s own entries, made to be read, checked and approved',
  ),
  Receipt: withText(
    object(
      {
        service: TEXT,
        actionId: TEXT,
        status: oneOf('deployed', 'landed', 'refused', 'failed', 'skipped'),
        at: INSTANT,
      },
      { externalId: TEXT, url: withText(TEXT, 'a page of the vendor’s for people'), reason: TEXT },
    ),
    'what became of one action at its vendor; `landed` waits',
  ),
  ChangesetBody: withText(
    object(
      {
        kind: { const: 'wrld-changeset' },
        version: { const: 1 },
        name: TEXT,
        message: TEXT,
        base: object({ world: TEXT, twins: map(POSITION) }),
        changes: list(object({ twin: TEXT, entry: to('Entry') })),
        actions: list(to('Action')),
        cutBy: TEXT,
        at: INSTANT,
        contentHash: withText(
          TEXT,
          'SHA-256 of `wrld-changeset/1`, a line feed, and name, message, base, changes and actions by RFC 8785',
        ),
      },
      {
        owner: orNull(TEXT),
        blobs: withText(map(TEXT), 'the bytes that its entries name by their SHA-256, in base64'),
      },
    ),
    'a changeset whole, as it is pushed',
  ),
  Action: withText(
    object({
      actionId: TEXT,
      service: withText(TEXT, 'the vendor'),
      kind: oneOf('create', 'update', 'delete', 'call'),
      target: orNull(object({ type: TEXT, id: TEXT })),
      request: withText(
        object(
          { method: TEXT, path: to('Templated') },
          {
            query: to('Templated'),
            headers: map(TEXT),
            body: to('Templated'),
            blob: object({ sha256: TEXT, bytes: COUNT }),
          },
        ),
        'what is asked of the vendor',
      ),
      entries: withText(list(TEXT), 'ids of the entries that it made'),
      dependsOn: withText(list(TEXT), 'ids of the actions whose records it names'),
    }),
    'one request of a changeset',
  ),
  Templated: withText(
    list({ anyOf: [TEXT, object({ $ref: object({ type: TEXT, id: TEXT }) })] }),
    'a text in parts; a record that an earlier action made is named by reference',
  ),
  Deployed: object({
    changesets: list(
      object({
        name: TEXT,
        deployed: list(to('Receipt')),
        stopped: withText(
          orNull(object({ actionId: orNull(TEXT), reason: TEXT })),
          'where it stopped, and why; null when every action has its receipt',
        ),
        reasons: withText(list(TEXT), 'why it was not begun'),
      }),
    ),
  }),
  Rules: object({
    changesets: object(
      {},
      {
        approvals: withText(COUNT, 'different persons whose approvals a deploy needs'),
        summary: withText(FLAG, 'a cut without a message gets one'),
      },
    ),
  }),
});
