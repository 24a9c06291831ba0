// A store with nothing in it yet. To have SQLite make one takes forty statements and several waits for the disk, on the loop
// that answers everybody else; so the first that a process makes is kept as it is, and the others are copies of it.
import { readFile } from 'node:fs/promises';
import { migrate } from '../world/store/schema.ts';
import { syncFile, writeWhole } from './files.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import { nameStore } from './store-keeper.ts';

let kept: Uint8Array | null = null;

/** Makes the store at `file`, at the newest schema, on disk and closed. Its folder is there, and itself it is not. */
export async function makeStore(file: string): Promise<void> {
  if (kept !== null) return writeWhole(file, kept);
  const sql = openSqlite(file);
  try {
    migrate(sql);
  } finally {
    sql.close();
  }
  kept = await readFile(file);
}

/**
 * As `makeStore`, with what a world begins with. Nobody knows of the store yet, so what `begin` does to it waits for no disk;
 * the whole of it does, once and not on the loop.
 */
export async function beginStore<T>(file: string, begin: (sql: SqliteFile) => Promise<T>): Promise<T> {
  await makeStore(file);
  const sql = openSqlite(file, { unwaited: true });
  let begun: T;
  try {
    nameStore(sql);
    begun = await begin(sql);
  } finally {
    sql.close();
  }
  await syncFile(file, 'sync');
  return begun;
}
