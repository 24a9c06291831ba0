// A path of the image's as one of this machine's, below the folder that is to be its root. A link on the way is read as the
// image would read it: it leads nowhere else.
import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LINKS_MAX } from '../limits.ts';

/** `path` is absolute in the image. Nothing of it has to be there. */
export function inside(root: string, path: string): string {
  const left = path.split('/');
  let at: string[] = [];
  for (let links = 0; left.length > 0; ) {
    const name = left.shift()!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at.pop();
      continue;
    }
    const next = join(root, ...at, name);
    if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
      at.push(name);
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) throw new Error(`${path} leads through more than ${LINKS_MAX} links`);
    const target = readlinkSync(next);
    if (target.startsWith('/')) at = [];
    left.unshift(...target.split('/'));
  }
  return join(root, ...at);
}

/** Resolves with where it is; made where it is not there. */
export function folderInside(root: string, path: string): string {
  const real = inside(root, path);
  mkdirSync(real, { recursive: true });
  return real;
}

/** An empty file, for another to lie over. */
export function fileInside(root: string, path: string): string {
  const real = inside(root, path);
  mkdirSync(dirname(real), { recursive: true });
  if (lstatSync(real, { throwIfNoEntry: false }) === undefined) writeFileSync(real, '');
  return real;
}
