// The files of the world's page, from this package's own folder. Only the names listed here are ever opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFile } from '../http/surroundings.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'console', 'world');

const SCRIPT = 'text/javascript; charset=utf-8';
const TYPES: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['world.css', 'text/css; charset=utf-8'],
  ['board.html', 'text/html; charset=utf-8'],
  ['board.css', 'text/css; charset=utf-8'],
  ...[
    'api',
    'board',
    'changesets',
    'clock',
    'dom',
    'frames',
    'limits',
    'load',
    'main',
    'pages',
    'session',
    'timeline',
    'views',
  ].map(name => [`${name}.js`, SCRIPT] as const),
]);

const read = new Map<string, PageFile>();

/** Null for a file that the page does not have. Read once, when it is first asked for. */
export function pageFile(name: string): PageFile | null {
  const type = TYPES.get(name);
  if (type === undefined) return null;
  let file = read.get(name);
  if (file === undefined) {
    file = { type, body: readFileSync(join(FOLDER, name)) };
    read.set(name, file);
  }
  return file;
}
