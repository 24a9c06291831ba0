// A world brought back to nothing, to an instant, to its savepoint: the same in every host's store.
import type { Sql } from '../ports/sql.ts';
import { branchesAfter, emptyWorld, pointAt, rewindTo } from '../world/past/rewind.ts';
import type { Savepoint } from '../world/past/savepoint.ts';
import { formatInstant, parseInstant } from '../world/store/instant.ts';
import { readTips } from '../world/store/tips.ts';
import type { ResetAsk, ResetOutcome } from './surroundings.ts';

export type ResetPlace = {
  readonly sql: Sql & { readonly durable: <T>(work: () => T) => T };
  readonly isBranch: boolean;
  /** Of the world; the newest instant that there is. */
  readonly now: () => Promise<number>;
  /** Does it to the store, and has the world see it. */
  readonly rewrite: (work: () => void) => Promise<void>;
  /** Absent for a world that does not run. */
  readonly savepoint?: Savepoint;
  /** The world is as it was at its savepoint. */
  readonly onSavepoint?: () => Promise<void>;
  /** To what a backup or a branch of that name holds. */
  readonly toName: (name: string) => Promise<ResetOutcome>;
};

/** Throws what the store does; it is as it was then. */
export async function bringBack(place: ResetPlace, to: ResetAsk): Promise<ResetOutcome> {
  // A branch is made anew where it left.
  if (place.isBranch)
    return no('is-branch', 'This is a branch: remove it, and make another where it should begin.');
  switch (to.to) {
    case 'nothing':
      return toNothing(place);
    case 'instant':
      return toInstant(place, to.instant);
    case 'savepoint':
      return toSavepoint(place);
    case 'name':
      return place.toName(to.name);
  }
}

async function toNothing({ sql, rewrite }: ResetPlace): Promise<ResetOutcome> {
  const branches = branchesAfter(sql, Number.NEGATIVE_INFINITY);
  if (branches.length > 0) return hasBranches(branches);
  await rewrite(() => sql.durable(() => emptyWorld(sql)));
  return { ok: true, to: 'nothing', positions: readTips(sql) };
}

async function toInstant({ sql, now, rewrite }: ResetPlace, text: string): Promise<ResetOutcome> {
  const at = parseInstant(text);
  if (at === null)
    return no('not-an-instant', 'An instant is ISO 8601 with its offset: 2026-03-01T00:00:00Z.');
  const newest = await now();
  if (at > newest)
    return no('not-yet', `It is ${formatInstant(newest)} in this world; what comes later is not known yet.`);
  const branches = branchesAfter(sql, at);
  if (branches.length > 0) return hasBranches(branches);
  await rewrite(() => sql.durable(() => rewindTo(sql, pointAt(sql, at))));
  return { ok: true, to: formatInstant(at), positions: readTips(sql) };
}

async function toSavepoint({ sql, rewrite, savepoint, onSavepoint }: ResetPlace): Promise<ResetOutcome> {
  if (savepoint?.kept !== true)
    return no('no-savepoint', 'This world has no savepoint since it started; keep one: PUT …/savepoint.');
  const branches = savepoint.branchesSince;
  if (branches.length > 0) return hasBranches(branches);
  await rewrite(() => savepoint.restore());
  await onSavepoint?.();
  return { ok: true, to: 'savepoint', positions: readTips(sql) };
}

export const no = (why: Extract<ResetOutcome, { ok: false }>['why'], message: string): ResetOutcome => ({
  ok: false,
  why,
  message,
});

export const noSuchName = (name: string): ResetOutcome =>
  no(
    'no-such-name',
    `${name} is no backup (.wrld/backups) and no branch of this world. See: wrld world branch`,
  );

export const hasBranches = (branches: readonly string[]): ResetOutcome =>
  no(
    'has-branches',
    `Branches left this world later, and read their past in it: ${branches.join(', ')}. Remove them first: wrld world branch remove <name>.`,
  );
