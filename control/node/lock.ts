// One control per world. The lock is SQLite's, on a file of its own: the system lets go of it when the process
// ends, however it ends, so there is no stale lock, no guess whether a pid is still the same process, and no
// moment in which two both take it.
import { truncateSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;

export type Lock =
  | { readonly ok: true; readonly release: () => Promise<void> }
  /** `pid` is null when the holder has not written it yet. */
  | { readonly ok: false; readonly pid: number | null };

export async function takeLock(path: string, holder: string): Promise<Lock> {
  const database = open(path);
  if (database === null) {
    const pid = Number(await readFile(holder, 'utf8').catch(() => ''));
    return { ok: false, pid: Number.isInteger(pid) && pid > 0 ? pid : null };
  }
  try {
    await writeFile(holder, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    ok: true,
    release: async () => {
      // First the name, then the lock: the other way round could remove the next holder's.
      await rm(holder, { force: true });
      database.close();
    },
  };
}

/** Null when another has it. */
function open(path: string): DatabaseSync | null {
  try {
    return take(path);
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number };
    if (errcode !== SQLITE_CORRUPT && errcode !== SQLITE_NOT_A_DATABASE) throw error;
    // Somebody wrote to it, and nobody holds it, or that would have been told. It is emptied and not removed: two that
    // find it so still lock the same file.
    truncateSync(path);
    return take(path);
  }
}

function take(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written to it, so it needs no journal beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
}
