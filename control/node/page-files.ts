// The files of our pages, from this package's own folder. Only the names listed here are ever opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFile } from '../http/page-file.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'console');

const PAGE = 'text/html; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const scripts = (folder: string, ...names: string[]): [string, string][] =>
  names.map(name => [`${folder}/${name}.js`, SCRIPT]);

const TYPES: ReadonlyMap<string, string> = new Map([
  ['shared/page.css', STYLE],
  ...scripts('shared', 'asking', 'dom'),
  ['world/index.html', PAGE],
  ['world/world.css', STYLE],
  ...scripts('world', 'api', 'changesets', 'clock', 'limits', 'main', 'roots', 'session'),
  ...scripts('world', 'timeline', 'views'),
  ['host/index.html', PAGE],
  ['host/host.css', STYLE],
  ...scripts('host', 'api', 'health', 'inventory', 'limits', 'main', 'making', 'metrics', 'rows'),
  ...scripts('host', 'sign-in', 'tokens', 'world', 'worlds'),
]);

const read = new Map<string, PageFile>();

/** By folder and name; null for a file that no page has. Read once, when it is first asked for. */
export function pageFile(path: string): PageFile | null {
  const type = TYPES.get(path);
  if (type === undefined) return null;
  let file = read.get(path);
  if (file === undefined) {
    file = { type, body: readFileSync(join(FOLDER, path)) };
    read.set(path, file);
  }
  return file;
}
