// Whether the next commit may do without waiting for the disk. The first commit into a write-ahead log that is begun anew waits
// until the log's head is on disk: of the log before it, frames still lie in the file, and after a power cut a part of them
// could be taken for newer than what they led to. In a log that is empty on the disk itself lie none, and whatever part of
// the new one a power cut leaves is one that SQLite's checksums judge. Of hundreds of worlds that rest between two writes,
// each write waited; and all the others with it, whom the same loop answers.
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { syncFile } from './files.ts';

export class LogHead {
  readonly #database: DatabaseSync;
  readonly #log: string;
  #checkpointPages: number;
  #empty = false;
  #relaxed = false;

  /** `checkpointPages`: as the database has it. */
  constructor(database: DatabaseSync, file: string, checkpointPages: number) {
    this.#database = database;
    this.#log = `${file}-wal`;
    this.#checkpointPages = checkpointPages;
  }

  /** At how many pages a commit brings the log into the file; 0: never. */
  set checkpointPages(pages: number) {
    this.#checkpointPages = pages;
    if (!this.#relaxed) this.#database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }

  /** The log was found empty, and then synced; false before it may be cut by anybody. */
  emptied(is: boolean): void {
    this.#empty = is;
  }

  /** Before a group of commits, outside of any transaction. */
  begin(): void {
    if (!this.#empty) return;
    this.#empty = false;
    // What was written since then is behind a head that was waited for.
    if ((statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
    this.#relaxed = true;
    // A checkpoint that does not wait for the disk would be none.
    this.#database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF');
  }

  /** After it, whatever became of it. */
  end(): void {
    if (!this.#relaxed) return;
    this.#relaxed = false;
    this.#database.exec('PRAGMA synchronous = NORMAL');
    this.checkpointPages = this.#checkpointPages;
  }
}

/**
 * Whether the log of a store that nobody has open is empty on the disk, when it resolves. Where there is none it is: should
 * one come back after a power cut, what it has is in the file already, and of the next one nothing is, because SQLite syncs the
 * folder before it brings anything there.
 */
export async function isLogEmpty(file: string): Promise<boolean> {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  await syncFile(log, 'sync');
  return true;
}
