// What a browser program is told of its world, the files it is made of, and what pages of other origins may read.
import { readdir } from 'node:fs/promises';
import t from 'tap';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { openTestSite, type TestSite } from '../../kit/site.ts';
import { twin } from '../../kit/site-twin.ts';

const TAB = '/-/acme/notes/tab';
const ORIGIN = ['origin', 'https://app.example'] as const;
const open = (): Promise<TestSite> => openTestSite({ twins: { acme: mountTwin(twin, null) } });

t.test('[7.1] the plan: the twins’ hosts, and nothing granted where the host grants nothing', async t => {
  await using site = await open();
  t.equal((await site.ask({ target: TAB })).status, 401);
  const { status, json } = await site.ask({ target: TAB, headers: [['x-twins-key', site.readToken]] });
  t.equal(status, 200);
  t.strictSame(json, {
    name: 'acme/notes',
    docsUrl: site.around.docsUrl,
    ownLoopback: true,
    twins: [
      { host: 'app.acme.test', path: '/', vendor: 'acme' },
      { host: 'docs.acme.test', path: '/', vendor: 'acme' },
    ],
    layers: [],
  });
});

t.test('[7.1] every file of the program is there for pages of any origin, and no other', async t => {
  await using site = await open();
  for (const file of await readdir(new URL('../../../console/tab/', import.meta.url))) {
    const { status, headers } = await site.ask({ target: `${TAB}/${file}` });
    t.equal(status, 200, file);
    t.match(headers, {
      'content-type': /^text\/javascript/,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
  }
  for (const file of ['../world/main.js', '%2e%2e%2fworld%2fmain.js', 'none.js'])
    t.equal((await site.ask({ target: `${TAB}/${file}` })).status, 404, file);
});

t.test('[5.2] a page is let in by the key that it sends, and by nothing else', async t => {
  await using site = await open();
  const wanted = (names: string) =>
    site.ask({
      method: 'OPTIONS',
      target: '/acme/notes/acme/api/notes',
      headers: [ORIGIN, ['access-control-request-headers', names]],
    });
  const preflight = await wanted('content-type,x-twins-key');
  t.equal(preflight.status, 204);
  t.match(preflight.headers, {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'content-type,x-twins-key',
  });
  t.equal(preflight.headers['access-control-allow-credentials'], undefined);
  t.equal((await wanted('content-type')).status, 401, 'a page without the key asks for nothing');
  const target = '/acme/notes/acme/api/me';
  const keyed = await site.ask({ target, headers: [ORIGIN, ['x-twins-key', site.token]] });
  t.match([keyed.status, keyed.headers['access-control-allow-origin']], [200, '*']);
  const wrong = await site.ask({ target, headers: [ORIGIN, ['x-twins-key', 'tok_w_no']] });
  t.match([wrong.status, wrong.headers['access-control-allow-origin']], [401, '*'], 'the page learns why');
  for (const headers of [[ORIGIN, ['x-wrld-token', site.token]], [['x-twins-key', site.token]]] as const)
    t.equal((await site.ask({ target, headers })).headers['access-control-allow-origin'], undefined);
});

t.test(
  '[7.1] a host of the vendor’s is asked for by name, and redirects stay in the world or end',
  async t => {
    await using site = await open();
    const ask = (path: string, host: string) =>
      site.ask({
        target: `/acme/notes/acme${path}`,
        headers: [ORIGIN, ['x-twins-key', site.token], ['x-wrld-vendor-host', host]],
      });
    t.match((await ask('/start', 'docs.acme.test')).text, 'How to.');
    t.notMatch((await ask('/start', 'elsewhere.test')).text, 'How to.', 'only of the twin’s own');
    const { baseUrl } = site.around;
    for (const [name, to] of [
      ['home', `${baseUrl}/acme/notes/acme/?from=to#here`],
      ['near', '/acme/notes/acme/api/me'],
    ] as const) {
      const { headers } = await ask(`/to/${name}`, 'app.acme.test');
      t.match(headers, { location: to, 'access-control-allow-origin': '*' });
    }
    for (const name of ['away', 'docs']) {
      const { status, headers } = await ask(`/to/${name}`, 'app.acme.test');
      t.equal(Math.floor(status / 100), 3);
      t.equal(headers['access-control-allow-origin'], undefined, 'the browser ends there');
    }
  },
);
