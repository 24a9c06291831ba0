import { open } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readHeaders } from '../../../control/http/arrived.ts';
import type { Route } from '../../../control/http/route.ts';
import { Router } from '../../../control/http/router.ts';
import { routes } from '../../../control/http/routes.ts';
import { parseTarget } from '../../../control/http/target.ts';
import { Tracer } from '../../../control/http/trace.ts';
import { openEntropy } from '../../../control/node/entropy.ts';
import { loadShipped } from '../../../control/node/shipped-twins.ts';
import { refuse } from '../../../policy/refusal.ts';
import { RULE_NAMES } from '../../../policy/rules.ts';
import type { Call } from '../../../twins/kit/call.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import type { MountedTwin } from '../../../twins/kit/twin.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openTestSite } from '../../kit/site.ts';

/** A note twin that keeps every call it gets. */
function spyTwin(options: Parameters<typeof noteTwin>[0] = {}): MountedTwin & { readonly calls: Call[] } {
  const { twin, respond } = noteTwin(options);
  const calls: Call[] = [];
  return {
    twin,
    calls,
    respond: (call, tx) => {
      calls.push(call);
      return respond(call, tx);
    },
  };
}

t.test('a path to its route', t => {
  const router = new Router(routes, 'acme/notes');
  const of = (method: string, path: string): string => {
    const match = router.match(method, path);
    if (match.at === 'nothing') return 'nothing';
    if (match.at === 'other-method') return `only ${match.allow}`;
    return `${match.route.path} ${Object.values(match.params).join(' ')}`.trim();
  };
  for (const [method, path, expected] of [
    ['GET', '/', '/'],
    ['GET', '/acme/notes', '/<org>/<world>'],
    ['GET', '/acme/notes/', '/<org>/<world>/'],
    ['GET', '/acme/notes/.well-known/wrld-world', '/<org>/<world>/.well-known/wrld-world'],
    ['GET', '/acme/notes/.well-known/other', 'nothing'],
    ['GET', '/acme/notes/note', '/<org>/<world>/<vendor>/<path...> note /'],
    ['GET', '/acme/notes/note/', '/<org>/<world>/<vendor>/<path...> note /'],
    ['PATCH', '/acme/notes/note/v1//a%2Fb', '/<org>/<world>/<vendor>/<path...> note /v1//a%2Fb'],
    ['GET', '/acme/other/note/v1', 'nothing'],
    ['GET', '/acme', 'nothing'],
    ['GET', '/-/acme/notes/clock', '/-/<org>/<world>/clock'],
    ['HEAD', '/-/acme/notes/clock', '/-/<org>/<world>/clock'],
    ['POST', '/-/acme/notes/clock', 'only GET, HEAD, PUT'],
    ['GET', '/-/acme/notes/clock/advance', 'only POST'],
    ['GET', '/-/acme/notes/clock/', 'nothing'],
    ['GET', '/-/acme/notes/log/note', '/-/<org>/<world>/log/<twin> note'],
    ['GET', '/-/acme/notes/log/', 'nothing'],
    ['GET', '/-/acme/notes/log', 'nothing'],
    ['GET', '/-/acme/other/clock', 'nothing'],
    ['GET', '/reference/refusals', '/reference/refusals'],
  ] as const) {
    t.equal(of(method, path), expected, `${method} ${path}`);
  }
  const route: Route = {
    method: 'GET',
    path: '/a/<b>',
    access: 'open',
    tag: 'World',
    summary: '',
    answers: {},
    run: () => null as never,
  };
  t.throws(() => new Router([route, { ...route }], 'a/b'), /twice/, 'one route a place');
  t.throws(() => new Router([route, { ...route, path: '/a/<c>/d' }], 'a/b'), /stands there already/);
  t.end();
});

t.test('a request target is read unambiguously or refused', t => {
  for (const [raw, expected] of [
    ['/a/b?c=d?e', { path: '/a/b', query: 'c=d?e' }],
    ['/a/../b', { path: '/b', query: '' }],
    ['/a/%2e%2E/b', { path: '/b', query: '' }],
    ['/a/../../b/.', { path: '/b/', query: '' }],
    ['//a', { path: '//a', query: '' }],
    ['/a%2Fb', { path: '/a%2Fb', query: '' }],
    ['/a#f', { path: '/a', query: '' }],
    ['http://127.0.0.1:4000/a?b', { path: '/a', query: 'b' }],
    ['http://127.0.0.1:4000?b', { path: '/', query: 'b' }],
    ['*', null],
    ['a', null],
    ['/a\\b', null],
    ['ftp://a/b', null],
  ] as const) {
    t.strictSame(parseTarget(raw), expected, raw);
  }
  t.end();
});

t.test('[4.9] a trace is continued under a span of the world’s own, or started', t => {
  const tracer = new Tracer(openEntropy());
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const span = 'b7ad6b7169203331';
  const continued = tracer.open(`00-${traceId}-${span}-01`);
  t.match(continued, { traceId, parentId: span, spanId: /^[0-9a-f]{16}$/ });
  t.not(continued.spanId, span);
  t.equal(tracer.open(`01-${traceId}-${span}-01-more`).traceId, traceId, 'a later version may hold more');
  for (const bad of [
    undefined,
    '',
    [`00-${traceId}-${span}-01`, `00-${traceId}-${span}-01`],
    `00-${traceId.toUpperCase()}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${span}-01`,
    `00-${traceId}-${span}-01-more`,
    `00-${traceId}-${span}`,
  ]) {
    const fresh = tracer.open(bad);
    t.match(fresh, { traceId: /^[0-9a-f]{32}$/, spanId: /^[0-9a-f]{16}$/, parentId: null }, String(bad));
    t.not(fresh.traceId, traceId);
  }
  const ids = new Set(Array.from({ length: 2_000 }, () => tracer.open(undefined).traceId));
  t.equal(ids.size, 2_000, 'no two alike, over many draws');
  t.end();
});

t.test('[4.9, security 51] what the twin sees of the headers', t => {
  const { headers, credentials, host, doubled } = readHeaders(
    [
      ['Accept', 'a'],
      ['accept', 'b'],
      ['ACCEPT', 'c'],
      ['X-Wrld-Caller', 'person:me'],
      ['X-Wrld-Read-Only', '1'],
      ['x-wrld-host', 'api.stripe.com'],
      ['x-twins-key', 'k'],
      ['Authorization', 'Bearer sk'],
      ['Proxy-Authorization', 'Basic cnVuOnNlY3JldA=='],
      ['Connection', 'keep-alive'],
      ['__proto__', 'x'],
    ].flat(),
  );
  t.strictSame({ ...headers }, { accept: ['a', 'b', 'c'], authorization: 'Bearer sk', ['__proto__']: 'x' });
  t.match(credentials, { 'x-twins-key': 'k', authorization: 'Bearer sk' });
  t.equal(host, 'api.stripe.com');
  t.equal(doubled, null);
  t.end();
});

t.test('[4.9] a vendor call by URL', async t => {
  const twin = spyTwin();
  await using site = await openTestSite({ twins: { note: twin } });
  const auth = ['authorization', `Bearer ${site.token}`] as const;
  const put = await site.ask({
    method: 'PUT',
    target: '/acme/notes/note/notes/../notes/a?x=1',
    headers: [auth, ['host', '127.0.0.1:4000'], ['x-wrld-caller', 'person:me'], ['x-wrld-host', 'evil.test']],
    body: '{"tag":"t"}',
  });
  t.equal(put.status, 200);
  t.match(put.json, { id: 'a', tag: 't' });
  const [call] = twin.calls;
  t.match(call, { method: 'PUT', path: '/notes/a', query: 'x=1', via: 'url', host: '127.0.0.1:4000' });
  t.match(call, { caller: 'token', scope: 'write' });
  t.notOk(
    Object.keys(call!.headers).some(name => name.startsWith('x-wrld-')),
    'no header of ours',
  );

  const log = await site.ask({ target: '/-/acme/notes/log/note', headers: [auth] });
  t.match(log.json, { entries: [{ twin: 'note', position: 1, caller: 'token' }] });

  const unknown = await site.ask({ target: '/acme/notes/nobody/x', headers: [auth] });
  t.equal(unknown.status, 404);
  t.equal(unknown.json.error.code, 'no-such-vendor');
  const anonymous = await site.ask({ target: '/acme/notes/nobody/x' });
  t.equal(anonymous.status, 401, 'which vendors there are is not told to nobody');
  t.match(anonymous.headers, { 'www-authenticate': /^Bearer/ });

  const refused = await site.ask({ target: '/acme/notes/note/notes/a' });
  t.equal(refused.status, 401);
  t.equal(refused.json.note_error, 'unauthenticated', 'in the vendor’s own shape');
  const reader = [['x-twins-key', site.readToken]] as const;
  t.equal((await site.ask({ target: '/acme/notes/note/notes/a', headers: reader })).status, 200);
  const write = await site.ask({
    method: 'PUT',
    target: '/acme/notes/note/notes/b',
    headers: reader,
    body: '{}',
  });
  t.equal(write.status, 403);
  t.equal(write.json.note_error, 'read-only');
});

t.test('[5.2] the world’s own credential lets in to a twin, and so does a session', async t => {
  const twin = spyTwin();
  await using site = await openTestSite({ twins: { note: twin } });
  const target = '/acme/notes/note/notes/a';
  for (const name of ['x-wrld-token', 'x-twins-key'])
    await site.ask({ target, headers: [[name, site.token]] });
  await site.ask({ target, headers: [['authorization', `token ${site.token}`]] });
  t.same(
    twin.calls.map(call => call.letIn),
    [true, true, true],
  );
  await site.ask({ target, headers: [['x-wrld-host', 'api.note.test']], from: 'proxy' });
  t.match(twin.calls[3], { via: 'host', letIn: false }, 'an app behind the proxy shows its vendor’s key');
});

t.test('[5.2] the world’s own credential is enough for a twin, in each form that carries it', async t => {
  const vendors = Object.entries({ stripe: '/v1/customers', openai: '/v1/models', anthropic: '/v1/models' });
  const twins = vendors.map(async ([name]) => [name, mountTwin((await loadShipped(name))!, null)] as const);
  await using site = await openTestSite({ twins: Object.fromEntries(await Promise.all(twins)) });
  for (const [name, path] of vendors)
    for (const form of [
      ['x-wrld-token', site.token],
      ['x-twins-key', site.token],
      ['authorization', `Bearer ${site.token}`],
      ['authorization', `token ${site.token}`],
      ['authorization', `Basic ${btoa(`:${site.token}`)}`],
    ] as const) {
      const headers = [form, ['anthropic-version', '2023-06-01']] as const;
      const { status } = await site.ask({ target: `/acme/notes/${name}${path}`, headers });
      t.equal(status, 200, `${name}: ${form[0]}, ${form[1].slice(0, 6)}`);
    }
});

t.test('[5.4] a twin that enforces the read scope is told, and refuses what writes', async t => {
  const twin = spyTwin({ requestScopes: ['read'] });
  await using site = await openTestSite({ twins: { note: twin } });
  const headers = [['x-twins-key', site.readToken]] as const;
  const list = await site.ask({
    method: 'POST',
    target: '/acme/notes/note/list',
    headers,
    body: '{"limit":1}',
  });
  t.equal(list.status, 200);
  t.equal(twin.calls[0]?.headers['x-wrld-read-only'], '1');
  t.equal(twin.calls[0]?.caller, 'token:read');
  const put = await site.ask({ method: 'PUT', target: '/acme/notes/note/notes/a', headers, body: '{}' });
  t.equal(put.status, 403);
});

t.test('an intercepted call, over the proxy’s own channel', async t => {
  const twin = spyTwin();
  await using site = await openTestSite({ twins: { note: twin } });
  const ask = async (headers: readonly (readonly [string, string])[], method = 'PUT') =>
    site.ask({ method, target: '/acme/notes/note/notes/a', headers, body: '{}', from: 'proxy' });
  const host = ['x-wrld-host', 'note.test'] as const;

  t.equal(
    (await ask([host, ['authorization', 'Bearer sk_test_vendor']])).status,
    200,
    'the vendor’s own key',
  );
  t.match(twin.calls[0], { via: 'host', host: 'note.test', caller: 'token', scope: 'write' });
  t.equal(twin.calls[0]?.headers['authorization'], 'Bearer sk_test_vendor', 'is the twin’s to read');
  t.equal((await ask([host])).status, 200, 'no key at all');
  t.equal((await ask([host, ['x-twins-key', site.readToken]])).status, 403, 'a credential of ours counts');
  t.equal((await ask([host, ['authorization', `Bearer ${site.readToken}`]])).status, 403);
  t.equal(
    (await ask([host, ['x-twins-key', 'wrong']])).status,
    401,
    'one of ours that is wrong opens nothing',
  );
  t.equal((await ask([host, ['authorization', 'Bearer tok_k_gone']])).status, 401, 'nor does a revoked key');
  t.equal((await ask([host, host])).status, 400, 'a client cannot add a host of its own');
  t.equal((await ask([])).status, 401, 'without a host it is a request like any other');
  const own = await site.ask({ target: '/-/acme/notes/clock', headers: [host], from: 'proxy' });
  t.equal(own.status, 401, 'the world’s own endpoints ask for a token on every channel');
  const direct = await site.ask({ target: '/acme/notes/note/notes/a', headers: [host] });
  t.equal(direct.status, 401, 'a client’s own x-wrld-host opens nothing');
});

t.test('[2.4] the world manifest', async t => {
  const variable = noteTwin({ vendor: 'pointed' });
  const pointed: MountedTwin = {
    ...variable,
    twin: {
      ...variable.twin,
      manifest: { ...variable.twin.manifest, hosts: [], endpointEnv: { POINTED_URL: '/v1' } },
    },
  };
  const both = noteTwin();
  const intercepted: MountedTwin = {
    ...both,
    twin: { ...both.twin, manifest: { ...both.twin.manifest, endpointEnv: { NOTE_URL: '/v1' } } },
  };
  await using site = await openTestSite({ twins: { note: intercepted, pointed } });
  const read = async (token: string) =>
    (await site.ask({ target: '/acme/notes/.well-known/wrld-world', headers: [['x-wrld-token', token]] }))
      .json;
  t.strictSame(await read(site.token), {
    name: 'acme/notes',
    vendors: {
      note: 'http://127.0.0.1:4000/acme/notes/note',
      pointed: 'http://127.0.0.1:4000/acme/notes/pointed',
    },
    ca: '-----BEGIN CERTIFICATE-----\n',
    proxy: 'http://127.0.0.1:4001',
    env: {
      WRLD_TWINS_KEY: site.token,
      NOTE_TWIN_URL: 'http://127.0.0.1:4000/acme/notes/note',
      POINTED_TWIN_URL: 'http://127.0.0.1:4000/acme/notes/pointed',
      POINTED_URL: 'http://127.0.0.1:4000/acme/notes/pointed/v1',
    },
  });
  const reader = await read(site.readToken);
  t.equal(reader.env.WRLD_TWINS_KEY, site.readToken, 'a reader is handed what it holds');
  t.notOk(JSON.stringify(reader).includes(site.token), 'and never the token');
});

t.test('[2.13, 4.4, 4.9] log, timeline, map, twins', async t => {
  await using site = await openTestSite();
  const { ask, token } = site;
  const headers = [['x-wrld-token', token]] as const;
  for (const id of ['a', 'b', 'c']) await site.notes.ask('PUT', `/notes/${id}`, { tag: id });
  const get = async (path: string) => (await ask({ target: `/-/acme/notes/${path}`, headers })).json;

  t.match(await get('log/note'), { entries: [{ position: 1 }, { position: 2 }, { position: 3 }] });
  t.match(await get('log/note?after=2'), { entries: [{ position: 3 }] });
  t.equal((await get('log/note?after=')).entries.length, 3, 'an empty one is unset');
  t.equal((await get('log/note?after=-1')).error.code, 'bad-position');
  t.equal((await get('log/none')).error.code, 'no-such-twin');

  const first = await get('timeline?limit=2&before=&twin=&trace=');
  t.match(first, { entries: [{ twin: 'note', position: 3 }, { position: 2 }], next: String });
  const second = await get(`timeline?limit=2&before=${first.next}`);
  t.match(second, { entries: [{ position: 1, caller: 'token' }], next: null });
  const trace = first.entries[0].entry.trace.traceId;
  t.equal((await get(`timeline?trace=${trace}`)).entries.length, 3);
  t.equal((await get(`timeline?trace=${'1'.repeat(32)}`)).entries.length, 0);
  t.equal((await get('timeline?trace=xyz')).error.code, 'bad-trace');
  t.equal((await get('timeline?limit=0')).error.code, 'bad-limit');
  t.equal((await get('timeline?before=!')).error.code, 'bad-cursor');
  t.equal((await get('timeline?twin=none')).error.code, 'no-such-twin');

  t.match(await get('map'), {
    twins: [{ twin: 'note', position: 3, root: null, resources: [{ type: 'note', count: 3 }] }],
  });
  const { twins } = await get('twins');
  t.match(twins, [{ twin: 'note', identity: { mounted: { package: '@test/note' } }, position: 3 }]);
  t.strictSame(await get('twins/note/status'), twins[0], '[4.6] each as its status endpoint answers');
  t.equal((await get('twins/none/status')).error.code, 'no-such-twin');
});

t.test('[3, 4.9, 7.3] the clock', async t => {
  await using site = await openTestSite();
  const headers = [['x-wrld-token', site.token]] as const;
  const put = (body: string, method = 'PUT', path = 'clock') =>
    site.ask({ method, target: `/-/acme/notes/${path}`, headers, body });
  const advance = (body: string) => put(body, 'POST', 'clock/advance');

  t.match((await site.ask({ target: '/-/acme/notes/clock', headers })).json, { frozen: false, at: String });
  const unset = await advance('{"by":"1h"}');
  t.equal(unset.status, 409);
  t.equal(unset.json.error.code, 'clock-unset');
  t.strictSame((await put('{"at":"2026-03-01T00:00:00Z"}')).json, {
    at: '2026-03-01T00:00:00.000Z',
    frozen: true,
  });
  t.strictSame((await advance('{"by":"31d"}')).json, { at: '2026-04-01T00:00:00.000Z', frozen: true });
  const back = await put('{"at":"2026-03-01T00:00:00Z"}');
  t.equal(back.status, 409);
  t.equal(back.json.error.code, 'would-move-back');
  for (const [body, code] of [
    ['', 'bad-body'],
    ['[]', 'bad-body'],
    ['null', 'bad-body'],
    ['{"at":1}', 'bad-body'],
    ['{"at":"2027-01-01T00:00:00Z","frozen":false}', 'bad-body'],
    ['{"at":"tomorrow"}', 'not-an-instant'],
  ] as const) {
    const answer = await put(body);
    t.equal(answer.status, 400, body);
    t.equal(answer.json.error.code, code, body);
  }
  const invalid = await site.ask({
    method: 'PUT',
    target: '/-/acme/notes/clock',
    headers,
    body: Uint8Array.of(0xff),
  });
  t.equal(invalid.json.error.code, 'bad-body', 'bytes that are no UTF-8');
  for (const by of ['1', 'h', '1w', '1.5h', '-1h', ''])
    t.equal((await advance(JSON.stringify({ by }))).json.error.code, 'not-a-duration', `by ${by}`);
});

t.test('[7.3] answers that are no success', async t => {
  await using site = await openTestSite();
  const headers = [['x-wrld-token', site.token]] as const;
  const none = await site.ask({ target: '/-/acme/notes/nothing', headers });
  t.equal(none.status, 404);
  t.match(none.json, { error: { code: 'no-such-endpoint', message: String } });
  const other = await site.ask({ method: 'DELETE', target: '/-/acme/notes/clock', headers });
  t.equal(other.status, 405);
  t.equal(other.headers['allow'], 'GET, HEAD, PUT');
  t.equal((await site.ask({ target: '/a\\b' })).status, 400);
  const admission = site.site.admit({
    method: 'PUT',
    target: '/acme/notes/note/notes/a',
    rawHeaders: headers.flat(),
    from: 'client',
  });
  t.equal(admission.at, 'admitted');
  if (admission.at === 'admitted') {
    const { status, body } = admission.tooLarge();
    t.equal(status, 413);
    t.match(JSON.parse(body as string), { note_error: 'body-too-large' }, 'in the vendor’s own shape');
  }
  site.notes.world.map = () => Promise.reject(new Error('secret'));
  const bug = await site.ask({ target: '/-/acme/notes/map', headers });
  t.equal(bug.status, 500);
  t.notOk(bug.text.includes('secret'), 'a bug’s message is not told');
});

t.test('pages for people', async t => {
  const record = refuse('sealed', { target: 'https://x.test/' }, 'http://127.0.0.1:4000');
  await using site = await openTestSite({
    refusals: [{ nth: 1, at: '2026-01-01T00:00:00.000Z', run: 'default', agent: 'curl/8.5.0', record }],
  });
  for (const target of ['/', '/acme/notes', '/acme/notes/']) {
    const host = ['host', 'localhost:4000'] as const;
    const { status, text, headers } = await site.ask({ target, headers: [host] });
    t.equal(status, 200);
    t.match(text, /<h1>acme\/notes<\/h1>/, `${target} names the world`);
    t.match(headers['content-security-policy'], /default-src 'none'/);
    t.notMatch(text, site.token);
  }
  for (const host of ['evil.test', 'localhost.evil.test', '']) {
    const { text: foreign } = await site.ask({ target: '/', headers: [['host', host]] });
    t.match(foreign, /Worlds are served here/);
    t.notMatch(foreign, 'acme', `no world is named to ${host}`);
  }
  const { text } = await site.ask({ target: '/reference/refusals' });
  for (const name of RULE_NAMES) t.match(text, `<section id="${name}">`, `[2.1] see: #${name}`);
  t.notMatch(text.replace(/<style>.*<\/style>/s, ''), '`', 'no markup left over');
  t.match(text, 'prefers-color-scheme: dark');
  const refusals = await site.ask({
    target: '/-/acme/notes/refusals',
    headers: [['x-wrld-token', site.readToken]],
  });
  t.match(refusals.json, { refusals: [{ run: 'default', record: { rule: 'sealed' } }] });
});

/** Of SQLite. */
const PAGE_BYTES = 4096;

t.test('[storage] a store that is damaged at work is named so, to whoever asks of it', async t => {
  const file = join(t.testdir(), 'world.db');
  const site = await openTestSite({ notes: { file } });
  const { sql } = site.notes;
  sql.checkpoint();
  const pages = await open(file, 'r+');
  const { size } = await pages.stat();
  await pages.write(new Uint8Array(size - PAGE_BYTES), 0, size - PAGE_BYTES, PAGE_BYTES);
  await pages.close();
  sql.get('PRAGMA shrink_memory');
  const headers = [['x-wrld-token', site.token]] as const;
  const endpoint = await site.ask({ target: '/-/acme/notes/timeline', headers });
  t.match(endpoint, {
    status: 500,
    json: { error: { code: 'store-damaged', message: /wrld world check/ } },
  });
  const twin = await site.ask({ target: '/acme/notes/note/notes/a', headers });
  t.match(twin, { status: 500, text: /store_damaged/ });
  await t.rejects(async () => await site[Symbol.asyncDispose](), /malformed/);
});
