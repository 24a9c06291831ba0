// Where a world keeps what on this machine, all under `.wrld` of its folder.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOCKET_PATH_BYTES_MAX } from './limits.ts';

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
  /** A file for each browser profile. */
  readonly browsers: string;
  readonly tokens: string;
  readonly authority: string;
  readonly run: string;
  readonly lock: string;
  /** Who holds the lock; for the message that a second control gives. */
  readonly holder: string;
  readonly up: string;
  readonly status: string;
  readonly proxy: string;
  readonly proxyLog: string;
  /** Where the sockets are: `run`, or a folder of the system's temporary one when that would be too long. */
  readonly sockets: string;
  readonly ipcSocket: string;
  readonly twinsSocket: string;
};

/** `folder` is absolute and real: two names of one folder must give one set of sockets. */
export function worldPaths(folder: string): WorldPaths {
  const home = join(folder, '.wrld');
  const run = join(home, 'run');
  const store = join(home, 'world');
  const sockets = socketsFolder(folder, run);
  return {
    folder,
    home,
    config: join(home, 'world.json'),
    store,
    browsers: join(home, 'browsers'),
    marks: join(store, 'marks.json'),
    backups: join(home, 'backups'),
    setAside: join(home, 'set-aside'),
    restoring: join(home, 'restoring'),
    database: join(store, 'world.db'),
    blobs: join(store, 'blobs'),
    branches: join(home, 'branches'),
    tokens: join(home, 'token'),
    authority: join(home, 'ca'),
    run,
    lock: join(run, 'lock.db'),
    holder: join(run, 'control.pid'),
    up: join(run, 'up.json'),
    status: join(run, 'status.json'),
    proxy: join(run, 'proxy.json'),
    proxyLog: join(run, 'proxy.log'),
    sockets,
    ipcSocket: join(sockets, 'ipc.sock'),
    twinsSocket: join(sockets, 'twins.sock'),
  };
}

function socketsFolder(folder: string, run: string): string {
  if (Buffer.byteLength(join(run, 'twins.sock')) <= SOCKET_PATH_BYTES_MAX) return run;
  // By the folder and nothing else, so that a proxy that outlives control finds the next one at the same place.
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `wrld-${process.getuid?.() ?? 0}-${name}`);
}
