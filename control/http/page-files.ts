// The files of our pages (console/), by folder and name, and what each is. A host has their bytes.
const PAGE = 'text/html; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const scripts = (folder: string, ...names: string[]): [string, string][] =>
  names.map(name => [`${folder}/${name}.js`, SCRIPT]);

/** Only what is listed here is ever served. */
export const PAGE_FILES: ReadonlyMap<string, string> = new Map([
  ['shared/page.css', STYLE],
  ...scripts('shared', 'asking', 'dom'),
  ['world/index.html', PAGE],
  ['world/world.css', STYLE],
  ['world/board.html', PAGE],
  ['world/board.css', STYLE],
  ...scripts('world', 'api', 'board', 'changesets', 'clock', 'frames', 'limits', 'load', 'main', 'pages'),
  ...scripts('world', 'roots', 'session', 'timeline', 'views'),
  ['host/index.html', PAGE],
  ['host/host.css', STYLE],
  ...scripts('host', 'api', 'health', 'inventory', 'limits', 'main', 'making', 'metrics', 'rows'),
  ...scripts('host', 'sign-in', 'tokens', 'world', 'worlds'),
]);
