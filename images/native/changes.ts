// What a program changed of an image's files, as the layer over them has it, changed in a folder that has them too.
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';

export type ChangedFolder = {
  /** What was written in it. */
  readonly upper: string;
  /** All of it, as the program saw it. */
  readonly merged: string;
  /** Its like, in the folder that is to have the changes; it need not be there. */
  readonly into: string;
  /** Its path in the image. */
  readonly at: string;
};

export type WhichChanges = {
  /** `what`: as `writtenAs` says it. */
  readonly isNew: (path: string, what: string) => boolean;
  /** Paths of the image's that are nobody's to keep. */
  readonly apart: readonly string[];
};

/** Other than it was before, where it was written since. */
export function writtenAs(stat: Stats): string {
  return stat.isDirectory() ? 'folder' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

/** Nothing is written to a file that is there: another folder may have it too. */
export function saveChanges(folder: ChangedFolder, which: WhichChanges): void {
  saveFolder(folder, which, () => mkdirSync(folder.into, { recursive: true }));
}

/** `make`: makes `into`, before anything comes into it. */
function saveFolder({ upper, merged, into, at }: ChangedFolder, which: WhichChanges, make: () => void): void {
  const isApart = (path: string): boolean =>
    which.apart.some(each => path === each || path.startsWith(`${each}/`));
  if (statOf(into)?.isDirectory())
    for (const name of readdirSync(into))
      if (!isApart(join(at, name)) && statOf(join(merged, name)) === undefined)
        rmSync(join(into, name), { recursive: true, force: true });
  for (const name of readdirSync(upper)) {
    const path = join(at, name);
    const [from, to] = [join(upper, name), join(into, name)];
    const stat = statOf(from);
    if (stat === undefined || isApart(path)) continue;
    const isNew = which.isNew(path, writtenAs(stat));
    if (stat.isDirectory()) {
      const makeIt = (): void => {
        make();
        if (statOf(to)?.isDirectory()) return;
        rmSync(to, { force: true });
        mkdirSync(to, { mode: 0o755 });
      };
      if (isNew) makeIt();
      saveFolder({ upper: from, merged: join(merged, name), into: to, at: path }, which, makeIt);
      // Its own mode last: one that lets nobody write in it is one of them.
      if (isNew) chmodSync(to, (stat.mode & 0o1777) | 0o700);
    } else if (isNew && (stat.isFile() || stat.isSymbolicLink())) {
      make();
      rmSync(to, { recursive: true, force: true });
      saveFile(from, to, stat);
    }
  }
}

function saveFile(from: string, to: string, stat: Stats): void {
  if (stat.isSymbolicLink()) return symlinkSync(readlinkSync(from), to);
  copyFileSync(from, to);
  // Who runs it is who keeps it, and reads it.
  chmodSync(to, (stat.mode & 0o777) | 0o400);
  utimesSync(to, stat.atimeMs / 1_000, stat.mtimeMs / 1_000);
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
