// What an instruction that copies gives an image: each file, folder and link by its path there, with a digest of them all; and
// how they come into the folder that is to be the image's root.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { folderInside } from '../inside.ts';
import { CONTEXT_ENTRIES_MAX } from '../limits.ts';
import type { CopiedFiles } from '../makes.ts';
import { type Context, placesOfCopy } from '../native/copies.ts';
import { ignoredIn } from '../native/ignored.ts';
import { type Note, type Place, Unreadable } from '../note.ts';

/** Read of a file at once. */
const PART_BYTES = 1024 * 1024;

type NamedFile = {
  /** Absolute, in the image. */
  readonly at: string;
  readonly mode: number;
} & (
  | { readonly kind: 'folder' }
  /** `from` is absolute, on this machine. */
  | { readonly kind: 'file'; readonly from: string }
  | { readonly kind: 'link'; readonly target: string }
);

export type NamedFiles = {
  /** Where they are on this machine; absolute and real. */
  readonly sources: readonly string[];
  readonly files: readonly NamedFile[];
  /** What is the same has the same. */
  readonly digest: string;
  readonly place: Place;
  readonly notes: readonly Note[];
};

/** @throws Unreadable */
export async function namedFiles(
  copy: CopiedFiles,
  context: Context & { readonly hidden: readonly string[] },
): Promise<NamedFiles> {
  const notes: Note[] = [];
  const found = new Found(copy, context.hidden);
  const places = placesOfCopy(copy, context, notes);
  for (const { from, at, isFolder } of places) {
    const without = isFolder && copy.from === null ? ignoredIn(from, context, false) : [];
    if (isFolder) found.folder(from, at, new Set(without.map(path => join(from, path))));
    else found.file(from, at);
  }
  const { files } = found;
  return {
    sources: places.map(({ from }) => from),
    ...{ files, digest: await digestOf(files), place: copy.place, notes: [...notes, ...found.notes] },
  };
}

class Found {
  readonly files: NamedFile[] = [];
  readonly notes: Note[] = [];
  readonly #copy: CopiedFiles;
  readonly #hidden: readonly string[];

  /** `hidden`: absolute, and in no image. */
  constructor(copy: CopiedFiles, hidden: readonly string[]) {
    this.#copy = copy;
    this.#hidden = hidden;
  }

  folder(from: string, at: string, without: ReadonlySet<string>): void {
    if (this.#isHidden(from)) return;
    this.#add({ kind: 'folder', at, mode: lstatSync(from).mode & 0o1777 });
    for (const name of readdirSync(from, { encoding: 'buffer' })) {
      const text = name.toString();
      if (!Buffer.from(text).equals(name)) {
        this.notes.push({ ...this.#copy.place, what: `a name that is no UTF-8 is left out: ${text}` });
        continue;
      }
      const path = join(from, text);
      if (without.has(path)) continue;
      const there = lstatSync(path, { throwIfNoEntry: false });
      if (there?.isDirectory()) this.folder(path, join(at, text), without);
      else if (there?.isSymbolicLink())
        this.#add({ kind: 'link', at: join(at, text), mode: 0o777, target: readlinkSync(path) });
      else if (there?.isFile()) this.file(path, join(at, text));
    }
  }

  file(from: string, at: string): void {
    if (this.#isHidden(from)) return;
    this.#add({ kind: 'file', at, from, mode: lstatSync(from).mode & 0o777 });
  }

  #isHidden(path: string): boolean {
    return this.#hidden.some(each => path === each || path.startsWith(`${each}/`));
  }

  #add(file: NamedFile): void {
    this.files.push(file);
    if (this.files.length > CONTEXT_ENTRIES_MAX)
      throw new Unreadable(this.#copy.place, `it copies more than ${CONTEXT_ENTRIES_MAX} files and folders`);
  }
}

async function digestOf(files: readonly NamedFile[]): Promise<string> {
  const whole = createHash('sha256');
  for (const file of files.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    const { kind, at, mode } = file;
    const what = kind === 'file' ? await digestOfFile(file.from) : kind === 'link' ? file.target : '';
    whole.update(`${JSON.stringify([kind, at, mode, what])}\n`);
  }
  return whole.digest('hex');
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const part = Buffer.allocUnsafe(PART_BYTES);
  await using file = await open(path);
  for (let read = await file.read(part); read.bytesRead > 0; read = await file.read(part))
    hash.update(part.subarray(0, read.bytesRead));
  return hash.digest('hex');
}

/** Files that are there under the same path are replaced, never written to: another folder has them too. */
export function putFiles(files: readonly NamedFile[], root: string): void {
  for (const file of files) {
    if (file.kind === 'folder') {
      const folder = folderInside(root, file.at);
      if (file.at !== '/') chmodSync(folder, file.mode | 0o700);
      continue;
    }
    const path = join(folderInside(root, dirname(file.at)), basename(file.at));
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new Error(`${file.at} is a folder already, where a file is copied to`);
    rmSync(path, { force: true });
    if (file.kind === 'link') symlinkSync(file.target, path);
    else {
      copyFileSync(file.from, path, constants.COPYFILE_FICLONE);
      chmodSync(path, file.mode | 0o400);
    }
  }
}

/** Of folders that an image begins with. */
export function putFolders(paths: readonly string[], root: string): void {
  for (const path of paths) mkdirSync(join(root, path), { recursive: true });
}
