// The root folder of a native run on macOS, where nobody but the administrator changes what `/` is: the image's files as copies
// in a folder of the run's own, the mounts as links, and the words that name one of these by its path in the image with the
// path that it has here.
import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inside } from '../inside.ts';
import type { RootPlan } from './messages.ts';

/** A copy that takes no room until either is written to, where the disk has such copies. */
const MODE = constants.COPYFILE_FICLONE;

export function makeMacRoot(folder: string, plan: RootPlan): void {
  mkdirSync(folder);
  for (const { from, at, without } of plan.layers) {
    const apart = new Set([...without.map(path => join(from, path)), ...plan.hidden]);
    const to = inside(folder, at);
    mkdirSync(to, { recursive: true });
    cpSync(from, to, {
      ...{ recursive: true, mode: MODE, verbatimSymlinks: true },
      // A pipe or a socket is nothing that can be copied.
      filter: path => !apart.has(path) && isCopied(path),
    });
  }
  for (const { from, at } of plan.files) {
    const to = inside(folder, at);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to, MODE);
  }
  for (const path of ['/tmp', plan.workingFolder, plan.user.home, ...plan.volumes])
    mkdirSync(inside(folder, path), { recursive: true });
  for (const { from, at } of plan.mounts) {
    const to = inside(folder, at);
    // What the image has there is hidden by a mount.
    if (to === folder) throw new Error('a mount at / cannot be made on macOS');
    rmSync(to, { recursive: true, force: true });
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  }
}

function isCopied(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory() || found.isSymbolicLink());
}

/** Those that name something of the image's by its absolute path, with the path that it has here. */
export function wordsHere(words: readonly string[], folder: string): readonly string[] {
  return words.map(word => {
    if (!word.startsWith('/') || word.includes('\0')) return word;
    const here = join(folder, word);
    return word !== '/' && existsSync(here) ? here : word;
  });
}
