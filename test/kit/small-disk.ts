// A disk of a few megabytes under a world's `.wrld`, in a mount namespace of the process that uses it: for what happens
// when a disk is full or read-only. Nothing of it is seen outside, and it is gone with the process.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount'] as const;

/** Why a test cannot have one here; false where it can. */
export function noSmallDisk(): string | false {
  const [unshare, ...flags] = UNSHARE;
  const tried = spawnSync(unshare, [...flags, 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return tried.status === 0
    ? false
    : 'this machine lets no process mount a disk of its own (unshare --user --mount)';
}

export type SmallDisk = {
  readonly kib: number;
  /** The config that is there. */
  readonly config: object;
  readonly readOnly?: boolean;
};

/** `words`, to be run in `folder`, with `.wrld` on such a disk. */
export function onSmallDisk(words: readonly string[], { kib, config, readOnly }: SmallDisk): string[] {
  const script = [
    'set -e',
    'mkdir -p .wrld',
    `mount -t tmpfs -o size=${kib}k,mode=700 tmpfs .wrld`,
    'printf %s "$1" > .wrld/world.json',
    ...(readOnly === true ? ['mount -o remount,ro .wrld'] : []),
    'shift',
    'exec "$@"',
  ];
  return [...UNSHARE, 'sh', '-c', script.join('\n'), 'sh', JSON.stringify(config), ...words];
}

/** Takes all that is left of the disk of the process `pid`. Disposed of, it gives that back. */
export function fillDisk(pid: number, folder: string): Disposable {
  const place = join('/proc', String(pid), 'root', folder, '.wrld', 'filled');
  mkdirSync(place);
  const descriptor = openSync(join(place, 'file'), 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (let size = block.length; size >= 1; ) {
      try {
        writeSync(descriptor, block, 0, size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
  return { [Symbol.dispose]: () => rmSync(place, { recursive: true }) };
}
