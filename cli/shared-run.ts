// A world that one `wrld world run` started and others use beside it. Each of those notes itself in a folder; the one that
// started it takes the folder away when its own command has ended, and puts it back while somebody is noted there. Who
// finds no folder comes too late.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorldPaths } from '../control/node/paths.ts';
import { isAlive } from '../process/alive.ts';
import { SHARED_LOOK_MS } from './limits.ts';

type Place = Pick<WorldPaths, 'run'>;

const folderOf = ({ run }: Place): string => join(run, 'sharing');

export type SharedRun = {
  /** Resolves when nobody else uses the world; from then on nobody can. `tell`: how many it waits for. */
  gone(how: { readonly tell: (count: number) => void; readonly calledOff: () => boolean }): Promise<void>;
};

/** By who started the world, and holds its lock. */
export async function shareRun(place: Place): Promise<SharedRun> {
  const folder = folderOf(place);
  const away = `${folder}.away`;
  for (const old of [folder, away]) await rm(old, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return {
    gone: async ({ tell, calledOff }) => {
      for (let told = false; ; ) {
        await rename(folder, away);
        const users = (await readdir(away)).filter(name => isAlive(Number(name)));
        if (users.length === 0 || calledOff()) {
          await rm(away, { recursive: true, force: true });
          return;
        }
        await rename(away, folder);
        if (!told) tell(users.length);
        told = true;
        // What another process does can only be looked for.
        await new Promise(resolve => setTimeout(resolve, SHARED_LOOK_MS));
      }
    },
  };
}

/** Null for a world that is ending. Somebody who comes in the moment of a look tries again. */
export async function joinRun(place: Place): Promise<AsyncDisposable | null> {
  const note = join(folderOf(place), String(process.pid));
  for (let tries = 0; ; tries += 1) {
    try {
      await writeFile(note, '');
      return { [Symbol.asyncDispose]: () => rm(note, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (tries === 1) return null;
      await new Promise(resolve => setTimeout(resolve, SHARED_LOOK_MS));
    }
  }
}
