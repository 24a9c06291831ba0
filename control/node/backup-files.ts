// The backups of a world: files in `.wrld/backups`, named by the instant they were made at, so that their names' order is
// the order of their making.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

export const BACKUP_ENDING = '.backup';
const DATED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/;

/** `2026-03-01T00-00-00Z.backup`: without colons, which Windows takes in no name. */
export function backupName(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z${BACKUP_ENDING}`;
}

/** Newest first. */
export function backupsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => name.endsWith(BACKUP_ENDING))
    .sort()
    .reverse()
    .map(name => join(folder, name));
}

export function newestBackup(folder: string): string | null {
  return backupsIn(folder)[0] ?? null;
}

/** Those of `backupsIn` that are named by their instant: what a person has named is a person's to remove. */
export function datedBackupsIn(folder: string): readonly string[] {
  return backupsIn(folder).filter(file => DATED.test(basename(file)));
}
