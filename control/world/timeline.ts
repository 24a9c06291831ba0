// The twins' logs merged, newest first (4.9): by the instant, then the twin, then the position, all falling.
// A page begins after the last line of the one before it, by value, so entries that are appended while
// somebody pages never shift what he has not seen yet.
import type { Sql } from '../ports/sql.ts';
import type { EntryLog, EntryRow } from './entry-log.ts';
import { INSTANT_MS_MAX, TIMELINE_PAGE_ENTRIES_DEFAULT, TIMELINE_PAGE_ENTRIES_MAX } from './limits.ts';
import type { TimelineQuery, TimelineResult } from './world.ts';

type Cursor = { readonly at: number; readonly twin: string; readonly pos: number };

/** Sorts after every twin's name. */
const START: Cursor = { at: INSTANT_MS_MAX + 1, twin: '', pos: 0 };

export const readTimeline = (sql: Sql, log: EntryLog, query: TimelineQuery): TimelineResult => {
  const cursor = query.before === undefined ? START : parseCursor(query.before);
  if (cursor === null) {
    return { ok: false, why: 'bad-cursor', message: '`before` is the `next` of an earlier page.' };
  }
  const asked = Math.floor(query.limit ?? TIMELINE_PAGE_ENTRIES_DEFAULT);
  const limit = Math.min(Math.max(asked, 1), TIMELINE_PAGE_ENTRIES_MAX);
  const { entries, more } = log.entries(rowsBefore(sql, cursor, query, limit + 1), limit);
  const last = entries.at(-1);
  return {
    ok: true,
    entries: entries.map(entry => ({
      twin: entry.twin,
      position: entry.position,
      entry,
      ...(entry.caller === undefined ? {} : { caller: entry.caller }),
    })),
    next:
      more && last !== undefined
        ? formatCursor({ at: Date.parse(last.occurredAt), twin: last.twin, pos: last.position })
        : null,
  };
};

const NEWEST_FIRST = 'ORDER BY at DESC, twin DESC, pos DESC LIMIT ?';
const BEFORE = '(at, twin, pos) < (?, ?, ?)';
// Within one twin the index is (twin, at, pos), which a comparison of rows must name in that order to be a
// range of it; what the cursor's twin decides at its own instant is decided here.
const BEFORE_IN_TWIN = 'twin = ? AND (at, pos) < (?, ?)';

const rowsBefore = (sql: Sql, cursor: Cursor, query: TimelineQuery, limit: number): EntryRow[] => {
  const { at, twin, pos } = cursor;
  if (query.trace !== undefined) {
    const inTwin = query.twin === undefined ? '' : 'AND twin = ?';
    return sql.all<EntryRow>(
      `SELECT * FROM entry WHERE trace = ? AND ${BEFORE} ${inTwin} ${NEWEST_FIRST}`,
      query.trace,
      at,
      twin,
      pos,
      ...(query.twin === undefined ? [] : [query.twin]),
      limit,
    );
  }
  if (query.twin === undefined) {
    return sql.all<EntryRow>(`SELECT * FROM entry WHERE ${BEFORE} ${NEWEST_FIRST}`, at, twin, pos, limit);
  }
  const before = query.twin === twin ? pos : query.twin < twin ? Number.MAX_SAFE_INTEGER : 0;
  return sql.all<EntryRow>(
    `SELECT * FROM entry WHERE ${BEFORE_IN_TWIN} ORDER BY at DESC, pos DESC LIMIT ?`,
    query.twin,
    at,
    before,
    limit,
  );
};

const formatCursor = ({ at, twin, pos }: Cursor): string =>
  btoa(`${at}:${twin}:${pos}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const parseCursor = (text: string): Cursor | null => {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(text)) return null;
  let plain: string;
  try {
    plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return null;
  }
  const parts = /^(\d{1,15}):([a-z0-9-]{1,100}):(\d{1,15})$/.exec(plain);
  if (parts === null) return null;
  return { at: Number(parts[1]), twin: parts[2]!, pos: Number(parts[3]) };
};
