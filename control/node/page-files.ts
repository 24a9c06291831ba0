// The files of our pages, from this package's own folder. Only those that are listed are ever opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFile } from '../http/page-files.ts';
import { PAGE_FILES } from '../http/page-files.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'console');

const read = new Map<string, PageFile>();

/** By folder and name; null for a file that no page has. Read once, when it is first asked for. */
export function pageFile(path: string): PageFile | null {
  const type = PAGE_FILES.get(path);
  if (type === undefined) return null;
  let file = read.get(path);
  if (file === undefined) {
    file = { type, body: readFileSync(join(FOLDER, path)) };
    read.set(path, file);
  }
  return file;
}
