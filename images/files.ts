// The files that a declaration is read from: regular files of a bounded size, in UTF-8, named to a person as they would
// name them. A pipe or a device in the place of one is refused before anything is read of it.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { relative } from 'node:path';

export type TextRead =
  | { readonly ok: true; readonly text: string }
  /** `missing`: nothing is there, which may be all right. */
  | { readonly ok: false; readonly missing: boolean; readonly why: string };

export type ImageFiles = {
  /** `path` is absolute. */
  read(path: string, bytesMax: number): TextRead;
  /** As a person names it from where the command was given. */
  name(path: string): string;
  isFolder(path: string): boolean;
};

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function openFiles(from: string): ImageFiles {
  return {
    read: readText,
    name: path => {
      const name = relative(from, path);
      return name === '' ? '.' : name.startsWith('../../') ? path : name;
    },
    isFolder: path => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  };
}

function readText(path: string, bytesMax: number): TextRead {
  const no = (why: string, missing = false): TextRead => ({ ok: false, missing, why });
  let file: number;
  try {
    // Of a pipe that nobody writes to, a plain open would wait for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    return no(missing ? 'it is not there' : `it cannot be read (${code})`, missing);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return no('it is no regular file');
    if (found.size > bytesMax) return no(`it is longer than ${bytesMax} bytes`);
    const bytes = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= bytesMax; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > bytesMax) return no(`it is longer than ${bytesMax} bytes`);
    return { ok: true, text: UTF8.decode(bytes.subarray(0, length)) };
  } catch (error) {
    return no(
      error instanceof TypeError
        ? 'it is no text in UTF-8'
        : `it cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  } finally {
    closeSync(file);
  }
}
