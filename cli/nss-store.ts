// The store of certificates that Chromium and other programs of NSS read in the user's home, with the world's authority in
// it: a copy, which a contained run sees in its place.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NSS_MS_MAX } from './limits.ts';

export type NssStore = {
  /** The copy. */
  readonly folder: string;
  /** The user's own. */
  readonly over: string;
};

/** `set`: the folder of a run's trust. Null where the user has no such store, or no `certutil` to write one. */
export async function nssStore(
  set: string,
  caFile: string,
  home: string | undefined,
): Promise<NssStore | null> {
  if (home === undefined) return null;
  const over = join(home, '.pki', 'nssdb');
  const store = { folder: join(set, 'nssdb'), over };
  if (!(await isThere(join(over, 'cert9.db')))) return null;
  if (await isThere(store.folder)) return store;
  const beside = `${store.folder}.${randomUUID()}`;
  try {
    await cp(over, beside, { recursive: true });
    const add = ['-A', '-d', `sql:${beside}`, '-n', 'wrld', '-t', 'C,,', '-i', caFile];
    await promisify(execFile)('certutil', add, { timeout: NSS_MS_MAX });
    await rename(beside, store.folder);
    return store;
  } catch {
    // Without it the browser trusts what it trusted, and its TLS to the world fails.
    await rm(beside, { recursive: true, force: true });
    return (await isThere(store.folder)) ? store : null;
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
