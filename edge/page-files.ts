// The files of our pages, which the bundle holds.
import type { PageFile } from '../control/http/page-files.ts';
import { PAGE_FILES } from '../control/http/page-files.ts';

const encoder = new TextEncoder();

/** By folder and name; null for a file that no page has. */
export function pageFile(path: string): PageFile | null {
  const type = PAGE_FILES.get(path);
  return type === undefined ? null : { type, body: encoder.encode(WRLD_PAGE[path]) };
}
