// What is done to the store of a world that is not up: under the same lock as a start, so that neither meets the other.
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Secret } from '../world/access/secret.ts';
import { openTokens, type Tokens } from '../world/access/token.ts';
import { migrate, SCHEMA_VERSION } from '../world/store/schema.ts';
import { readTips, type Tips } from '../world/store/tips.ts';
import { ControlError } from './control-error.ts';
import { digest } from './digest.ts';
import { openEntropy } from './entropy.ts';
import { privateFolder, readIfThere } from './files.ts';
import { takeLock } from './lock.ts';
import { writeMarks } from './marks.ts';
import type { WorldPaths } from './paths.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import { storeName } from './store-guard.ts';
import { nameStore } from './store-keeper.ts';
import { wallClock } from './wall-clock.ts';

/** Throws `ControlError` when the world is up. */
export async function lockStopped(paths: WorldPaths): Promise<AsyncDisposable> {
  await privateFolder(paths.run);
  const lock = await takeLock(paths.lock, paths.holder);
  if (lock.ok) return { [Symbol.asyncDispose]: lock.release };
  const who = lock.pid === null ? '' : ` (process ${lock.pid})`;
  throw new ControlError(
    'already-running',
    `the world is up${who}. Stop it first: wrld world down`,
    lock.pid,
  );
}

/** A new folder for what leaves its place. */
export async function asideFolder(paths: WorldPaths): Promise<string> {
  const aside = join(paths.setAside, new Date(wallClock.now()).toISOString().replace(/[:.]/g, '-'));
  await mkdir(aside, { recursive: true, mode: 0o700 });
  return aside;
}

/** Moves the store, and its branches, to where nothing looks for them; null when there is none. */
export async function setAside(paths: WorldPaths): Promise<string | null> {
  const there = [paths.store, paths.branches].filter(path => existsSync(path));
  if (there.length === 0) return null;
  const aside = await asideFolder(paths);
  for (const path of there) await rename(path, join(aside, path === paths.store ? 'world' : 'branches'));
  return aside;
}

/** Opens a store at this program's schema; its file and its marks are as `work` leaves it. */
export async function changeStore<T>(
  { database, marks }: { readonly database: string; readonly marks: string },
  work: (sql: SqliteFile) => T | Promise<T>,
): Promise<T> {
  await mkdir(dirname(database), { recursive: true, mode: 0o700 });
  using sql = openSqlite(database);
  migrate(sql);
  const store = storeName(sql) || nameStore(sql);
  const mark = (positions: Tips): Promise<void> =>
    writeMarks(marks, {
      store,
      at: new Date(wallClock.now()).toISOString(),
      schema: SCHEMA_VERSION,
      positions,
    });
  // It may have less afterwards, and this process may end in between.
  await mark({});
  const result = await work(sql);
  sql.checkpoint();
  await mark(readTips(sql));
  return result;
}

/** The tokens that people have, where the store that knew them is not there to say so. */
export type HeldTokens = { readonly write: Secret; readonly read: Secret } | null;

export async function heldTokens(paths: Pick<WorldPaths, 'tokens'>): Promise<HeldTokens> {
  const lines = ((await readIfThere(paths.tokens)) ?? '').split('\n').map(line => line.trim());
  const [write = '', read = ''] = lines;
  return write === '' || read === '' ? null : { write: new Secret(write), read: new Secret(read) };
}

/** Whoever has them gets in again. A store that has tokens keeps its own. */
export function letIn(sql: SqliteFile, held: HeldTokens): void {
  const tokens: Tokens = openTokens({ sql, entropy: openEntropy(), digest });
  if (held !== null && !tokens.issued()) tokens.restore(held);
}
