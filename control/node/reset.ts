// A world brought back to nothing, or to how a backup, a branch or an instant has it, while it runs or while it does not.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { bringBack, hasBranches, no, noSuchName, type ResetPlace } from '../http/bringing-back.ts';
import type { ResetAsk, ResetOutcome } from '../http/surroundings.ts';
import { branchesAfter, branchPoint, takeBranch, takeWorld } from '../world/past/rewind.ts';
import { migrate } from '../world/store/schema.ts';
import { readTips } from '../world/store/tips.ts';
import { copyStore } from './backup.ts';
import { backupsIn, noteOf, type Told } from './backup-files.ts';
import { openBlobs } from './blobs.ts';
import { unpack } from './restore.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import type { WorldFiles } from './store-guard.ts';

type Place = Omit<ResetPlace, 'isBranch' | 'toName'> & {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly sql: SqliteFile;
  readonly files: Pick<WorldFiles, 'store' | 'blobs' | 'backups' | 'branches'>;
  readonly told?: Told;
};

/** Throws what the store does; it is as it was then. */
export const resetStore = (place: Place, to: ResetAsk): Promise<ResetOutcome> =>
  bringBack({ ...place, isBranch: place.files.branches === null, toName: name => toName(place, name) }, to);

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
  return noSuchName(name);
}

/** By its file's name, with or without its ending, or by its path. */
function namesBackup(file: string, name: string): boolean {
  const own = file.slice(file.lastIndexOf('/') + 1);
  return isAbsolute(name) ? file === name : own === name || own === `${name}.backup`;
}

async function toBackup(
  { sql, files, rewrite, told = () => {} }: Place,
  backup: string,
): Promise<ResetOutcome> {
  const branches = branchesAfter(sql, Number.NEGATIVE_INFINITY);
  if (branches.length > 0) return hasBranches(branches);
  noteOf(backup);
  await beside({ store: files.store, original: backup, told }, async copy => {
    {
      using store = openSqlite(copy);
      migrate(store);
      unpack(store, files.blobs, told);
    }
    await rewrite(() => sql.durableBeside(copy, () => takeWorld(sql, 'source.')));
  });
  return { ok: true, to: backup, positions: readTips(sql) };
}

async function toBranch(
  { world, sql, files, rewrite, told = () => {} }: Place,
  branch: string,
  folder: string,
): Promise<ResetOutcome> {
  let result: ResetOutcome = no('no-such-name', `${branch} is no branch of this world.`);
  await beside({ store: files.store, original: join(folder, 'world.db'), told }, async copy => {
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
async function beside(
  { store, original, told }: { readonly store: string; readonly original: string; readonly told: Told },
  work: (copy: string) => Promise<void>,
): Promise<void> {
  const folder = join(store, 'reset');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const copy = join(folder, 'world.db');
    await copyStore(original, copy, done => told('Copying it', done));
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
