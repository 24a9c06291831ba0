// One entry in words: what it is about, the records that people know by name, and the rest by its number.

import type { Change, DeliveryNote, Entry } from '../log/entry.ts';
import { STORY_RECORDS_MAX } from './limits.ts';
import type { Seen, Words } from './wording.ts';

export type ToldRecord = Words & {
  readonly type: string;
  readonly id: string;
  readonly fate: 'created' | 'changed' | 'ended';
};

export type Folded = { readonly type: string; readonly count: number };

export type StoryLine = {
  /** `<twin>:<position>`. */
  readonly id: string;
  readonly twin: string;
  readonly position: number;
  readonly kind: string;
  /** ISO 8601, world time. */
  readonly occurredAt: string;
  readonly actor: string;
  readonly caller?: string;
  /** In words: `subscription for Ada Lovelace, EUR 19.00 a month`; empty where there is nothing to say but the kind. */
  readonly text: string;
  /** What it is about first. */
  readonly records: readonly ToldRecord[];
  /** Records that only tell of others, parts of others, and blobs, by type. */
  readonly folded: readonly Folded[];
  readonly request?: { readonly method: string; readonly path: string };
  readonly trace?: string;
  readonly cause?: string;
  readonly delivery?: DeliveryNote;
};

/** What of a type is known: whether people know such records by name, and whether they only tell of others. */
export type TypeKnown = { readonly titled: boolean; readonly tells: boolean };

export type Sorted = {
  readonly entry: Entry;
  readonly told: readonly Change[];
  readonly folded: readonly Folded[];
};

/** `known`: of a type of the entry's twin. */
export const sorted = (entry: Entry, known: (type: string) => TypeKnown): Sorted => {
  const records = entry.changes.filter(({ op }) => op === 'put' || op === 'delete');
  const plain = records.filter(({ type }) => !known(type).tells);
  const titled = plain.filter(({ type }) => known(type).titled);
  // A twin that names none of them would leave the line empty.
  const named = titled.length > 0 ? titled : plain;
  const about = Math.max(...named.map(({ type }) => placeIn(entry.kind, type)));
  const rank = ({ type, before }: Change): number => {
    if (about >= 0 && placeIn(entry.kind, type) === about) return 0;
    return before === undefined ? 1 : 2;
  };
  const told = [...named].sort((a, b) => rank(a) - rank(b));
  const shown = new Set(told.slice(0, STORY_RECORDS_MAX));
  const counts = new Map<string, number>();
  for (const change of entry.changes) {
    if (shown.has(change)) continue;
    const type = change.op === 'blob' ? 'file' : change.type;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return {
    entry,
    told: [...shown],
    folded: [...counts].map(([type, count]) => ({ type, count })),
  };
};

/** The last type that a kind names is what it is about (`customer.subscription.created`); what is new comes next. */
const placeIn = (kind: string, type: string): number => `.${kind}.`.lastIndexOf(`.${type}.`);

/** What its words are asked of: as it was made, or as it was when it ended. */
export const seenOf = (twin: string, { type, id, before, after }: Change): Seen => ({
  twin,
  type,
  id,
  body: after ?? before,
});

/** `words`: of `told`, in its order. */
export const lineOf = ({ entry, told, folded }: Sorted, words: readonly Words[]): StoryLine => {
  const { id, twin, position, kind, occurredAt, actor, caller, request, trace, cause, delivery } = entry;
  const records = told.map(({ type, id, before, after }, index): ToldRecord => {
    const fate = after === undefined ? 'ended' : before === undefined ? 'created' : 'changed';
    return { type, id, ...words[index]!, fate };
  });
  return {
    ...{ id, twin, position, kind, occurredAt, actor: actor.type },
    text: textOf(records[0], delivery),
    records,
    folded,
    ...(caller === undefined ? {} : { caller }),
    ...(request === undefined ? {} : { request: { method: request.method, path: request.path } }),
    ...(trace === undefined ? {} : { trace: trace.traceId }),
    ...(cause === undefined ? {} : { cause }),
    ...(delivery === undefined ? {} : { delivery }),
  };
};

const textOf = (record: ToldRecord | undefined, delivery: DeliveryNote | undefined): string => {
  if (delivery !== undefined) {
    const { event, endpoint, status, error, attempt } = delivery;
    const came = status === undefined ? (error ?? 'no answer') : `answered ${status}`;
    const nth = attempt === 1 ? '' : `, attempt ${attempt}`;
    return `${event.type} to ${endpoint.url}: ${came}${nth}`;
  }
  if (record === undefined) return '';
  return record.summary === null ? record.title : `${record.title}, ${record.summary}`;
};
