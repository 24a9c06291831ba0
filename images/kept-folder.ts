// Folders that take long to make and are the same each time: made once, under a name that says what is in them, and there only
// when they are whole. What nobody has used for long goes.
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../policy/json-text.ts';
import { KEPT_FOLDER_DAYS, PLACE_TRIES_MAX } from './limits.ts';

const RECORD = 'kept.json';
const ROOT = 'root';
const DAY_MS = 86_400_000;

export type KeptFolders = {
  /** Where they are; absolute, made where it is not there. */
  readonly cache: string;
  /** Of how they are made: what an earlier release left is made anew. */
  readonly version: number;
};

/** Absolute; null where it is to be made. One that is found counts as used. */
export function foundFolder(id: string, folders: KeptFolders): string | null {
  const home = join(folders.cache, id);
  if (!isWhole(home, id, folders)) return null;
  const now = new Date();
  utimesSync(join(home, RECORD), now, now);
  return join(home, ROOT);
}

/** `fill` gets an empty folder, which is nobody else's. Throws what `fill` throws, and nothing of it is left. */
export async function madeFolder(
  id: string,
  folders: KeptFolders,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const { cache, version } = folders;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await removeOld(cache);
  const aside = join(cache, `aside-${process.pid}-${randomBytes(8).toString('hex')}`);
  try {
    await mkdir(join(aside, ROOT), { recursive: true, mode: 0o755 });
    await fill(join(aside, ROOT));
    await writeFile(join(aside, RECORD), JSON.stringify({ version, id }));
    await place(aside, id, folders);
    return join(cache, id, ROOT);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** It is made anew by the next who asks. Who runs on it has it until it is old. */
export async function setAside(id: string, { cache }: KeptFolders): Promise<void> {
  await rename(join(cache, id), join(cache, `${id}-${randomBytes(8).toString('hex')}`)).catch(() => {});
}

/** Others may be at the same: whoever comes second finds it there. */
async function place(aside: string, id: string, folders: KeptFolders): Promise<void> {
  const home = join(folders.cache, id);
  for (let tries = 0; ; tries++) {
    try {
      return await rename(aside, home);
    } catch (error) {
      if (isWhole(home, id, folders)) return;
      if (tries === PLACE_TRIES_MAX) throw error;
    }
    // What is there and is not whole was left by somebody who did not come to an end with it. It goes by another name at
    // once; what another run put in its place just before comes back.
    const left = `${aside}-left-${tries}`;
    await rename(home, left).catch(() => {});
    if (isWhole(left, id, folders)) await rename(left, home).catch(() => {});
    await rm(left, { recursive: true, force: true });
  }
}

function isWhole(home: string, id: string, { version }: KeptFolders): boolean {
  try {
    const read = parseJson(readFileSync(join(home, RECORD)));
    const record = read.ok ? (read.value as { readonly [name: string]: unknown } | null) : null;
    return (
      record?.['version'] === version && record['id'] === id && lstatSync(join(home, ROOT)).isDirectory()
    );
  } catch {
    return false;
  }
}

/** What somebody began who has ended since, and what nobody has used for long. */
async function removeOld(cache: string): Promise<void> {
  const old = Date.now() - KEPT_FOLDER_DAYS * DAY_MS;
  for (const name of await readdir(cache)) {
    const [, pid] = /^aside-(\d+)-/.exec(name) ?? [];
    const used = statSync(join(cache, name, RECORD), { throwIfNoEntry: false })?.mtimeMs;
    if (pid === undefined ? used !== undefined && used < old : !isAlive(Number(pid)))
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
