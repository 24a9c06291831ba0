// A backup: one file with all that a world holds at one moment, its large bytes too. It is made of a connection of its
// own while the world goes on, and appears whole under its name. What opens a world (tokens, keys, sessions) is in none:
// a copy that lies about must let nobody in, and bringing one back must not bring back what was rotated away.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sqlite, { DatabaseSync } from 'node:sqlite';
import { ACCESS_TABLES } from '../world/past/rewind.ts';
import { readTips, type Tips } from '../world/store/tips.ts';
import type { BackupNote, Told } from './backup-files.ts';
import type { WorldFiles } from './store-guard.ts';
import { removeUnfinished, unfinishedName } from './unfinished.ts';
import { wallClock } from './wall-clock.ts';

/** Pages copied between two looks at the progress: 4 MB. */
const PAGES_AT_ONCE = 1_000;
const FILE_MODE = 0o600;

export type Backup = {
  readonly file: string;
  readonly bytes: number;
  /** ISO 8601, wall time. */
  readonly at: string;
  /** By twin. */
  readonly positions: Tips;
};

type Options = {
  readonly files: Pick<WorldFiles, 'database' | 'blobs'>;
  /** `<org>/<world>`. */
  readonly world: string;
  /** Must not be there yet. */
  readonly to: string;
  readonly told?: Told;
};

/** Lasts when it resolves. Throws what SQLite or the disk does; nothing of it is left then. */
export async function makeBackup({ files, world, to, told = () => {} }: Options): Promise<Backup> {
  if (existsSync(to))
    throw Object.assign(new Error(`${to} is there already; it is left as it is`), { code: 'EEXIST' });
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await removeUnfinished([dirname(to)]);
  const beside = unfinishedName(to);
  try {
    // Nobody else may read it, from its first byte on.
    await (await open(beside, 'w', FILE_MODE)).close();
    await copyStore(files.database, beside, done => told('Copying the store', done));
    const at = new Date(wallClock.now()).toISOString();
    const positions = complete(beside, files.blobs, { world, at }, told);
    await sync(beside);
    await rename(beside, to);
    await sync(dirname(to));
    return { file: to, bytes: (await stat(to)).size, at, positions };
  } finally {
    for (const ending of ['', '-journal', '-wal', '-shm']) await rm(`${beside}${ending}`, { force: true });
  }
}

/** As it is at this moment, whatever is written meanwhile. `progress` is told how much of it is done, 0 and 1 included. */
export async function copyStore(
  from: string,
  to: string,
  progress: (done: number) => void = () => {},
): Promise<void> {
  progress(0);
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    // A reader's own moment: without it the copy would begin anew with each write.
    source.exec('BEGIN; SELECT 1 FROM sqlite_master');
    source.prepare('SELECT count(*) FROM sqlite_master').get();
    const { backup } = sqlite as Partial<typeof sqlite>;
    // Node before 22.16 copies in one piece.
    if (backup === undefined) {
      source.exec('COMMIT');
      source.prepare('VACUUM INTO ?').run(to);
      progress(1);
      return;
    }
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => progress(1 - remainingPages / Math.max(totalPages, 1)),
    });
    progress(1);
  } finally {
    source.close();
  }
}

/** Puts in what lies beside the store, and takes out what opens the world. */
function complete(file: string, blobs: string, note: BackupNote, told: Told): Tips {
  const database = new DatabaseSync(file);
  try {
    database.exec(
      'PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; BEGIN',
    );
    for (const table of ACCESS_TABLES) database.exec(`DELETE FROM ${table}`);
    database.exec("DELETE FROM meta WHERE k = 'tokens-adopted'");
    database.exec(
      'CREATE TABLE backup_blob(sha BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID',
    );
    const put = database.prepare('INSERT INTO backup_blob(sha, bytes) VALUES (?, ?)');
    const large = database.prepare('SELECT sha FROM blob WHERE inline IS NULL').all() as {
      sha: Uint8Array;
    }[];
    for (const [n, { sha }] of large.entries()) {
      told('Putting its large files in', n / large.length);
      const name = Buffer.from(sha).toString('hex');
      const path = join(blobs, name.slice(0, 2), name);
      // What is missing was missing in the world: the check of the backup names it.
      if (existsSync(path)) put.run(sha, readFileSync(path));
    }
    database.prepare("INSERT INTO meta(k, v) VALUES ('backup', ?)").run(JSON.stringify(note));
    const all: Parameters<typeof readTips>[0]['all'] = <T>(text: string) =>
      database.prepare(text).all() as T[];
    const positions = readTips({ all });
    database.exec('COMMIT');
    return positions;
  } finally {
    database.close();
  }
}

async function sync(path: string): Promise<void> {
  // Windows opens no folders, and needs this for none.
  if (process.platform === 'win32' && (await stat(path)).isDirectory()) return;
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
