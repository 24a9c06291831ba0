// The console as it is served: its files and what they may do. What it does is test/browser/host-console.suite.ts' part.
import { readdir } from 'node:fs/promises';
import t from 'tap';
import { pageFile } from '../../../control/node/page-files.ts';
import { askHost, hostDirectory, startHostQuietly } from '../../kit/many-worlds.ts';

const FILES = new URL('../../../console/', import.meta.url);
const PAGE = '/-/console/';

t.test('[4.10] the console and every file it names are answered, to everybody', async t => {
  await using host = await startHostQuietly(await hostDirectory(t));
  t.match(await askHost(host, 'GET', '/-/console'), { status: 308, headers: { location: PAGE } });
  const page = await askHost(host, 'GET', PAGE);
  t.match(page, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  const files = [...page.text.matchAll(/(?:src|href)="((?:shared|host)\/[^"]+)"/g)].map(([, path]) => path!);
  t.ok(files.length > 2);
  const known = new Set<string>();
  for (let path = files.pop(); path !== undefined; path = files.pop()) {
    if (known.has(path)) continue;
    known.add(path);
    const { status, headers, text } = await askHost(host, 'GET', `${PAGE}${path}`);
    t.equal(status, 200, path);
    t.match(headers['content-type'], path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/, path);
    for (const [, imported] of text.matchAll(/from '(\.[^']+)'/g))
      files.push(new URL(imported!, `http://host/${path}`).pathname.slice(1));
  }
  const own = (await readdir(new URL('host/', FILES))).filter(name => name !== 'index.html');
  t.same([...known].filter(path => path.startsWith('host/')).sort(), own.map(name => `host/${name}`).sort());
});

t.test('[4.10] it holds no data, runs nothing from elsewhere and is in nobody’s frame', async t => {
  await using host = await startHostQuietly(await hostDirectory(t));
  for (const path of [PAGE, `${PAGE}host/main.js`]) {
    const { headers, text } = await askHost(host, 'GET', path);
    t.match(headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/, path);
    t.notMatch(headers['content-security-policy'], /unsafe/, path);
    t.match(headers, { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }, path);
    t.notMatch(text, /https?:\/\/|localStorage|sessionStorage|document\.cookie|console\.log/, path);
  }
});

t.test('names that it does not have are 404, however they are spelt', async t => {
  await using host = await startHostQuietly(await hostDirectory(t));
  for (const path of [
    'host/index.html',
    'world/main.js',
    'host/main.ts',
    'host/..%2fworld%2fmain.js',
    '..%2f..%2f/package.json',
    'shared/main.js%00',
    'constructor/name',
  ]) {
    const { status, json } = await askHost(host, 'GET', `${PAGE}${path}`);
    t.ok(status === 404 || status === 400, `${path}: ${status}`);
    t.type(json.error.message, 'string', path);
  }
  t.equal(pageFile('constructor'), null);
});
