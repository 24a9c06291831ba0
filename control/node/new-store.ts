// A store with nothing in it yet. To have SQLite make one takes forty statements and several waits for the disk, on the loop
// that answers everybody else; so the first that a process makes is kept as it is, and the others are copies of it.
import { readFile } from 'node:fs/promises';
import { migrate } from '../world/store/schema.ts';
import { writeWhole } from './files.ts';
import { openSqlite } from './sqlite.ts';

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
