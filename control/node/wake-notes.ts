// What a host notes of its closed worlds: when each has something to do by itself, and which roots its twins have. A start
// reads these instead of every store. A note holds as long as the store is as it was left; without one, or after somebody else wrote to it, the store
// is looked into again, so nothing is lost with this file.
import { rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** What is known of a closed world without opening it. */
export type AtRest = {
  /** When it has something to do by itself (wakes-at.ts). */
  readonly at: number | null;
  /** JSON of its twins’ roots, by twin; null where it has none. */
  readonly roots: string | null;
};

export class WakeNotes implements Disposable {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;

  /** A file that is none, or is damaged, is begun anew. */
  constructor(file: string) {
    this.#database = openNotes(file);
    this.#get = this.#database.prepare('SELECT at, roots, stamp FROM closed WHERE world = ?');
    this.#put = this.#database.prepare(
      'INSERT OR REPLACE INTO closed(world, at, roots, stamp) VALUES (?, ?, ?, ?)',
    );
    this.#remove = this.#database.prepare('DELETE FROM closed WHERE world = ?');
  }

  /** Undefined where nothing is noted that still holds. */
  of(world: string, database: string): AtRest | undefined {
    const noted = this.#get.get(world) as (AtRest & { readonly stamp: string }) | undefined;
    if (noted === undefined || noted.stamp !== stampOf(database)) return undefined;
    return { at: noted.at, roots: noted.roots };
  }

  isClosed(world: string, database: string, { at, roots }: AtRest): void {
    this.#put.run(world, at, roots, stampOf(database));
  }

  forget(world: string): void {
    this.#remove.run(world);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** What changes with every write to a store, be it to its file or to the log beside it. */
function stampOf(database: string): string {
  return [database, `${database}-wal`]
    .map(file => statSync(file, { throwIfNoEntry: false }))
    .map(found => (found === undefined ? '-' : `${found.mtimeMs}:${found.size}:${found.ino}`))
    .join(' ');
}

function openNotes(file: string): DatabaseSync {
  try {
    return prepared(file);
  } catch {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${part}`, { force: true });
    return prepared(file);
  }
}

/** Not synced: what a power cut takes is looked for again. */
function prepared(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; DROP TABLE IF EXISTS wake; CREATE TABLE IF NOT EXISTS closed(world TEXT PRIMARY KEY, at INTEGER, roots TEXT, stamp TEXT NOT NULL) WITHOUT ROWID',
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
