// Backups of all worlds of a host's directory, made while they are served: a file for each, in a folder of its own, which
// `wrld world restore` brings back. A world that cannot be backed up is named, and the others go on.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, realpath, rm, utimes } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { SCHEMA_VERSION, StoreError, schemaVersion } from '../../world/store/schema.ts';
import { readTips } from '../../world/store/tips.ts';
import { makeBackup } from '../backup.ts';
import { BACKUP_ENDING, backupName, backupStore, datedBackupsIn } from '../backup-files.ts';
import { checkStore } from '../check-store.ts';
import { ControlError } from '../control-error.ts';
import { privateFolder, writeWhole } from '../files.ts';
import { takeLock } from '../lock.ts';
import { lackOf, type Marks, readMarks } from '../marks.ts';
import { type WorldPaths, worldPaths } from '../paths.ts';
import { readSqlite } from '../sqlite.ts';
import { storeName } from '../store-guard.ts';
import { isUnfinished } from '../unfinished.ts';
import { wallClock } from '../wall-clock.ts';
import { readDirectory } from './directory.ts';
import { HOST_FOLDER } from './home.ts';
import { FILE_TIMES_COARSE_MS } from './limits.ts';

export type WorldBackup = { readonly world: string; readonly file: string; readonly bytes: number };

export type BackupRun = {
  /** The folder: a world's backups are in `<to>/<org>/<world>`. */
  readonly to: string;
  /** ISO 8601, wall time: when it began. */
  readonly at: string;
  readonly ms: number;
  readonly made: readonly WorldBackup[];
  /** Worlds to whose store nothing was written since their newest backup. */
  readonly unchanged: number;
  readonly failed: readonly { readonly world: string; readonly why: string }[];
  /** Old backups that went. */
  readonly removed: number;
};

/** What the last run left beside its backups. */
export type LastRun = Pick<BackupRun, 'at' | 'ms' | 'failed' | 'unchanged'> & { readonly made: number };

export type BackupOptions = {
  /** The host's. */
  readonly directory: string;
  /** Made where it is not there; null for the host's own folder. */
  readonly to: string | null;
  /** Backups of each world that stay; null for all. */
  readonly keep: number | null;
  /** Called before each world. */
  readonly told?: (world: string, n: number, of: number) => void;
};

/** Beside a backup: what the world was declared to be then. */
const CONFIG_ENDING = '.world.json';

/** Throws `ControlError` when no backup can be made at all. */
export async function backUpWorlds({ directory, to, keep, told }: BackupOptions): Promise<BackupRun> {
  const real = await realpath(directory);
  const folder = to === null ? join(real, HOST_FOLDER, 'backups') : resolve(to);
  refuseAmongWorlds(real, folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await takeLock(join(folder, 'lock.db'), join(folder, 'backup.pid'));
  if (!lock.ok)
    throw new ControlError(
      'already-running',
      `backups are being made into ${folder} already${lock.pid === null ? '' : `, by process ${lock.pid}`}; wait for that`,
      lock.pid,
    );
  try {
    const began = wallClock.now();
    const { worlds } = await readDirectory(real);
    const made: WorldBackup[] = [];
    const failed: { readonly world: string; readonly why: string }[] = [];
    let unchanged = 0;
    let removed = 0;
    for (const [n, world] of worlds.entries()) {
      told?.(world, n, worlds.length);
      const paths = worldPaths(join(real, world));
      const place = join(folder, world);
      try {
        const backup = await backUp(paths, world, place);
        if (backup === 'unchanged') unchanged += 1;
        else if (backup !== 'gone') made.push(backup);
        if (keep !== null) removed += await thinOut(place, keep);
      } catch (error) {
        // Removed meanwhile: there is nothing to keep.
        if (existsSync(paths.config)) failed.push({ world, why: (error as Error).message });
      }
    }
    const at = new Date(began).toISOString();
    const run = { to: folder, at, ms: wallClock.now() - began, made, unchanged, failed, removed };
    const last: LastRun = { at, ms: run.ms, made: made.length, unchanged, failed };
    await writeWhole(lastRunFile(folder), `${JSON.stringify(last, null, 2)}\n`);
    return run;
  } finally {
    await lock.release();
  }
}

export function lastRunFile(folder: string): string {
  return join(folder, 'latest.json');
}

/** A folder there would be taken for an org. */
function refuseAmongWorlds(directory: string, folder: string): void {
  const inside = relative(directory, folder);
  if (inside.startsWith('..') || inside.startsWith('.wrld')) return;
  throw new ControlError(
    'machine-refuses',
    `${folder} lies among the worlds; name a folder outside of ${directory}, or none: they go into ${HOST_FOLDER}/backups there`,
  );
}

async function backUp(
  paths: WorldPaths,
  world: string,
  place: string,
): Promise<WorldBackup | 'unchanged' | 'gone'> {
  const { database } = paths;
  if (!existsSync(paths.config)) return 'gone';
  // Before the copy: a world that goes on writes marks of what came after it.
  const marks = await readMarks(paths.marks);
  if (!existsSync(database)) {
    // Declared by hand, and nobody asked for it yet.
    if (marks === null && !existsSync(paths.tokens)) return 'gone';
    throw new Error(`its store ${database} is gone`);
  }
  const newest = datedBackupsIn(place)[0];
  if (newest !== undefined && !writtenSince(database, newest)) return 'unchanged';
  await privateFolder(join(place, '..'));
  await privateFolder(place);
  await removePartial(place);
  const began = wallClock.now();
  const to = freeName(place);
  const { bytes } = await makeBackup({ files: paths, world, to });
  const lack = lackIn(to, marks) ?? (await faultIn(to));
  if (lack !== null) {
    await rm(to);
    throw new Error(`its store ${database} ${lack}`);
  }
  await copyFile(paths.config, configBeside(to));
  // Later runs hold the store against it.
  const asOf = new Date(began - FILE_TIMES_COARSE_MS);
  await utimes(to, asOf, asOf);
  return { world, file: to, bytes };
}

/** What a copy lacks: older ones must not make room for it. */
function lackIn(file: string, marks: Marks | null): string | null {
  try {
    return readSqlite(file, sql => lackRead(sql, marks));
  } catch (error) {
    if (error instanceof StoreError) return `is damaged: ${error.message}`;
    throw error;
  }
}

/** A page may be whole, and what stands in it may not be what was written. */
async function faultIn(file: string): Promise<string | null> {
  const { checks } = await checkStore(backupStore(file));
  const [fault] = checks.flatMap(({ faults }) => faults);
  return fault === undefined ? null : `is damaged: ${fault}`;
}

function lackRead(sql: Parameters<Parameters<typeof readSqlite>[1]>[0], marks: Marks | null): string | null {
  const [fault] = sql.all<{ quick_check: string }>('PRAGMA quick_check(1)');
  if (fault?.quick_check !== 'ok') return `is damaged: ${fault?.quick_check}`;
  const schema = schemaVersion(sql);
  if (schema > SCHEMA_VERSION) return 'is of a newer program; back it up with that';
  if (marks === null) return null;
  // Every store has said what it is since it was opened first.
  return lackOf(marks, { schema, store: storeName(sql), positions: readTips(sql) });
}

function writtenSince(database: string, backup: string): boolean {
  const asOf = statSync(backup).mtimeMs;
  const log = statSync(`${database}-wal`, { throwIfNoEntry: false });
  // A reader makes an empty log where there is none.
  return statSync(database).mtimeMs >= asOf || (log !== undefined && log.size > 0 && log.mtimeMs >= asOf);
}

/** Names have seconds; a second one of the same takes the next. */
function freeName(place: string): string {
  for (let at = wallClock.now(); ; at += 1000) {
    const file = join(place, backupName(at));
    if (!existsSync(file)) return file;
  }
}

/** What a run that was killed has left. */
async function removePartial(place: string): Promise<void> {
  for (const name of readdirSync(place)) {
    if (isUnfinished(name)) await rm(join(place, name), { force: true });
  }
}

async function thinOut(place: string, keep: number): Promise<number> {
  const old = datedBackupsIn(place).slice(keep);
  for (const file of old) {
    await rm(configBeside(file), { force: true });
    await rm(file, { force: true });
  }
  return old.length;
}

function configBeside(backup: string): string {
  return `${backup.slice(0, -BACKUP_ENDING.length)}${CONFIG_ENDING}`;
}
