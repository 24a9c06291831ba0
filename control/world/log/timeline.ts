// The twins' logs merged, newest first (4.9): by the instant, then the twin, then the position, all falling.
// A page begins after the last line of the one before it, by value, so entries that are appended while
// somebody pages never shift what he has not seen yet.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql, SqlRow } from '../../ports/sql.ts';
import { INSTANT_MS_MAX, TIMELINE_PAGE_ENTRIES_DEFAULT, TIMELINE_PAGE_ENTRIES_MAX } from '../limits.ts';
import { type Cursor, type Entry, type EntryLine, formatCursor, newerFirst, parseCursor } from './entry.ts';
import type { EntriesAsked, EntryLines } from './history-source.ts';

/** 2.13 timeline entry. */
export type TimelineEntry = {
  readonly twin: string;
  readonly position: number;
  readonly entry: Entry;
  readonly caller?: string;
};

export type TimelineQuery = {
  readonly limit?: number;
  readonly before?: string;
  readonly twin?: string;
  readonly trace?: string;
  /** Entries of this instant and of earlier ones alone. */
  readonly at?: Instant;
};

export type TimelineResult =
  | {
      readonly ok: true;
      readonly entries: readonly TimelineEntry[];
      readonly next: string | null;
      /** The page as it is answered; `entries` are read out of it when somebody asks for them. */
      readonly json: string;
    }
  | { readonly ok: false; readonly why: 'bad-cursor'; readonly message: string };

/** Sorts after every twin's name. */
const START: Cursor = { at: INSTANT_MS_MAX + 1, twin: '', pos: 0 };

/** Before all entries, or all of an instant and of earlier ones. */
export const cursorAtStart = (at?: Instant): Cursor => (at === undefined ? START : { ...START, at: at + 1 });

type Place = SqlRow & Cursor;

type Asked = Omit<EntriesAsked, 'upTo'>;
type Pages = (asked: Asked) => Promise<EntryLines>;

export const readTimeline = async (pages: Pages, query: TimelineQuery): Promise<TimelineResult> => {
  const { before, twin, trace, at } = query;
  const cursor = before === undefined ? cursorAtStart(at) : parseCursor(before);
  if (cursor === null) {
    return { ok: false, why: 'bad-cursor', message: '`before` is the `next` of an earlier page.' };
  }
  const asked = Math.floor(query.limit ?? TIMELINE_PAGE_ENTRIES_DEFAULT);
  const limit = Math.min(Math.max(asked, 1), TIMELINE_PAGE_ENTRIES_MAX);
  const narrowed = { ...(twin === undefined ? {} : { twin }), ...(trace === undefined ? {} : { trace }) };
  const { lines, more } = await pages({ cursor, limit, ...narrowed });
  const last = lines.at(-1);
  const next = more && last !== undefined ? formatCursor(last) : null;
  const json = `{"entries":[${lines.map(timelineEntry).join(',')}],"next":${JSON.stringify(next)}}`;
  return {
    ok: true,
    next,
    json,
    get entries() {
      return (JSON.parse(json) as { entries: readonly TimelineEntry[] }).entries;
    },
  };
};

const timelineEntry = ({ twin, pos, caller, json }: EntryLine): string => {
  const called = caller === null ? '' : `,"caller":${JSON.stringify(caller)}`;
  return `{"twin":"${twin}","position":${pos},"entry":${json}${called}}`;
};

const NEWEST_FIRST = 'ORDER BY at DESC, twin DESC, pos DESC LIMIT +?';
const BEFORE = '(at, twin, pos) < (?, ?, ?)';
// Within one twin the index is (twin, at, pos), which a comparison of rows must name in that order to be a
// range of it; what the cursor's twin decides at its own instant is decided here.
const BEFORE_IN_TWIN = 'twin = ? AND (at, pos) < (?, ?)';

/** Entries of a world's own, newest first. Only indexes are read: which of them a page shows is known then. */
export const placesBefore = (sql: Sql, { cursor, limit, twin, trace }: Asked): Place[] => {
  const { at, pos } = cursor;
  if (trace !== undefined) {
    const inTwin = twin === undefined ? '' : 'AND twin = ?';
    return sql.all<Place>(
      `SELECT at, twin, pos FROM entry WHERE trace = ? AND ${BEFORE} ${inTwin} ${NEWEST_FIRST}`,
      trace,
      at,
      cursor.twin,
      pos,
      ...(twin === undefined ? [] : [twin]),
      limit,
    );
  }
  if (twin === undefined) {
    return sql.all<Place>(
      `SELECT at, twin, pos FROM entry WHERE ${BEFORE} ${NEWEST_FIRST}`,
      at,
      cursor.twin,
      pos,
      limit,
    );
  }
  return sql.all<Place>(
    `SELECT at, twin, pos FROM entry WHERE ${BEFORE_IN_TWIN} ORDER BY at DESC, pos DESC LIMIT +?`,
    twin,
    at,
    positionBefore(twin, cursor),
    limit,
  );
};

/**
 * The same, of each twin no further than the position it has in `upTo`. What was written behind it may be any
 * number of entries of the same instant, so each twin's rows are a range of its positions.
 */
export const placesUpTo = (sql: Sql, { cursor, limit, twin, trace, upTo }: EntriesAsked): Place[] => {
  const places: Place[] = [];
  for (const [each, highest] of upTo) {
    if (twin !== undefined && twin !== each) continue;
    if (trace !== undefined) {
      places.push(
        ...sql.all<Place>(
          `SELECT at, twin, pos FROM entry WHERE trace = ? AND ${BEFORE} AND twin = ? AND pos <= ? ${NEWEST_FIRST}`,
          trace,
          cursor.at,
          cursor.twin,
          cursor.pos,
          each,
          highest,
          limit,
        ),
      );
      continue;
    }
    const last = sql.get<{ pos: number }>(
      `SELECT pos FROM entry WHERE ${BEFORE_IN_TWIN} ORDER BY at DESC, pos DESC LIMIT 1`,
      each,
      cursor.at,
      positionBefore(each, cursor),
    );
    if (last === undefined) continue;
    places.push(
      ...sql.all<Place>(
        `SELECT at, twin, pos FROM entry WHERE twin = ? AND pos <= ? ORDER BY pos DESC LIMIT +?`,
        each,
        Math.min(last.pos, highest),
        limit,
      ),
    );
  }
  return places.sort(newerFirst).slice(0, limit);
};

/** What the cursor says of one twin: at its instant, the positions below this one are still to come. */
const positionBefore = (twin: string, cursor: Cursor): number => {
  if (twin === cursor.twin) return cursor.pos;
  return twin < cursor.twin ? Number.MAX_SAFE_INTEGER : 0;
};
