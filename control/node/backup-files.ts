// The backups of a world: files in `.wrld/backups`, named by the instant they were made at unless a person names them. Each
// says of itself what it is a backup of, and of when.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StoreError, schemaVersion } from '../world/store/schema.ts';
import { ControlError } from './control-error.ts';
import { readSqlite } from './sqlite.ts';
import type { WorldFiles } from './store-guard.ts';

export const BACKUP_ENDING = '.backup';
const DATED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/;

export type BackupNote = {
  /** `<org>/<world>`. */
  readonly world: string;
  /** ISO 8601, wall time: when it was made. */
  readonly at: string;
};

/** Told while long work on a store goes on: what is done now, and how much of that is done, from 0 to 1. */
export type Told = (what: string, done: number) => void;

/** A backup as a store that is looked through: it has all of it in itself. */
export function backupStore(file: string): Pick<WorldFiles, 'database' | 'blobs' | 'marks'> {
  return { database: file, blobs: `${file}.blobs`, marks: `${file}.marks` };
}

/** `2026-03-01T00-00-00Z.backup`: without colons, which Windows takes in no name. */
export function backupName(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z${BACKUP_ENDING}`;
}

export function backupsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => name.endsWith(BACKUP_ENDING))
    .map(name => join(folder, name));
}

/** By what each says of itself: a person's names are in no order. What is no backup that can be read is not among them. */
export function newestBackup(folder: string): string | null {
  let newest: { readonly file: string; readonly at: string } | null = null;
  for (const file of backupsIn(folder)) {
    const at = noteIn(file)?.at;
    if (at !== undefined && (newest === null || at > newest.at)) newest = { file, at };
  }
  return newest?.file ?? null;
}

/** Those that are named by their instant, newest first: what a person has named is a person's to remove. */
export function datedBackupsIn(folder: string): readonly string[] {
  return backupsIn(folder)
    .filter(file => DATED.test(basename(file)))
    .sort()
    .reverse();
}

/** What a backup says of itself. Throws `ControlError` for a file that is none. */
export function noteOf(file: string): BackupNote {
  const no = (why: string): ControlError => new ControlError('store-unusable', `${file} ${why}`);
  if (!existsSync(file)) throw no('is not there');
  try {
    const kept = readSqlite(file, sql =>
      schemaVersion(sql) === 0 ? undefined : sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'backup'"),
    );
    if (kept === undefined) throw no('is no backup of a world (wrld world backup makes one)');
    return JSON.parse(kept.v) as BackupNote;
  } catch (error) {
    if (error instanceof StoreError) throw no(`cannot be read: ${error.message}`);
    throw error;
  }
}

function noteIn(file: string): BackupNote | null {
  try {
    return noteOf(file);
  } catch (error) {
    if (error instanceof ControlError) return null;
    throw error;
  }
}
