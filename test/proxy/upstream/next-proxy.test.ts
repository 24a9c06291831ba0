// Chaining: which destinations go by the machine's own proxy, what that proxy is told, and what clients are told
// when it fails.

import { once } from 'node:events';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { inspect } from 'node:util';
import t from 'tap';
import { decide } from '../../../policy/decide.ts';
import type { Permit } from '../../../policy/decision.ts';
import { dial } from '../../../proxy/upstream/dial.ts';
import { NextProxy, readNextProxies } from '../../../proxy/upstream/next-proxy.ts';
import { startConnectProxy } from '../../kit/connect-proxy.ts';
import { startHttpOrigin } from '../../kit/origin.ts';
import { startProxy, type TestProxy } from '../../kit/proxy.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';
import { connectTunnel } from '../../kit/wire.ts';
import { ask, granting, world } from '../../policy/world.ts';

const upstreams = await createTestAuthority();

function permit(origin: string): Permit {
  const decision = decide(ask(`${origin}/`), granting({ egress: [origin] }));
  if (decision.to !== 'egress') throw new Error(origin);
  return decision.permit;
}

/** The proxy's name, why it cannot be used, or `direct`. */
function way(env: { readonly [name: string]: string }, to: Permit): string {
  const next = readNextProxies(env).for(to);
  if (next === null) return 'direct';
  return next instanceof NextProxy ? next.name : next.why;
}

t.test('which variable names the way', t => {
  const HTTPS = 'https://p.test';
  const HTTP = 'http://p.test';
  const rows: readonly (readonly [{ readonly [name: string]: string }, string, string | RegExp])[] = [
    [{}, HTTPS, 'direct'],
    [{ HTTPS_PROXY: 'http://a.test:3128' }, HTTPS, 'a.test:3128'],
    [{ HTTPS_PROXY: 'http://a.test:3128' }, HTTP, 'direct'],
    [{ HTTP_PROXY: 'http://a.test:3128' }, HTTP, 'a.test:3128'],
    [{ HTTP_PROXY: 'http://a.test:3128' }, HTTPS, 'direct'],
    [{ ALL_PROXY: 'a.test' }, HTTP, 'a.test:80'],
    [{ ALL_PROXY: 'https://a.test/', http_proxy: 'b.test:1' }, HTTPS, 'a.test:443'],
    [{ https_proxy: 'b.test:1', HTTPS_PROXY: 'a.test:1' }, HTTPS, 'b.test:1'],
    [{ https_proxy: '', HTTPS_PROXY: 'a.test:1' }, HTTPS, 'a.test:1'],
    [{ all_proxy: 'http://user:p%40ss@[2001:db8::1]:8080' }, HTTPS, '[2001:db8::1]:8080'],
    [{ ALL_PROXY: 'socks5://a.test:1080' }, HTTPS, /^ALL_PROXY names a socks5 proxy/],
    [{ https_proxy: 'http://user:s3cret@' }, HTTPS, /^https_proxy is no proxy's address/],
    [{ https_proxy: 'http://u:%zz@a.test:1' }, HTTPS, /^https_proxy is no proxy's address/],
  ];
  for (const [env, origin, expected] of rows) {
    const found = way(env, permit(origin));
    if (typeof expected === 'string') t.equal(found, expected, JSON.stringify(env));
    else t.match(found, expected, JSON.stringify(env));
    t.notMatch(found, /s3cret/);
  }
  t.end();
});

t.test('NO_PROXY: hosts, suffixes, ports, ranges, everything', t => {
  const rows: readonly (readonly [string, direct: readonly string[], chained: readonly string[]])[] = [
    ['*', ['https://p.test', 'https://203.0.113.9'], []],
    ['p.test', ['https://p.test', 'https://a.p.test', 'https://p.test:8443'], ['https://xp.test']],
    ['.p.test', ['https://a.p.test'], ['https://p.test', 'https://ap.test']],
    ['*.p.test', ['https://a.b.p.test'], ['https://p.test']],
    ['P.Test:8443, q.test', ['https://p.test:8443', 'https://q.test'], ['https://p.test']],
    ['203.0.113.9', ['https://203.0.113.9'], ['https://203.0.113.10', 'https://p.test']],
    ['203.0.113.8/30', ['https://203.0.113.9'], ['https://203.0.113.12', 'https://p.test']],
    ['[2a00::]/16', ['https://[2a00::5]'], ['https://[2a01::5]', 'https://203.0.113.9']],
    ['2a00::5', ['https://[2a00::5]'], ['https://[2a00::6]']],
    ['203.0.113.8/33 %% ,,', [], ['https://203.0.113.8']],
  ];
  for (const [exempt, direct, chained] of rows) {
    for (const [origins, expected] of [
      [direct, 'direct'],
      [chained, 'a.test:1'],
    ] as const)
      for (const origin of origins)
        t.equal(
          way({ HTTPS_PROXY: 'a.test:1', NO_PROXY: exempt }, permit(origin)),
          expected,
          `${exempt}: ${origin}`,
        );
  }
  t.end();
});

t.test('[bad-input DNS] what is of this machine, or pinned, is never another proxy’s to find', t => {
  const env = { ALL_PROXY: 'a.test:1' };
  const snapshot = world({
    network: {
      egress: ['http://pinned.test', 'http://10.0.0.1', 'http://host.docker.internal', 'http://203.0.113.9'],
      writes: [],
      passthrough: [],
      ownLoopback: true,
    },
  });
  for (const [url, expected] of [
    ['http://pinned.test/', 'direct'],
    ['http://10.0.0.1/', 'direct'],
    ['http://host.docker.internal/', 'direct'],
    ['http://localhost:9/', 'direct'],
    ['http://127.0.0.1:4000/', 'direct'],
    ['http://db:5432/', 'direct'],
    ['http://shop.test/', 'direct'],
    ['http://203.0.113.9/', 'a.test:1'],
  ] as const) {
    const decision = decide(ask(url), snapshot);
    if (!('permit' in decision)) throw new Error(url);
    t.equal(way(env, decision.permit), expected, url);
  }
  t.end();
});

/** One request in a tunnel of its own. */
async function get(proxy: TestProxy, host: string) {
  const { peer } = await proxy.tunnel(host);
  await peer.send(`GET /a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const response = await peer.readResponse();
  peer.socket.destroy();
  const refusal = response.headers.some(([name]) => name === 'X-Wrld-World-Refusal');
  return { status: response.status, refusal, text: response.body.toString() };
}

const egress = (...origins: string[]) => ({
  network: { egress: origins, writes: [], passthrough: [], ownLoopback: true },
});
const never = async (): Promise<readonly string[]> => {
  throw new Error('nothing is looked up here');
};

t.test('egress by CONNECT: TLS and cleartext, with credentials for that proxy alone', async t => {
  await using origin = await startHttpOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    handler: (request, response) => response.end(JSON.stringify(request.headers)),
  });
  await using plain = await startHttpOrigin({
    handler: (request, response) => response.end(JSON.stringify(request.headers)),
  });
  await using secured = await startConnectProxy({ to: origin.port });
  await using cleartext = await startConnectProxy({
    to: plain.port,
    tls: { authority: upstreams, hosts: ['127.0.0.1'] },
  });
  const env = {
    HTTPS_PROXY: `http://us%65r:p%3Ass@127.0.0.1:${secured.port}`,
    http_proxy: `https://127.0.0.1:${cleartext.port}`,
  };
  await using proxy = await startProxy({
    world: egress('https://p.test', 'http://q.test'),
    upstreamCa: upstreams.pem,
    lookup: never,
    env,
  });
  const first = await get(proxy, 'p.test:443');
  t.equal(first.status, 200);
  t.same(JSON.parse(first.text), { host: 'p.test' }, 'the origin sees none of it');
  t.equal((await get(proxy, 'p.test:443')).status, 200);
  t.equal(secured.asked.length, 1, 'the connection behind it is kept and used again');
  t.equal(
    secured.asked[0]!.text,
    `CONNECT p.test:443 HTTP/1.1\r\nHost: p.test:443\r\nProxy-Authorization: Basic ${btoa('user:p:ss')}\r\n\r\n`,
  );
  t.notMatch(inspect(readNextProxies(env).for(permit('https://p.test')), { showHidden: true }), /p:ss/);

  const { peer } = await connectTunnel(proxy.port, 'q.test:80');
  await peer.send('GET / HTTP/1.1\r\nHost: q.test\r\n\r\n');
  t.equal((await peer.readResponse()).status, 200);
  peer.socket.destroy();
  t.same(
    cleartext.asked.map(head => head.text),
    ['CONNECT q.test:80 HTTP/1.1\r\nHost: q.test:80\r\n\r\n'],
  );
});

t.test('an address without a server name goes by it unread, in a build world', async t => {
  await using origin = await startHttpOrigin({
    tls: { authority: upstreams, hosts: ['203.0.113.9'] },
    handler: (_request, response) => response.end('ok'),
  });
  await using next = await startConnectProxy({ to: origin.port });
  const address = 'https://203.0.113.9';
  await using proxy = await startProxy({
    world: {
      phase: 'build',
      network: { egress: [address], writes: [], passthrough: [address], ownLoopback: true },
    },
    lookup: never,
    env: { ALL_PROXY: `127.0.0.1:${next.port}` },
  });
  const { peer } = await connectTunnel(proxy.port, '203.0.113.9:443', { tls: { ca: upstreams.pem } });
  await peer.send('GET / HTTP/1.1\r\nHost: 203.0.113.9\r\n\r\n');
  t.equal((await peer.readResponse()).status, 200);
  peer.socket.destroy();
  t.equal(next.asked[0]!.start, 'CONNECT 203.0.113.9:443 HTTP/1.1');

  const named = (await connectTunnel(proxy.port, '203.0.113.9:443')).peer;
  await once(connectTls({ socket: named.release(), servername: 'p.test' }), 'error');
  t.match(proxy.refusals, [{ rule: 'invalid', reason: /TLS names p\.test/ }]);
});

t.test('a proxy that says it is at it before it answers', async t => {
  await using origin = await startHttpOrigin({ handler: (_request, response) => response.end('behind') });
  await using next = await startConnectProxy({
    to: origin.port,
    answer: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
  });
  await using proxy = await startProxy({
    world: egress('http://p.test'),
    lookup: never,
    env: { ALL_PROXY: `127.0.0.1:${next.port}` },
  });
  const { peer } = await connectTunnel(proxy.port, 'p.test:80');
  await peer.send('GET / HTTP/1.1\r\nHost: p.test\r\n\r\n');
  const { status, body } = await peer.readResponse();
  t.strictSame(
    [status, body.toString()],
    [200, 'behind'],
    'the origin’s own answer, and none of the proxy’s',
  );
  peer.socket.destroy();
});

t.test('[7.1 a host that does not answer] which proxy failed is said, without the header', async t => {
  const refusing = (answer: string) => startConnectProxy({ to: 1, answer });
  await using locked = await refusing(
    'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n',
  );
  await using garbled = await refusing('SSH-2.0-x\r\n\r\n');
  await using mute = await refusing('');
  await using untrusted = await startConnectProxy({
    to: 1,
    tls: { authority: upstreams, hosts: ['127.0.0.1'] },
  });
  await using gone = await refusing('');
  const { port } = gone;
  await gone[Symbol.asyncDispose]();
  for (const [env, words] of [
    [`127.0.0.1:${locked.port}`, `the proxy 127.0.0.1:${locked.port} answered 407`],
    [`127.0.0.1:${garbled.port}`, `the proxy 127.0.0.1:${garbled.port} gave an answer that cannot be read`],
    [`127.0.0.1:${mute.port}`, `the proxy 127.0.0.1:${mute.port} closed without an answer`],
    [`127.0.0.1:${port}`, `the proxy 127.0.0.1:${port} failed: connect ECONNREFUSED`],
    [
      `https://127.0.0.1:${untrusted.port}`,
      `the proxy 127.0.0.1:${untrusted.port} failed: its certificate is of no authority`,
    ],
    ['nowhere.test:1', 'the proxy nowhere.test:1 did not resolve: nothing is looked up here'],
    ['socks5://127.0.0.1:1', 'ALL_PROXY names a socks5 proxy'],
  ] as const) {
    await using proxy = await startProxy({
      world: egress('https://p.test'),
      lookup: never,
      env: { ALL_PROXY: env },
    });
    const answer = await get(proxy, 'p.test:443');
    t.match(answer, { status: 502, refusal: false }, env);
    t.ok(answer.text.includes(words), `${answer.text} has ${words}`);
    t.match(answer.text, /^wrld: no answer from p\.test:443: the proxy on the way to it gave no connection/);
  }
});

t.test('TLS inside TLS, where the next proxy is an https:// one', async t => {
  await using origin = await startHttpOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    handler: (_request, response) => response.end('ok'),
  });
  await using next = await startConnectProxy({
    to: origin.port,
    tls: { authority: upstreams, hosts: ['127.0.0.1'] },
  });
  await using proxy = await startProxy({
    world: egress('https://p.test'),
    upstreamCa: upstreams.pem,
    lookup: never,
    env: { HTTPS_PROXY: `https://127.0.0.1:${next.port}` },
  });
  t.match(await get(proxy, 'p.test:443'), { status: 200, text: 'ok' });
  t.equal(next.asked.length, 1);
});

t.test('[bad-input Transport] a variable that names this proxy itself is no chain', async t => {
  const looked: string[] = [];
  for (const [own, expected] of [
    [[9], { ok: false, failure: { stage: 'resolve' } }],
    [[10], { ok: false, failure: { stage: 'proxy' } }],
  ] as const) {
    const dialled = await dial(permit('http://p.test'), {
      trust: () => createSecureContext(),
      lookup: async host => {
        looked.push(host);
        return await never();
      },
      nextProxies: readNextProxies({ ALL_PROXY: 'http://localhost:9' }),
      own: () => own,
    });
    t.match(dialled, expected);
  }
  t.same(looked, ['p.test', 'localhost']);
});
