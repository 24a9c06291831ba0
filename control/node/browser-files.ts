// The browser profiles of a world as files, `<name>.json` (2.5): a person may read and edit them.
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserStore } from '../ports/browsers.ts';
import { privateFolder, readIfThere, writeWhole } from './files.ts';

const SUFFIX = '.json';
/** Of a name that no browser has. */
const NOTES = `.notes${SUFFIX}`;

/** `folder` is made with the first profile. Names are judged before they come here. */
export function openBrowserFiles(folder: string): BrowserStore {
  const file = (name: string): string => join(folder, `${name}${SUFFIX}`);
  return {
    names: async () =>
      (await filesIn(folder))
        .filter(name => name.endsWith(SUFFIX) && name !== NOTES)
        .map(name => name.slice(0, -SUFFIX.length)),
    read: name => readIfThere(file(name)),
    write: async (name, text) => {
      await privateFolder(folder);
      await writeWhole(file(name), text);
    },
    remove: async name => {
      if ((await readIfThere(file(name))) === null) return false;
      await rm(file(name), { force: true });
      return true;
    },
    notes: () => readIfThere(join(folder, NOTES)),
    keepNotes: async text => {
      await privateFolder(folder);
      await writeWhole(join(folder, NOTES), text);
    },
  };
}

/** A branch has the browsers that its parent has when it is made. */
export async function inheritBrowsers(from: string, to: string): Promise<void> {
  for (const name of await filesIn(from)) {
    if (!name.endsWith(SUFFIX)) continue;
    await mkdir(to, { recursive: true, mode: 0o700 });
    await cp(join(from, name), join(to, name));
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
