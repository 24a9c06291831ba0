// A world brought back to nothing, or to how a backup, a branch or an instant has it, while it runs or while it does not.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { ResetAsk, ResetOutcome } from '../http/surroundings.ts';
import {
  branchesAfter,
  branchPoint,
  emptyWorld,
  pointAt,
  rewindTo,
  takeBranch,
  takeWorld,
} from '../world/past/rewind.ts';
import { formatInstant, parseInstant } from '../world/store/instant.ts';
import { migrate } from '../world/store/schema.ts';
import { readTips } from '../world/store/tips.ts';
import { copyStore } from './backup.ts';
import { backupsIn } from './backup-files.ts';
import { openBlobs } from './blobs.ts';
import { noteOf, unpack } from './restore.ts';
import type { Savepoint } from './savepoint.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import type { WorldFiles } from './store-guard.ts';

type Place = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly sql: SqliteFile;
  readonly files: Pick<WorldFiles, 'store' | 'blobs' | 'backups' | 'branches'>;
  /** Of the world; the newest instant that there is. */
  readonly now: () => Promise<number>;
  /** Does it to the store, and has the world see it. */
  readonly rewrite: (work: () => void) => Promise<void>;
  /** Absent for a world that does not run. */
  readonly savepoint?: Savepoint;
  /** The world is as it was at its savepoint. */
  readonly onSavepoint?: () => Promise<void>;
};

/** Throws what the store does; it is as it was then. */
export async function resetStore(place: Place, to: ResetAsk): Promise<ResetOutcome> {
  // A branch is made anew where it left.
  if (place.files.branches === null)
    return no('is-branch', 'This is a branch: remove it, and make another where it should begin.');
  switch (to.to) {
    case 'nothing':
      return toNothing(place);
    case 'instant':
      return toInstant(place, to.instant);
    case 'savepoint':
      return toSavepoint(place);
    case 'name':
      return toName(place, to.name);
  }
}

async function toNothing({ sql, rewrite }: Place): Promise<ResetOutcome> {
  const branches = branchesAfter(sql, Number.NEGATIVE_INFINITY);
  if (branches.length > 0) return hasBranches(branches);
  await rewrite(() => sql.durable(() => emptyWorld(sql)));
  return { ok: true, to: 'nothing', positions: readTips(sql) };
}

async function toInstant({ sql, now, rewrite }: Place, text: string): Promise<ResetOutcome> {
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

async function toSavepoint({ sql, rewrite, savepoint, onSavepoint }: Place): Promise<ResetOutcome> {
  if (savepoint?.kept !== true)
    return no('no-savepoint', 'This world has no savepoint since it started; keep one: PUT …/savepoint.');
  const branches = savepoint.branchesSince;
  if (branches.length > 0) return hasBranches(branches);
  await rewrite(() => savepoint.restore());
  await onSavepoint?.();
  return { ok: true, to: 'savepoint', positions: readTips(sql) };
}

async function toName(place: Place, name: string): Promise<ResetOutcome> {
  const { world, files } = place;
  const { backups, branches } = files;
  const backup = backups === null ? undefined : backupsIn(backups).find(file => namesBackup(file, name));
  if (backup !== undefined) return toBackup(place, backup);
  const org = world.slice(0, world.indexOf('/'));
  const branch = name.startsWith(`${org}/`) ? name.slice(org.length + 1) : name;
  const folder = branches === null || !/^[a-z0-9-]+$/.test(branch) ? null : join(branches, branch);
  if (folder !== null && existsSync(join(folder, 'world.db')))
    return toBranch(place, `${org}/${branch}`, folder);
  return no(
    'no-such-name',
    `${name} is no backup (.wrld/backups) and no branch of this world. See: wrld world branch`,
  );
}

/** By its file's name, with or without its ending, or by its path. */
function namesBackup(file: string, name: string): boolean {
  const own = file.slice(file.lastIndexOf('/') + 1);
  return isAbsolute(name) ? file === name : own === name || own === `${name}.backup`;
}

async function toBackup({ sql, files, rewrite }: Place, backup: string): Promise<ResetOutcome> {
  const branches = branchesAfter(sql, Number.NEGATIVE_INFINITY);
  if (branches.length > 0) return hasBranches(branches);
  noteOf(backup);
  await beside(files.store, backup, async copy => {
    {
      using store = openSqlite(copy);
      migrate(store);
      unpack(store, files.blobs);
    }
    await rewrite(() => sql.durableBeside(copy, () => takeWorld(sql, 'source')));
  });
  return { ok: true, to: backup, positions: readTips(sql) };
}

async function toBranch(
  { world, sql, files, rewrite }: Place,
  branch: string,
  folder: string,
): Promise<ResetOutcome> {
  let result: ResetOutcome = no('no-such-name', `${branch} is no branch of this world.`);
  await beside(files.store, join(folder, 'world.db'), async copy => {
    {
      using store = openSqlite(copy);
      migrate(store);
    }
    copyBlobs(copy, join(folder, 'blobs'), files.blobs);
    const problem = sql.durableBeside(copy, (): ResetOutcome | null => {
      const point = branchPoint(sql, 'source', world);
      if (point === null) return result;
      const others = branchesAfter(sql, point.at).filter(other => other !== branch);
      return others.length > 0 ? hasBranches(others) : null;
    });
    if (problem !== null) {
      result = problem;
      return;
    }
    await rewrite(() =>
      sql.durableBeside(copy, () => takeBranch(sql, 'source', branchPoint(sql, 'source', world)!)),
    );
    result = { ok: true, to: branch, positions: readTips(sql) };
  });
  return result;
}

/** Works with a copy that nobody else has open. */
async function beside(store: string, original: string, work: (copy: string) => Promise<void>): Promise<void> {
  const folder = join(store, 'reset');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const copy = join(folder, 'world.db');
    await copyStore(original, copy);
    await work(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function copyBlobs(database: string, from: string, to: string): void {
  const theirs = openSqlite(database);
  try {
    const [source, target] = [openBlobs(from), openBlobs(to)];
    for (const { sha } of theirs.all<{ sha: Uint8Array }>('SELECT sha FROM blob WHERE inline IS NULL')) {
      const name = Buffer.from(sha).toString('hex');
      const bytes = target.has(name) ? undefined : source.get(name);
      if (bytes !== undefined) target.put(name, bytes);
    }
  } finally {
    theirs.close();
  }
}

const no = (why: Extract<ResetOutcome, { ok: false }>['why'], message: string): ResetOutcome => ({
  ok: false,
  why,
  message,
});

const hasBranches = (branches: readonly string[]): ResetOutcome =>
  no(
    'has-branches',
    `Branches left this world later, and read their past in it: ${branches.join(', ')}. Remove them first: wrld world branch remove <name>.`,
  );
