// What is answered of a world's deeds and of what its twins hold: the report for reviewers, coverage, records.
import {
  ANYTHING,
  COUNT,
  FLAG,
  INSTANT,
  list,
  object,
  oneOf,
  orNull,
  type Schema,
  TEXT,
  withText,
} from './schema.ts';

const to = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const shapesOf = <Name extends string>(shapes: { readonly [name in Name]: Schema }) => shapes;

export const REPORT_SHAPES = shapesOf({
  FieldChange: withText(
    object({ field: TEXT }, { before: ANYTHING, after: ANYTHING }),
    '`before` is absent of a field that was added, `after` of one that is gone; secrets read `hidden`',
  ),
  PlannedAction: withText(
    object(
      {
        actionId: TEXT,
        twin: TEXT,
        kind: oneOf('create', 'update', 'delete', 'call'),
        target: orNull(object({ type: TEXT, id: TEXT, name: orNull(TEXT) })),
        method: TEXT,
        path: TEXT,
        fields: list(to('FieldChange')),
        fieldsLeft: COUNT,
        entries: list(TEXT),
        dependsOn: list(TEXT),
        skipped: withText(orNull(TEXT), 'why a deploy would skip it; null where it would not'),
      },
      { query: TEXT, text: TEXT, blob: object({ sha256: TEXT, bytes: COUNT }) },
    ),
    'a request that a deploy would make; `{customer cus_1}` in its texts is the id that the vendor will give',
  ),
  TwinReport: object({
    twin: TEXT,
    entries: COUNT,
    records: list(
      object({
        type: TEXT,
        id: TEXT,
        name: orNull(TEXT),
        fate: withText(oneOf('created', 'changed', 'ended', 'passed'), '`passed`: made and ended in between'),
        asked: withText(FLAG, 'whether a client asked for any of it'),
        first: TEXT,
        last: TEXT,
        entries: COUNT,
        fields: list(to('FieldChange')),
        fieldsLeft: COUNT,
      }),
    ),
    recordsLeft: COUNT,
    told: withText(list(object({ type: TEXT, count: COUNT })), 'records that tell of others, such as events'),
    operations: list(
      object({
        route: TEXT,
        tier: oneOf('modelled', 'generic', 'unmodelled', 'unknown'),
        requests: COUNT,
        errors: COUNT,
        unmatched: COUNT,
      }),
    ),
    operationsLeft: COUNT,
    webhooks: object({
      delivered: COUNT,
      failed: COUNT,
      failures: list(object({ event: TEXT, url: TEXT, attempts: COUNT, why: TEXT })),
    }),
  }),
  RunReport: withText(
    object({
      world: TEXT,
      branchOf: orNull(TEXT),
      changeset: orNull(TEXT),
      from: orNull(INSTANT),
      to: INSTANT,
      clock: INSTANT,
      entries: COUNT,
      entriesLeft: withText(COUNT, 'newer ones that were not read'),
      twins: list(to('TwinReport')),
      actions: list(to('PlannedAction')),
      actionsLeft: COUNT,
      refusals: list(
        object({
          rule: TEXT,
          target: TEXT,
          missing: TEXT,
          reason: TEXT,
          see: TEXT,
          count: COUNT,
          agent: orNull(TEXT),
        }),
      ),
      refusalsLeft: COUNT,
    }),
    'what was done, for those who review it; each list is bounded, and how many more there are stands beside it',
  ),
  Coverage: object({
    twin: TEXT,
    path: TEXT,
    operations: withText(
      list(object({ route: TEXT, tier: oneOf('modelled', 'generic', 'unmodelled') })),
      'the operations of that path, one a method; none: the twin has not heard of it',
    ),
  }),
  AwaitedList: object({
    due: list(
      object({
        twin: TEXT,
        at: INSTANT,
        kind: withText(TEXT, 'what the twin calls it: `renew`; `webhook` for another attempt at one'),
        text: withText(TEXT, 'in words, the record that it is about; empty where the twin names none'),
        record: orNull(object({ type: TEXT, id: TEXT })),
        cause: withText(orNull(TEXT), 'id of the entry that scheduled it'),
      }),
    ),
    more: withText(FLAG, 'whether others follow by that instant'),
  }),
  RecordTable: object({
    columns: withText(list(TEXT), 'headings, in the order of the cells; none where the twin names none'),
    rows: list(
      object({
        id: TEXT,
        position: COUNT,
        title: TEXT,
        summary: orNull(TEXT),
        cells: list({ type: ['string', 'number', 'boolean', 'null'] }),
      }),
    ),
    next: withText(orNull(TEXT), 'the `before` of the following page'),
  }),
  RecordStory: object({
    type: TEXT,
    id: TEXT,
    ended: withText(FLAG, 'it is not there any more; `body` is how it was last'),
    title: TEXT,
    summary: orNull(TEXT),
    body: ANYTHING,
    retrievedBy: withText(
      orNull(TEXT),
      'method and address by which the vendor answers it; null where it has none',
    ),
    versions: withText(
      list(
        object(
          { entry: TEXT, kind: TEXT, occurredAt: INSTANT, before: ANYTHING, after: ANYTHING },
          { caller: TEXT },
        ),
      ),
      'the newest first; null before it was made, and after it ended',
    ),
  }),
  HeldRecord: object({ type: TEXT, id: TEXT, position: COUNT, body: ANYTHING }),
});
