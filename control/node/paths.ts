// Where a world keeps what on this machine, all under `.wrld` of its folder.
import { join, sep } from 'node:path';

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
  // By hand: `join` reads all of a path anew, and a host makes those of thousands of worlds at its start.
  const at = (of: string, name: string): string => `${of}${sep}${name}`;
  const run = at(home, 'run');
  const store = at(home, 'world');
  return {
    folder,
    home,
    config: at(at(folder, '.wrld'), 'world.json'),
    store,
    browsers: at(home, 'browsers'),
    marks: at(store, 'marks.json'),
    backups: at(home, 'backups'),
    setAside: at(home, 'set-aside'),
    restoring: at(home, 'restoring'),
    arrived: at(home, 'arrived.json'),
    database: at(store, 'world.db'),
    blobs: at(store, 'blobs'),
    branches: at(home, 'branches'),
    tokens: at(home, 'token'),
    authority: at(home, 'ca'),
    sealKey: at(home, 'seal.key'),
    run,
    lock: at(run, 'lock.db'),
    holder: at(run, 'control.pid'),
    up: at(run, 'up.json'),
    status: at(run, 'status.json'),
    proxy: at(run, 'proxy.json'),
    proxyLog: at(run, 'proxy.log'),
    proxyOutput: at(run, 'proxy-output.log'),
    socketsNote: at(run, 'sockets'),
  };
}
