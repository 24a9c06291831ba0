// A world's folder as this process holds it: read, locked against a second control, with the folders of its run made.
import { mkdir, realpath } from 'node:fs/promises';
import { type Authority, loadAuthority } from '../../certs/authority.ts';
import { type LoadedConfig, loadConfig } from './config-file.ts';
import { ControlError } from './control-error.ts';
import { privateFolder } from './files.ts';
import { takeLock } from './lock.ts';
import type { ServeOptions } from './options.ts';
import { type WorldPaths, worldPaths } from './paths.ts';
import { openSockets, type Sockets } from './sockets.ts';
import { removeUnfinished } from './unfinished.ts';

export type Home = {
  readonly paths: WorldPaths;
  readonly loaded: LoadedConfig;
  readonly sockets: Sockets;
  readonly authority: Authority;
};

/** Throws `ControlError`; of a folder without a config nothing is touched. */
export async function openHome(
  { folder, home }: Pick<ServeOptions, 'folder' | 'home'>,
  opened: AsyncDisposableStack,
): Promise<Home> {
  const { paths, loaded } = await takeHome({ folder, ...(home === undefined ? {} : { home }) }, opened);
  const sockets = await openSockets(paths, opened);
  const authority = await loadAuthority(paths.authority);
  if (!authority.ok) throw new ControlError('authority-unusable', authority.why);
  return { paths, loaded, sockets, authority: authority.authority };
}

/** Read and locked, without what a world has that listens for itself. */
export async function takeHome(
  { folder, home }: Pick<ServeOptions, 'folder' | 'home'>,
  opened: AsyncDisposableStack,
): Promise<Pick<Home, 'paths' | 'loaded'>> {
  const paths = worldPaths(await realpath(folder), home);
  const config = await loadConfig(paths.config);
  if (!config.ok) throw new ControlError(config.fault.code, config.fault.text);
  await makeFolders(paths);
  await lockWorld(paths, opened);
  await removeUnfinished([paths.home, paths.run, paths.browsers, paths.backups]);
  return { paths, loaded: config.loaded };
}

async function makeFolders(paths: WorldPaths): Promise<void> {
  await mkdir(paths.store, { recursive: true, mode: 0o700 });
  await privateFolder(paths.run);
}

async function lockWorld(paths: WorldPaths, opened: AsyncDisposableStack): Promise<void> {
  const lock = await takeLock(paths.lock, paths.holder);
  if (!lock.ok) {
    const who = lock.pid === null ? 'another process' : `process ${lock.pid}`;
    throw new ControlError(
      'already-running',
      `this world is up already, in ${who}; stop that one first`,
      lock.pid,
    );
  }
  opened.defer(lock.release);
}
