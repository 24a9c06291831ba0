// What a host keeps in its directory beside the worlds, all under `.wrld-host`, and that it alone has the directory.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Authority, loadAuthority } from '../../../certs/authority.ts';
import { ControlError } from '../control-error.ts';
import { privateFolder } from '../files.ts';
import { takeLock } from '../lock.ts';

export const HOST_FOLDER = '.wrld-host';

export type HostHome = {
  /** Absolute and real. */
  readonly directory: string;
  readonly adminToken: string;
  /** Of the host, which nobody else looks into. */
  readonly folder: string;
  readonly authority: Authority;
};

/** The notes of closed worlds (wake-notes.ts): of all, or of those of one shard of so many. */
export function wakesFile(folder: string, shard = 0, of = 1): string {
  return join(folder, of === 1 ? 'wakes.db' : `wakes-${shard}-of-${of}.db`);
}

/** Of worlds that move here, until they are whole. */
export function arrivingFolder(folder: string): string {
  return join(folder, 'arriving');
}

const ORG_ENDS = '--';

/** A new one in `arriving`, by which a later host knows whose it was: no part of a name has two hyphens. */
export function arrivalFolder(arriving: string, name: string): string {
  return join(arriving, `${name.replace('/', ORG_ENDS)}.${randomUUID()}`);
}

/** Removes what an earlier host had not whole; answers the names of those worlds. */
export async function dropArrivals(folder: string): Promise<readonly string[]> {
  const arriving = arrivingFolder(folder);
  if (!existsSync(arriving)) return [];
  const left = await readdir(arriving);
  await rm(arriving, { recursive: true, force: true });
  return left.map(each => each.replace(/\.[^.]*$/, '').replace(ORG_ENDS, '/'));
}

/** The certificate authority of a host, made at its first start. Throws `ControlError`. */
export async function hostAuthority(folder: string): Promise<Authority> {
  const authority = await loadAuthority(join(folder, 'ca'));
  if (!authority.ok) throw new ControlError('authority-unusable', authority.why);
  return authority.authority;
}

/** Throws `ControlError`. */
export async function openHostHome(given: string, opened: AsyncDisposableStack): Promise<HostHome> {
  await mkdir(given, { recursive: true, mode: 0o700 });
  const directory = await realpath(given);
  const home = join(directory, HOST_FOLDER);
  await privateFolder(home);
  const lock = await takeLock(join(home, 'lock.db'), join(home, 'host.pid'));
  if (!lock.ok) {
    const who = lock.pid === null ? 'another process' : `process ${lock.pid}`;
    throw new ControlError(
      'already-running',
      `${directory} has a host already, ${who}; stop that one first, or use another directory`,
      lock.pid,
    );
  }
  opened.defer(lock.release);
  return {
    directory,
    adminToken: join(home, 'admin-token'),
    folder: home,
    authority: await hostAuthority(home),
  };
}

/** Notes of other numbers of shards than there are now: each world is looked into once instead. */
export async function dropOtherWakes(folder: string, of: number): Promise<void> {
  const ours = new Set(Array.from({ length: of }, (_, shard) => basename(wakesFile(folder, shard, of))));
  for (const name of await readdir(folder)) {
    const file = /^wakes(?:-\d+-of-\d+)?\.db(?=$|-)/.exec(name)?.[0];
    if (file !== undefined && !ours.has(file)) await rm(join(folder, name), { force: true });
  }
}
