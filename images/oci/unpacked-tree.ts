// The files of an image, layer over layer, in a folder of this machine. Nothing is written, changed or taken away out of that
// folder: each link on the way to a path is read as the image would read it, and none is followed by this machine. All of it is
// the one user's who unpacks it; nothing of it is setuid, and no device is made.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { namesInside } from '../inside.ts';
import { UNPACKED_ENTRIES_MAX } from '../limits.ts';
import type { TarEntry } from './tar-heads.ts';
import type { TarSink } from './tar-stream.ts';

/** Of a name in a layer: what is under it is not there any more. */
const TAKEN_OUT = '.wh.';
/** All that the folder had of earlier layers is gone; other names that begin as this one does are for who made the layer. */
const ALL_TAKEN_OUT = '.wh..wh..opq';
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export class UnpackedTree implements TarSink, Disposable {
  readonly #root: Buffer;
  /** What the layer that is read now has, by path; earlier ones are under it. */
  #own = new Set<string>();
  #file: { readonly descriptor: number; readonly entry: TarEntry } | null = null;
  /** Entries of one folder follow one another. */
  #last: { readonly folder: string; readonly names: readonly string[] } | null = null;
  #entries = 0;

  /** `folder` is absolute and empty, and nobody else's. */
  constructor(folder: string) {
    this.#root = Buffer.from(folder);
  }

  beginLayer(): void {
    this.#own = new Set();
  }

  entry(entry: TarEntry): void {
    this.#entries += 1;
    if (this.#entries > UNPACKED_ENTRIES_MAX)
      throw new Error(`the image has more than ${UNPACKED_ENTRIES_MAX} files and folders`);
    // Its root itself, whose mode and owner are the run's own.
    if (entry.path === '') return;
    const names = entry.path.split('/');
    const name = names.pop()!;
    const folder = this.#folderOf(names.join('/'));
    if (name.startsWith(TAKEN_OUT)) return this.#takeOut(folder, name);
    const path = [...folder, name].join('/');
    if (entry.kind === 'special') return;
    this.#make(folder);
    this.#place(path, entry);
    this.#own.add(path);
  }

  bytes(part: Buffer): void {
    if (this.#file === null) return;
    for (let at = 0; at < part.length; ) at += writeSync(this.#file.descriptor, part, at);
  }

  done(): void {
    if (this.#file === null) return;
    const { descriptor, entry } = this.#file;
    // Who unpacks it is who runs it, and reads it.
    fchmodSync(descriptor, (entry.mode & 0o777) | 0o400);
    futimesSync(descriptor, entry.changed, entry.changed);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#file !== null) closeSync(this.#file.descriptor);
    this.#file = null;
  }

  #place(path: string, entry: TarEntry): void {
    const at = this.#at(path);
    const there = lstatSync(at, { throwIfNoEntry: false });
    if (entry.kind === 'folder') {
      if (there?.isDirectory() !== true) {
        if (there !== undefined) this.#remove(path, false);
        mkdirSync(at);
      }
      chmodSync(at, (entry.mode & 0o1777) | 0o700);
      return;
    }
    const linked = entry.kind === 'hard-link' ? this.#linked(entry.target) : null;
    if (linked === path) return;
    if (there !== undefined) this.#remove(path, false);
    if (entry.kind !== 'file') this.#last = null;
    if (linked !== null) linkSync(this.#at(linked), at);
    else if (entry.kind === 'link') {
      if (entry.target === '') throw new Error('one of its links leads to nothing');
      symlinkSync(Buffer.from(entry.target, 'latin1'), at);
    } else this.#file = { descriptor: openSync(at, NEW_FILE, 0o600), entry };
  }

  /** Another name of a file that is there: that of the file itself, which is no link. */
  #linked(target: string): string {
    const names = target.split('/').filter(each => each !== '' && each !== '.');
    const name = names.pop();
    if (name === undefined || name === '..' || names.includes('..'))
      throw new Error('one of its links leads out of it');
    const path = [...this.#folderOf(names.join('/')), name].join('/');
    if (lstatSync(this.#at(path), { throwIfNoEntry: false })?.isDirectory() !== false)
      throw new Error('one of its links is to a file that is not in it');
    return path;
  }

  #takeOut(folder: readonly string[], name: string): void {
    if (name === ALL_TAKEN_OUT) {
      const at = folder.join('/');
      if (lstatSync(this.#at(at), { throwIfNoEntry: false })?.isDirectory() === true)
        for (const child of this.#childrenOf(at)) this.#remove(child, true);
      return;
    }
    if (name.startsWith(`${TAKEN_OUT}${TAKEN_OUT}`)) return;
    const other = name.slice(TAKEN_OUT.length);
    if (['', '.', '..'].includes(other)) throw new Error('one of its paths leads out of it');
    this.#remove([...folder, other].join('/'), true);
  }

  /** With all that is in it; `keepOwn`: but for what this layer has there. Whether nothing is left. */
  #remove(path: string, keepOwn: boolean): boolean {
    this.#last = null;
    const at = this.#at(path);
    const there = lstatSync(at, { throwIfNoEntry: false });
    if (there === undefined) return true;
    const kept = keepOwn && this.#own.has(path);
    if (!there.isDirectory()) {
      if (!kept) unlinkSync(at);
      return !kept;
    }
    let empty = !kept;
    for (const child of this.#childrenOf(path)) empty = this.#remove(child, keepOwn) && empty;
    if (empty) rmdirSync(at);
    return empty;
  }

  #childrenOf(path: string): readonly string[] {
    const names = readdirSync(this.#at(path), { encoding: 'buffer' });
    return names.map(name => `${path === '' ? '' : `${path}/`}${name.toString('latin1')}`);
  }

  /** The names of the folder itself, whatever links lead to it. */
  #folderOf(folder: string): readonly string[] {
    if (this.#last?.folder === folder) return this.#last.names;
    const names = namesInside(folder, to => {
      const at = this.#at(to.join('/'));
      return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true
        ? readlinkSync(at, { encoding: 'buffer' }).toString('latin1')
        : null;
    });
    this.#last = { folder, names };
    return names;
  }

  #make(folder: readonly string[]): void {
    for (let length = 1; length <= folder.length; length++) {
      const at = this.#at(folder.slice(0, length).join('/'));
      const there = lstatSync(at, { throwIfNoEntry: false });
      if (there === undefined) mkdirSync(at, { mode: 0o755 });
      else if (!there.isDirectory()) throw new Error('one of its paths lies in what is no folder');
    }
  }

  #at(path: string): Buffer {
    return path === '' ? this.#root : Buffer.concat([this.#root, Buffer.from(`/${path}`, 'latin1')]);
  }
}
