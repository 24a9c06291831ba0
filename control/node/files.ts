// Files of `.wrld` as control writes them: whole or not at all, and open to this user alone.
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ControlError } from './control-error.ts';
import { FILE_BYTES_MAX } from './limits.ts';
import { unfinishedName } from './unfinished.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** A reader sees the old text or the new one. Open to this user alone, unless `mode` says otherwise. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  mode: number = FILE_MODE,
): Promise<void> {
  const beside = unfinishedName(path);
  const file = await open(beside, 'wx', mode);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    // On a full disk too: the half of a file would take the room that is needed.
    await rm(beside, { force: true });
    throw error;
  }
}

/** What it holds, and with `sync` how long it is, is on the disk when this resolves. Nothing where it is not there. */
export async function syncFile(path: string, how: 'sync' | 'datasync'): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return;
  try {
    await file[how]();
  } finally {
    await file.close();
  }
}

/** Null when it is not there. What does not fit in memory (a device, by a link) is read no further than FILE_BYTES_MAX. */
export async function readIfThere(path: string): Promise<string | null> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (let size = FIRST_READ_BYTES; ; size = READ_BYTES) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size);
      if (bytesRead === 0) return Buffer.concat(chunks, bytes).toString('utf8');
      bytes += bytesRead;
      if (bytes > FILE_BYTES_MAX) {
        const mebibytes = FILE_BYTES_MAX / 1024 / 1024;
        throw new ControlError(
          'machine-refuses',
          `${path}: larger than ${mebibytes} MB; is it the file that was meant?`,
        );
      }
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    // What is thrown does not say of which file.
    throw Object.assign(error as Error, { path });
  } finally {
    await file.close();
  }
}

/** Most of what is read so is smaller, and a host reads the files of thousands of worlds: a stream's buffer for each is a lot to hold. */
const FIRST_READ_BYTES = 2_000;
const READ_BYTES: number = 64 * 1024;

/**
 * Makes the folder if it is not there, and closes it to others. Throws when it is a link or somebody else's:
 * under a shared folder such as the system's temporary one, anybody may have made it first.
 */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path, { mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  // A system without user ids (Windows) has no mode bits to judge either.
  if (process.getuid === undefined) return;
  if (!found.isDirectory() || found.uid !== process.getuid())
    throw new ControlError('machine-refuses', `${path} is no folder of this user’s; remove it`);
  if ((found.mode & 0o077) !== 0) await chmod(path, FOLDER_MODE);
}
