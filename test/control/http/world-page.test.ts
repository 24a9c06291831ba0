// The world's page as it is served: its files and what they may do. What it shows is test/browser's part.
import { readdir } from 'node:fs/promises';
import t from 'tap';
import { openTestSite } from '../../kit/site.ts';

const FILES = new URL('../../../console/', import.meta.url);
const PAGE = '/-/acme/notes/';

t.test('[4.9] the page and every file it names are answered, to everybody', async t => {
  await using site = await openTestSite();
  const page = await site.ask({ target: PAGE });
  t.equal(page.status, 200);
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  const token = [['x-wrld-token', site.readToken]] as const;
  const board = await site.ask({ target: `${PAGE}board`, headers: token });
  const files = [...`${page.text}${board.text}`.matchAll(/(?:src|href)="page\/([^"]+)"/g)].map(
    ([, path]) => path!,
  );
  t.ok(files.length > 0);
  const known = new Set<string>();
  for (let path = files.pop(); path !== undefined; path = files.pop()) {
    if (known.has(path)) continue;
    known.add(path);
    const { status, headers, text } = await site.ask({ target: `${PAGE}page/${path}` });
    t.equal(status, 200, path);
    t.match(headers['content-type'], path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/, path);
    // What is loaded when it is first needed (`import(…)`) is answered like what is loaded at once.
    for (const [, imported] of text.matchAll(/(?:from |\bimport\()'(\.[^']+)'/g))
      files.push(new URL(imported!, `http://world/${path}`).pathname.slice(1));
  }
  const [first = ''] = /page\/world\/main\.js/.exec(page.text) ?? [];
  const imported = new Set<string>();
  for (const paths = [first.slice('page/'.length)]; paths.length > 0; ) {
    const path = paths.pop()!;
    if (imported.has(path)) continue;
    imported.add(path);
    const { text } = await site.ask({ target: `${PAGE}page/${path}` });
    for (const [, each] of text.matchAll(/from '(\.[^']+)'/g))
      paths.push(new URL(each!, `http://world/${path}`).pathname.slice(1));
  }
  imported.delete('world/main.js');
  t.strictSame(
    [...page.text.matchAll(/rel="modulepreload" href="page\/([^"]+)"/g)].map(([, path]) => path),
    [...imported].sort(),
    'each module is asked for at once, in the order of the names',
  );
  for (const folder of ['world', 'shared']) {
    const there = (await readdir(new URL(folder, FILES))).filter(
      // What sites load is served at their own addresses.
      name => !name.endsWith('.html') && name !== 'load.js',
    );
    t.same(
      [...known].filter(path => path.startsWith(`${folder}/`)).sort(),
      there.map(name => `${folder}/${name}`).sort(),
    );
  }
});

t.test('the page holds no data, runs nothing from elsewhere and is in nobody’s frame', async t => {
  await using site = await openTestSite();
  const token = [['x-wrld-token', site.readToken]] as const;
  for (const target of [PAGE, `${PAGE}page/world/main.js`, `${PAGE}board`]) {
    const { headers, text } = await site.ask({ target, headers: target.endsWith('board') ? token : [] });
    t.match(headers['content-security-policy'], /default-src 'none'/, target);
    t.match(headers['content-security-policy'], /frame-ancestors 'none'/, target);
    t.notMatch(headers['content-security-policy'], /unsafe/, target);
    t.match(headers, { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }, target);
    t.notMatch(text, new RegExp(`${site.token}|${site.readToken}|https?://(?!www\\.w3\\.org)`), target);
  }
});

t.test('names that the page does not have are 404, however they are spelt', async t => {
  await using site = await openTestSite();
  for (const name of [
    'world/index.html',
    'world/board.html',
    'world/main.ts',
    'host/main.js',
    'world.db',
    '..%2f..%2f/package.json',
    'world/..%2f',
    'world/main.js%00',
    'constructor',
  ]) {
    const { status, json } = await site.ask({ target: `${PAGE}page/${name}` });
    t.ok(status === 404 || status === 400, `${name}: ${status}`);
    t.type(json.error.message, 'string', name);
  }
});
