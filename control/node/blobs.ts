// A world's large bytes as files, `<first two hex digits>/<sha-256>`: written beside, synced, then renamed, so
// that a name is there with all of its bytes or not at all.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Blobs } from '../ports/blobs.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const SHA256 = /^[0-9a-f]{64}$/;
/** What is being written. Whatever lies here when the world opens was cut off by a crash. */
const INCOMING = 'incoming';

/** A disk is near: each answers at once. */
export type FileBlobs = {
  readonly [name in keyof Blobs]: (
    ...given: Parameters<Blobs[name]>
  ) => Exclude<ReturnType<Blobs[name]>, Promise<unknown>>;
};

/** Blobs under `folder`, which is made when the first is put. One process at a time writes there. */
export const openBlobs = (folder: string): FileBlobs => {
  const incoming = join(folder, INCOMING);
  rmSync(incoming, { recursive: true, force: true });
  const shelf = (sha256: string): string => {
    // A name becomes a path here, and this is the one place where it does.
    if (!SHA256.test(sha256)) throw new TypeError('A blob is named by the lower-case hex of its SHA-256.');
    return join(folder, sha256.slice(0, 2));
  };
  const file = (sha256: string): string => join(shelf(sha256), sha256);
  return {
    put: (sha256, bytes) => {
      const beside = join(incoming, sha256);
      const on = shelf(sha256);
      for (const made of [incoming, on]) mkdirSync(made, { recursive: true, mode: FOLDER_MODE });
      writeSynced(beside, bytes);
      renameSync(beside, join(on, sha256));
      syncFolder(on);
    },
    get: sha256 => {
      try {
        return readFileSync(file(sha256));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    has: sha256 => existsSync(file(sha256)),
    remove: sha256 => rmSync(file(sha256), { force: true }),
    list: () => namesIn(folder).flatMap(on => (on.length === 2 ? namesIn(join(folder, on)) : [])),
  };
};

const writeSynced = (path: string, bytes: Uint8Array): void => {
  const descriptor = openSync(path, 'w', FILE_MODE);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** A rename is in the folder, and lasts when that does. Windows opens no folders, and needs this for none. */
const syncFolder = (path: string): void => {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};
