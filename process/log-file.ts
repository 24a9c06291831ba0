// A file of lines that never grows beyond its bound while the process is up: when it is full it is set aside as
// `<name>.1`, what was `.1` becomes `.2`, and the oldest is removed. Several threads may write to one file, each by a
// descriptor of its own: one of them rotates it, the others notice. A file that somebody else moved or removed is begun
// anew.
import { closeSync, fstatSync, openSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { LOG_BYTES_MAX, LOG_FILES_OLD_MAX } from './limits.ts';
import { LinesOut, type LinesOutOptions } from './lines-out.ts';

const FILE_MODE = 0o600;
const STDOUT = 1;

export type LogFileOptions = LinesOutOptions & {
  readonly path: string;
  /** Sets the file aside when it is full; of all that write to a file one does. */
  readonly rotates: boolean;
  readonly bytesMax?: number;
  readonly oldFilesMax?: number;
};

/** Where a process's lines go: a file, or its standard output. */
export function linesTo(path: string | null, options: Omit<LogFileOptions, 'path'>): LinesOut {
  return path === null ? LinesOut.to(STDOUT, options) : openLogFile({ ...options, path });
}

/** Opened with the first line. What goes wrong with the file is the lines' own matter (`LinesOut`). */
export function openLogFile(options: LogFileOptions): LinesOut {
  const file = new LogFile(options);
  return new LinesOut(bytes => file.descriptor(bytes), options);
}

class LogFile {
  readonly #path: string;
  readonly #rotates: boolean;
  readonly #bytesMax: number;
  readonly #oldFilesMax: number;
  #open: { readonly descriptor: number; readonly stats: Stats } | null = null;

  constructor({ path, rotates, bytesMax, oldFilesMax }: LogFileOptions) {
    this.#path = path;
    this.#rotates = rotates;
    this.#bytesMax = bytesMax ?? LOG_BYTES_MAX;
    this.#oldFilesMax = oldFilesMax ?? LOG_FILES_OLD_MAX;
  }

  descriptor(bytes: number): number {
    const there = statSync(this.#path, { throwIfNoEntry: false });
    if (this.#open !== null && !isSame(there, this.#open.stats)) this.#close();
    if (this.#rotates && there !== undefined && there.size > 0 && there.size + bytes > this.#bytesMax) {
      this.#close();
      this.#setAside();
    }
    this.#open ??= this.#begin();
    return this.#open.descriptor;
  }

  #begin(): { readonly descriptor: number; readonly stats: Stats } {
    const descriptor = openSync(this.#path, 'a', FILE_MODE);
    return { descriptor, stats: fstatSync(descriptor) };
  }

  #close(): void {
    if (this.#open === null) return;
    const { descriptor } = this.#open;
    this.#open = null;
    closeSync(descriptor);
  }

  #setAside(): void {
    try {
      rmSync(`${this.#path}.${this.#oldFilesMax}`, { force: true });
      for (let nth = this.#oldFilesMax - 1; nth > 0; nth--)
        if (statSync(`${this.#path}.${nth}`, { throwIfNoEntry: false }) !== undefined)
          renameSync(`${this.#path}.${nth}`, `${this.#path}.${nth + 1}`);
      renameSync(this.#path, `${this.#path}.1`);
    } catch {
      // A folder that takes no new names: the lines go on in the file that is there, until it does.
    }
  }
}

function isSame(there: Stats | undefined, ours: Stats): boolean {
  return there !== undefined && there.ino === ours.ino && there.dev === ours.dev;
}
