// What a host keeps in its directory beside the worlds, all under `.wrld-host`, and that it alone has the directory.
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Authority, loadAuthority } from '../../../certs/authority.ts';
import { ControlError } from '../control-error.ts';
import { privateFolder } from '../files.ts';
import { takeLock } from '../lock.ts';

export const HOST_FOLDER = '.wrld-host';

export type HostHome = {
  /** Absolute and real. */
  readonly directory: string;
  readonly adminToken: string;
  readonly wakes: string;
  readonly authority: Authority;
};

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
  const authority = await loadAuthority(join(home, 'ca'));
  if (!authority.ok) throw new ControlError('authority-unusable', authority.why);
  return {
    directory,
    adminToken: join(home, 'admin-token'),
    wakes: join(home, 'wakes.db'),
    authority: authority.authority,
  };
}
