// When a world that nobody asks has something to do by itself: a host that closes such a world opens it again then.
import type { Sql } from '../../ports/sql.ts';
import { BranchBase } from '../store/branch-base.ts';

/** Milliseconds since 1970 of the wall clock; 0 for at once, null for not before somebody asks. */
export const wakesAt = (sql: Pick<Sql, 'all' | 'get' | 'run'>): number | null => {
  const unsent = sql.get(
    "SELECT 1 AS found FROM delivery WHERE state = 'pending' AND next_at IS NULL LIMIT 1",
  );
  if (unsent !== undefined) return 0;
  const refresh = sql.get<{ at: number | null }>(
    "SELECT min(at) AS at FROM timer WHERE kind = 'refresh'",
  )?.at;
  const due = wakesForDue(sql);
  return refresh == null || (due !== null && due < refresh) ? due : refresh;
};

const wakesForDue = (sql: Pick<Sql, 'all' | 'get' | 'run'>): number | null => {
  const clock = sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'clock'")?.v;
  const due = sql.get<{ at: number | null }>('SELECT min(at) AS at FROM due')?.at ?? null;
  // A clock that stands brings nothing by itself, but for a catch-up that was interrupted.
  if (clock !== undefined) return due !== null && due <= Number(clock) ? 0 : null;
  // What a live branch waits for is its parent's to tell, the first time.
  return new BranchBase(sql).isDueCopied ? due : 0;
};
