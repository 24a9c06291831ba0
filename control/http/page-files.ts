// The files of the world's own page (console/world), and what each is. A host has their bytes.

const SCRIPT = 'text/javascript; charset=utf-8';

/** Only what is listed here is ever served. */
export const PAGE_FILES: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['world.css', 'text/css; charset=utf-8'],
  ...['api', 'changesets', 'clock', 'dom', 'limits', 'main', 'session', 'timeline', 'views'].map(
    name => [`${name}.js`, SCRIPT] as const,
  ),
]);
