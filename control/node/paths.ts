// Where a world keeps what on this machine, all under `.wrld` of its folder.
import { join } from 'node:path';

export type WorldPaths = {
  readonly folder: string;
  readonly home: string;
  readonly config: string;
  readonly database: string;
  /** Bytes that are too large for the database. */
  readonly blobs: string;
  /** A folder for each branch, by its name without the org. */
  readonly branches: string;
  readonly store: string;
  /** What the world knows of its store outside of it. */
  readonly marks: string;
  /** What the user keeps of it. */
  readonly backups: string;
  /** Stores that another took the place of. */
  readonly setAside: string;
  /** What a restore is making, until it takes its place. */
  readonly restoring: string;
  /** Of a world that moved here, how that ended. */
  readonly arrived: string;
  /** A file for each browser profile. */
  readonly browsers: string;
  readonly tokens: string;
  readonly authority: string;
  /** The host's own key for credentials, where neither a vault nor SEALING_KEY seals them. */
  readonly sealKey: string;
  readonly run: string;
  readonly lock: string;
  /** Who holds the lock; for the message that a second control gives. */
  readonly holder: string;
  readonly up: string;
  readonly status: string;
  readonly proxy: string;
  readonly proxyLog: string;
  /** What the proxy says where it has no log: of a start that fails, and of its end. */
  readonly proxyOutput: string;
  /** Names the folder of the sockets, where that is not `run` (sockets.ts). */
  readonly socketsNote: string;
};

/**
 * `folder` is absolute and real: two names of one folder must give one set of files. `home`: where the world keeps what is
 * its own; its config, its modules and its handlers stay in the folder.
 */
export function worldPaths(folder: string, home: string = join(folder, '.wrld')): WorldPaths {
  const run = join(home, 'run');
  const store = join(home, 'world');
  return {
    folder,
    home,
    config: join(folder, '.wrld', 'world.json'),
    store,
    browsers: join(home, 'browsers'),
    marks: join(store, 'marks.json'),
    backups: join(home, 'backups'),
    setAside: join(home, 'set-aside'),
    restoring: join(home, 'restoring'),
    arrived: join(home, 'arrived.json'),
    database: join(store, 'world.db'),
    blobs: join(store, 'blobs'),
    branches: join(home, 'branches'),
    tokens: join(home, 'token'),
    authority: join(home, 'ca'),
    sealKey: join(home, 'seal.key'),
    run,
    lock: join(run, 'lock.db'),
    holder: join(run, 'control.pid'),
    up: join(run, 'up.json'),
    status: join(run, 'status.json'),
    proxy: join(run, 'proxy.json'),
    proxyLog: join(run, 'proxy.log'),
    proxyOutput: join(run, 'proxy-output.log'),
    socketsNote: join(run, 'sockets'),
  };
}
