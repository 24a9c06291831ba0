// The files of the world's own page, which the bundle holds.
import { PAGE_FILES } from '../control/http/page-files.ts';
import type { PageFile } from '../control/http/surroundings.ts';

const encoder = new TextEncoder();

/** Null for a file that the page does not have. */
export function pageFile(name: string): PageFile | null {
  const type = PAGE_FILES.get(name);
  return type === undefined ? null : { type, body: encoder.encode(WRLD_PAGE[name]) };
}
