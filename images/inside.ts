// A path of the image's as one of this machine's, below the folder that is to be its root. A link on the way is read as the
// image would read it: it leads nowhere else.
import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LINKS_MAX } from './limits.ts';

/** `path` is absolute in the image. Nothing of it has to be there. */
export function inside(root: string, path: string): string {
  const names = namesInside(path, at => {
    const there = join(root, ...at);
    return lstatSync(there, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(there)
      : null;
  });
  return join(root, ...names);
}

/** What `path` leads to, by its names below the root; `linkAt` has what a link there says, null where none is. */
export function namesInside(
  path: string,
  linkAt: (names: readonly string[]) => string | null,
): readonly string[] {
  const left = path.split('/');
  let at: string[] = [];
  for (let links = 0; left.length > 0; ) {
    const name = left.shift()!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at.pop();
      continue;
    }
    const target = linkAt([...at, name]);
    if (target === null) {
      at.push(name);
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) throw new Error(`${path} leads through more than ${LINKS_MAX} links`);
    if (target.startsWith('/')) at = [];
    left.unshift(...target.split('/'));
  }
  return at;
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
