// GET …/diff (2.13, 4.4): a world's own changes since its base, oldest first: `{ base: { id, at }, changes, next }`.
// Applied to the state at the base they give the state as it is.
import type { Sql } from '../../ports/sql.ts';
import { DIFF_PAGE_CHANGES_MAX } from '../limits.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { formatInstant } from '../store/instant.ts';
import { ENTRY_COLUMNS, type Entry, type EntryRow, formatCursor, parseCursor } from './entry.ts';
import type { EntryLog } from './entry-log.ts';

export type DiffResult =
  | {
      readonly ok: true;
      readonly base: { readonly id: string; readonly at: string };
      readonly changes: readonly { readonly twin: string; readonly entry: Entry }[];
      /** The `after` that follows; null at the end. */
      readonly next: string | null;
      /** The page as it is answered; `changes` are read out of it when somebody asks for them. */
      readonly json: string;
    }
  | { readonly ok: false; readonly why: 'bad-cursor'; readonly message: string };

export const readDiff = (
  { sql, log, base, world }: Readonly<{ sql: Sql; log: EntryLog; base: BranchBase; world: string }>,
  after: string | undefined,
): DiffResult => {
  const cursor = after === undefined ? { at: -1, twin: '', pos: 0 } : parseCursor(after);
  if (cursor === null)
    return { ok: false, why: 'bad-cursor', message: '`after` is the `next` of an earlier page.' };
  const rows = sql.all<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entry WHERE (at, twin, pos) > (?, ?, ?) ORDER BY at, twin, pos LIMIT +?`,
    cursor.at,
    cursor.twin,
    cursor.pos,
    DIFF_PAGE_CHANGES_MAX + 1,
  );
  const { lines, more } = log.lines(rows, DIFF_PAGE_CHANGES_MAX);
  const from = baseOf(sql, base, world);
  const next = more ? formatCursor(lines.at(-1)!) : null;
  const changes = lines.map(({ twin, json }) => `{"twin":"${twin}","entry":${json}}`).join(',');
  const json = `{"base":${JSON.stringify(from)},"changes":[${changes}],"next":${JSON.stringify(next)}}`;
  return {
    ok: true,
    base: from,
    next,
    json,
    get changes() {
      return (JSON.parse(json) as { changes: { twin: string; entry: Entry }[] }).changes;
    },
  };
};

/** A branch's base is the world it left, as of when. Any other world's is its own beginning: before its first entry. */
const baseOf = (sql: Sql, { origin }: BranchBase, world: string): { id: string; at: string } => {
  if (origin !== null) return { id: origin.world, at: formatInstant(origin.at) };
  const first = sql.get<{ at: number }>('SELECT at FROM entry ORDER BY at, twin, pos LIMIT 1');
  return { id: world, at: formatInstant(first?.at ?? 0) };
};
