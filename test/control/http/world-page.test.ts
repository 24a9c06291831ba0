// The world's page as it is served: its files and what they may do. What it shows is test/browser's part.
import { readdir } from 'node:fs/promises';
import t from 'tap';
import { openTestSite } from '../../kit/site.ts';

const FILES = new URL('../../../console/world/', import.meta.url);
const PAGE = '/-/acme/notes/';

t.test('[4.9] the page and every file it names are answered, to everybody', async t => {
  await using site = await openTestSite();
  const page = await site.ask({ target: PAGE });
  t.equal(page.status, 200);
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  const token = [['x-wrld-token', site.readToken]] as const;
  const board = await site.ask({ target: `${PAGE}board`, headers: token });
  const named = [...`${page.text}${board.text}`.matchAll(/(?:src|href)="page\/([^"]+)"/g)].map(
    ([, name]) => name!,
  );
  t.ok(named.length > 0);
  const known = new Set(named);
  for (const name of named) {
    const { status, headers, text } = await site.ask({ target: `${PAGE}page/${name}` });
    t.equal(status, 200, name);
    t.match(headers['content-type'], name.endsWith('.css') ? /^text\/css/ : /^text\/javascript/, name);
    for (const [, imported] of text.matchAll(/from '\.\/([^']+)'/g)) known.add(imported!);
  }
  for (const name of known) t.equal((await site.ask({ target: `${PAGE}page/${name}` })).status, 200, name);
  t.same(
    (await readdir(FILES)).filter(name => /\.(css|html|js)$/.test(name)).sort(),
    // What sites load is served at their own addresses.
    ['index.html', 'board.html', 'load.js', ...known].sort(),
  );
});

t.test('the page holds no data, runs nothing from elsewhere and is in nobody’s frame', async t => {
  await using site = await openTestSite();
  const token = [['x-wrld-token', site.readToken]] as const;
  for (const target of [PAGE, `${PAGE}page/main.js`, `${PAGE}board`]) {
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
    'index.html',
    'board.html',
    'main.ts',
    'world.db',
    '..%2f..%2fpackage.json',
    '..%2f',
    'main.js%00',
    'constructor',
  ]) {
    const { status, json } = await site.ask({ target: `${PAGE}page/${name}` });
    t.ok(status === 404 || status === 400, `${name}: ${status}`);
    t.type(json.error.message, 'string', name);
  }
});
