// The files of the world's page, from this package's own folder. Only the names listed here are ever opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_FILES } from '../http/page-files.ts';
import type { PageFile } from '../http/surroundings.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'console', 'world');

const read = new Map<string, PageFile>();

/** Null for a file that the page does not have. Read once, when it is first asked for. */
export function pageFile(name: string): PageFile | null {
  const type = PAGE_FILES.get(name);
  if (type === undefined) return null;
  let file = read.get(name);
  if (file === undefined) {
    file = { type, body: readFileSync(join(FOLDER, name)) };
    read.set(name, file);
  }
  return file;
}
