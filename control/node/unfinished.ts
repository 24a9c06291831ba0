// Files that somebody was writing when the process was killed. What is written whole (files.ts) lies beside its place under a
// name of its own until it takes it; of a world that is killed a thousand times, hundreds would stay.
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../process/alive.ts';

const UNFINISHED = /\.(\d{1,10})\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-journal|-wal|-shm)?$/;

/** Where the bytes lie that is to become the file at `path`. */
export function unfinishedName(path: string): string {
  return `${path}.${process.pid}.${randomUUID()}`;
}

export const isUnfinished = (name: string): boolean => UNFINISHED.test(name);

/** Removes what processes that are no more were writing in `folders` (not below them). One that is not there has none. */
export async function removeUnfinished(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const pid = UNFINISHED.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
    }
  }
}
