// Brings a backup back in the place of the store, or accepts the store as it stands. What was there is moved aside and
// not removed. The new store is whole, and looked through, before it takes the old one's place.
import { existsSync } from 'node:fs';
import { cp, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_TABLES } from '../world/past/rewind.ts';
import { SCHEMA_VERSION, StoreError, schemaVersion } from '../world/store/schema.ts';
import type { Tips } from '../world/store/tips.ts';
import { noteOf, type Told } from './backup-files.ts';
import { openBlobs } from './blobs.ts';
import { checkStore } from './check-store.ts';
import { ControlError } from './control-error.ts';
import type { WorldPaths } from './paths.ts';
import { readSqlite, type SqliteFile } from './sqlite.ts';
import { asideFolder, changeStore, heldTokens, letIn, setAside } from './stopped-world.ts';

export type Restored = {
  /** Null for what was accepted as it stands. */
  readonly from: string | null;
  /** ISO 8601: when the backup was made. */
  readonly at: string | null;
  /** By twin. */
  readonly positions: Tips;
  /** Where what was there is now; null when nothing was. */
  readonly setAside: string | null;
};

const COPIED_AT_ONCE_BYTES = 1024 * 1024;

/** The caller has the world's lock. Throws `ControlError` for a file that is no whole backup; nothing is changed then. */
export async function restoreBackup(paths: WorldPaths, file: string, told: Told): Promise<Restored> {
  const note = noteOf(file);
  const { restoring } = paths;
  const files = {
    database: join(restoring, 'world.db'),
    blobs: join(restoring, 'blobs'),
    marks: join(restoring, 'marks.json'),
  };
  try {
    await rm(restoring, { recursive: true, force: true });
    await mkdir(restoring, { recursive: true, mode: 0o700 });
    await copyTold(file, files.database, told);
    const held = await heldTokens(paths);
    const old = usableAccess(paths.database) ? paths.database : null;
    await changeStore(files, sql => {
      unpack(sql, files.blobs, told);
      if (old !== null) sql.durableBeside(old, () => takeAccess(sql));
      letIn(sql, held);
    });
    const report = await checkStore(files, { told: looking(told) });
    const faults = report.checks.flatMap(each => each.faults);
    if (faults.length > 0)
      throw new ControlError('store-unusable', `${file} is no whole backup: ${faults.join('; ')}`);
    const aside = await setAside(paths);
    await rename(restoring, paths.store);
    return { from: file, at: note.at, positions: report.positions, setAside: aside };
  } catch (error) {
    if (error instanceof StoreError) throw new ControlError('store-unusable', error.message);
    throw error;
  } finally {
    await rm(restoring, { recursive: true, force: true });
  }
}

/** The caller has the world's lock. What is left of the store is the world from here on; a copy is kept aside. */
export async function acceptAsItIs(paths: WorldPaths, told: Told): Promise<Restored> {
  const aside = existsSync(paths.store) ? await asideFolder(paths) : null;
  if (aside !== null) await cp(paths.store, join(aside, 'world'), { recursive: true });
  await mkdir(paths.store, { recursive: true, mode: 0o700 });
  const held = await heldTokens(paths);
  try {
    await changeStore(paths, sql => letIn(sql, held));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ControlError(
      'store-unusable',
      `${error.message} Nothing of it can be used: bring back a backup (wrld world restore FILE), or begin anew (wrld world reset).`,
    );
  }
  const report = await checkStore(paths, { told: looking(told) });
  return { from: null, at: null, positions: report.positions, setAside: aside };
}

const looking =
  (told: Told) =>
  (holds: string, n: number, of: number): void =>
    told(`Looking through it: ${holds}`, n / of);

async function copyTold(from: string, to: string, told: Told): Promise<void> {
  await using source = await open(from);
  await using target = await open(to, 'wx', 0o600);
  const { size } = await source.stat();
  const piece = Buffer.allocUnsafe(COPIED_AT_ONCE_BYTES);
  for (let copied = 0; copied < size; ) {
    told('Copying the backup', copied / size);
    const { bytesRead } = await source.read(piece, 0, piece.length, copied);
    if (bytesRead === 0) return;
    await target.writeFile(piece.subarray(0, bytesRead));
    copied += bytesRead;
  }
}

/** A backup becomes a store: its large bytes go to where a world has them. */
export function unpack(sql: SqliteFile, blobs: string, told: Told): void {
  const shelf = openBlobs(blobs);
  const packed = sql.all<{ sha: Uint8Array }>('SELECT sha FROM backup_blob');
  for (const [n, { sha }] of packed.entries()) {
    told('Taking its large files out', n / packed.length);
    const { bytes } = sql.get<{ bytes: Uint8Array }>('SELECT bytes FROM backup_blob WHERE sha = ?', sha)!;
    shelf.put(Buffer.from(sha).toString('hex'), bytes);
  }
  sql.durable(() => {
    sql.run('DROP TABLE backup_blob');
    sql.run("DELETE FROM meta WHERE k = 'backup'");
    // The branches of then are in no backup.
    sql.run('DELETE FROM child');
  });
}

/** Whether the store that is there can still say who gets in. */
function usableAccess(database: string): boolean {
  if (!existsSync(database)) return false;
  try {
    return readSqlite(database, sql => {
      for (const table of ACCESS_TABLES) sql.all(`SELECT * FROM ${table}`);
      return schemaVersion(sql) === SCHEMA_VERSION;
    });
  } catch {
    return false;
  }
}

function takeAccess(sql: SqliteFile): void {
  for (const table of ACCESS_TABLES) {
    sql.run(`DELETE FROM main.${table}`);
    sql.run(`INSERT INTO main.${table} SELECT * FROM source.${table}`);
  }
}
