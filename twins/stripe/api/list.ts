// Paging as Stripe does it: newest first, cursors by id, `has_more`, filters on the time of creation.
import { sliceById } from '../../kit/paging.ts';
import type { ListQuery, RecordBody, Where } from '../../kit/tx.ts';
import type { RecordName, Records } from '../records.ts';
import { type Act, nounOf, select } from './act.ts';
import { invalid, missing } from './errors.ts';
import { integer, range, text } from './params.ts';
import { listView, type View, viewOf } from './view.ts';

export const pageParams = {
  limit: integer(1, 100),
  starting_after: text(),
  ending_before: text(),
} as const;

export const createdParams = { ...pageParams, created: range() } as const;

export type Range =
  | number
  | { readonly gt?: number; readonly gte?: number; readonly lt?: number; readonly lte?: number };

export type PageAsk = {
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  readonly created?: Range;
};

const LIMIT_DEFAULT = 10;

export type Selection<Name extends RecordName> = {
  readonly where?: Where;
  readonly keep?: (record: Records[Name]) => boolean;
  readonly order?: 'newest' | 'oldest';
};

/** One page of a list that is held whole. Throws for a cursor that is none of it. */
export function pageOf(items: readonly (View & { readonly id: string })[], ask: PageAsk, url: string): View {
  const limit = ask.limit ?? LIMIT_DEFAULT;
  const cursor = (param: 'starting_after' | 'ending_before'): string | null => {
    const id = ask[param];
    if (id !== undefined && !items.some(item => item.id === id)) throw missing('item', id, { param });
    return id ?? null;
  };
  const before = cursor('ending_before');
  const after = before === null ? cursor('starting_after') : null;
  const found = sliceById(items, { after, before, limit });
  return listView(found.items, found.more, url);
}

/** One page of a type as a list object. */
export function page<Name extends RecordName>(
  act: Act,
  type: Name,
  ask: PageAsk,
  url: string,
  selection: Selection<Name> = {},
): View {
  if (ask.starting_after !== undefined && ask.ending_before !== undefined) {
    throw invalid('You cannot specify both `starting_after` and `ending_before`.', {
      code: 'parameters_exclusive',
      param: 'starting_after',
    });
  }
  for (const param of ['starting_after', 'ending_before'] as const) {
    const id = ask[param];
    if (id !== undefined && act.tx.get(type, id) === undefined)
      throw missing(nounOf(act, type), id, { param });
  }
  const { created } = ask;
  // Records that were seen at the real vendor came at once, whenever they were made there.
  const byBody = created !== undefined && act.tx.get('observed_mark', 'any') !== undefined;
  const keep = keeper(type, byBody ? madeIn(created, selection.keep) : selection.keep);
  const query: ListQuery = {
    limit: ask.limit ?? LIMIT_DEFAULT,
    order: selection.order ?? 'newest',
    ...(selection.where === undefined ? {} : { where: selection.where }),
    ...(ask.starting_after === undefined ? {} : { after: ask.starting_after }),
    ...(ask.ending_before === undefined ? {} : { before: ask.ending_before }),
    ...(byBody ? {} : createdBounds(created)),
    ...(keep === undefined ? {} : { keep }),
  };
  const found = select(act.tx, type, query);
  const list = listView(
    found.items.map(record => viewOf(act, type, record)),
    found.more,
    url,
  );
  return act.counts === true ? { ...list, total_count: countOf(act, type, query) } : list;
}

/** Each is read, in one turn of the loop that answers others too. */
const COUNTED_RECORDS_MAX = 10_000;
const COUNTED_AT_ONCE = 500;

/** How many there are on all pages of a list, no further than a search counts. */
function countOf(act: Act, type: RecordName, { after: _page, before: _back, ...query }: ListQuery): number {
  let counted = 0;
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { after };
    const { items, more } = select(act.tx, type, { ...query, ...from, limit: COUNTED_AT_ONCE });
    counted += items.length;
    after = more ? items.at(-1)?.id : undefined;
  } while (after !== undefined && counted < COUNTED_RECORDS_MAX);
  return counted;
}

/** By the instant that a record itself says. */
function madeIn<Name extends RecordName>(
  created: Range,
  keep: Selection<Name>['keep'],
): (record: Records[Name]) => boolean {
  return record => {
    const { created: made } = record as { readonly created?: unknown };
    return inRange(typeof made === 'number' ? made : null, created) && (keep?.(record) ?? true);
  };
}

/** A condition makes the store read further than a page: only customers leave a record when they are deleted. */
function keeper<Name extends RecordName>(
  type: Name,
  keep: ((record: Records[Name]) => boolean) | undefined,
): ((body: RecordBody) => boolean) | undefined {
  const held = keep as ((body: unknown) => boolean) | undefined;
  if (type !== 'customer') return held;
  return body => body['deleted'] !== true && (held === undefined || held(body));
}

function createdBounds(created: Range | undefined): { createdFrom?: number; createdBefore?: number } {
  if (created === undefined) return {};
  const { gt, gte, lt, lte } =
    typeof created === 'number' ? { gte: created, lte: created, gt: undefined, lt: undefined } : created;
  const from = Math.max(gt === undefined ? 0 : (gt + 1) * 1000, gte === undefined ? 0 : gte * 1000);
  const before = Math.min(
    lt === undefined ? Number.MAX_SAFE_INTEGER : lt * 1000,
    lte === undefined ? Number.MAX_SAFE_INTEGER : (lte + 1) * 1000,
  );
  return {
    ...(from === 0 ? {} : { createdFrom: from }),
    ...(before === Number.MAX_SAFE_INTEGER ? {} : { createdBefore: before }),
  };
}

/** Whether a number is inside a range filter. */
export function inRange(value: number | null, wanted: Range | undefined): boolean {
  if (wanted === undefined) return true;
  if (value === null) return false;
  if (typeof wanted === 'number') return value === wanted;
  const { gt, gte, lt, lte } = wanted;
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  );
}
