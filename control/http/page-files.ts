// How a page of ours is answered (4.9, 4.10): a shell without data, and its files, which lie in the page's own folder and in
// the one that all pages share. A host says where they are.
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from './answer.ts';

export type PageFile = { readonly type: string; readonly body: Uint8Array };

/** By folder and name (`world/main.js`, `shared/dom.js`); null for what no page has. */
export type PageFiles = (path: string) => PageFile | null;

const SHELL = 'index.html';
const SHARED = 'shared';

const PAGE = 'text/html; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const scripts = (folder: string, ...names: string[]): [string, string][] =>
  names.map(name => [`${folder}/${name}.js`, SCRIPT]);

/** What each is, by folder and name: only what is listed here is ever served. A host has their bytes. */
export const PAGE_FILES: ReadonlyMap<string, string> = new Map([
  ['shared/page.css', STYLE],
  ...scripts('shared', 'asking', 'dom'),
  ['world/index.html', PAGE],
  ['world/world.css', STYLE],
  ['world/requests.css', STYLE],
  ['world/board.html', PAGE],
  ['world/board.css', STYLE],
  ...scripts(
    'world',
    'acting',
    'ahead',
    'api',
    'as-of',
    'board',
    'changesets',
    'clock',
    'entry',
    'frames',
    'groups',
    'limits',
    'load',
    'main',
    'pages',
  ),
  ...scripts(
    'world',
    'record-hash',
    'records',
    'refusals',
    'roots',
    'session',
    'time-bar',
    'timeline',
    'views',
  ),
  ...scripts('world', 'find', 'report', 'report-parts'),
  ...scripts('world', 'conditions', 'conversations', 'json-lines', 'kept-place'),
  ...scripts('world', 'newest-list', 'scenario', 'shown-text', 'webhooks'),
  ...scripts('world', 'handlers-schema.generated', 'schema-help'),
  ...scripts('world', 'bodies', 'charts', 'curl', 'request', 'requests'),
  ['host/index.html', PAGE],
  ['host/host.css', STYLE],
  ...scripts('host', 'api', 'health', 'inventory', 'limits', 'main', 'making', 'metrics', 'rows'),
  ...scripts('host', 'sign-in', 'tokens', 'world', 'worlds'),
  ...scripts('tab', 'attach', 'event-source', 'fetch', 'install', 'judge', 'limits', 'refusal', 'shut'),
  ...scripts('tab', 'start', 'tab', 'web-socket', 'workers', 'xhr'),
]);

const NO_SUCH_FILE = problem(404, 'no-such-file', 'The page has no such file.');

// Nothing from elsewhere, nothing inline but pictures that a model was shown or a twin answered, and in nobody's frame: a
// click in it moves a world's clock, or removes a world.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `page`: the name of its folder. */
export function shellOf(page: string, files: PageFiles): Reply {
  return answer(files(`${page}/${SHELL}`));
}

/** Of `params`: `<folder>`, the page's own or the shared one, and `<file>`. */
export function fileOf(
  page: string,
  files: PageFiles,
  { folder, file }: { readonly [name: string]: string },
): Reply {
  // A page is answered where it belongs, and not as one of its files.
  if ((folder !== page && folder !== SHARED) || file?.endsWith('.html')) return NO_SUCH_FILE;
  return answer(files(`${folder}/${file}`));
}

/** A module of the browser program: it is loaded by pages and workers of other origins, and holds nothing of the world's. */
export function tabFile(files: PageFiles, file: string): Reply {
  const found = files(`tab/${file}`);
  if (found === null) return NO_SUCH_FILE;
  return {
    status: 200,
    headers: [
      ['content-type', found.type],
      ['access-control-allow-origin', '*'],
      ['cross-origin-resource-policy', 'cross-origin'],
      ['x-content-type-options', 'nosniff'],
      ['cache-control', 'no-cache'],
    ],
    body: found.body,
  };
}

function answer(found: PageFile | null): Reply {
  if (found === null) return NO_SUCH_FILE;
  return {
    status: 200,
    headers: [
      ['content-type', found.type],
      ['content-security-policy', POLICY],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      // Asked for anew after an update; what it weighs is nothing on loopback.
      ['cache-control', 'no-cache'],
    ],
    body: found.body,
  };
}
