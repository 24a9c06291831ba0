// The rules of 7.2 that depend on who asks and for what part of the world, each on the wire with its nearest
// neighbour that passes. The tables of policy/ hold every combination; here it is that the proxy asks rightly.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import type { Declaration } from '../../policy/run.ts';
import type { SnapshotDocument } from '../../policy/snapshot.ts';
import { type HttpOrigin, startHttpOrigin } from '../kit/origin.ts';
import type { Peer } from '../kit/peer.ts';
import { startProxy, type TestProxy } from '../kit/proxy.ts';
import { startControl } from '../kit/stand-in-control.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { connectTunnel, openWire, TunnelRefused } from '../kit/wire.ts';

const upstreams = await createTestAuthority();
const SECRET = 'S3cret';

function basic(run: string, secret = SECRET): string {
  return `Proxy-Authorization: Basic ${btoa(`${run}:${secret}`)}\r\n`;
}

/** Runs by name, each with a declaration and the same secret; the default one beside them. */
function runs(declarations: { readonly [name: string]: Declaration }): SnapshotDocument['runs'] {
  const secretHash = createHash('sha256').update(SECRET).digest('hex');
  return Object.entries({ default: {}, ...declarations }).map(([name, declaration]) => ({
    name,
    secretHash,
    declaration,
  }));
}

type Answered = { readonly status: number; readonly text: string; readonly rule: string | null };

async function answer(peer: Peer): Promise<Answered> {
  const response = await peer.readResponse();
  const text = response.body.toString();
  const rule = /"rule":"([a-z-]+)"/.exec(text)?.[1] ?? null;
  peer.socket.destroy();
  return { status: response.status, text, rule };
}

/** One request in absolute form. */
async function get(port: number, url: string, headers = ''): Promise<Answered> {
  const wire = await openWire(port);
  await wire.send(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${headers}\r\n`);
  return await answer(wire);
}

/** One request in a tunnel that is TLS of the world's. */
async function getSecure(proxy: TestProxy, port: number, host: string, headers = ''): Promise<Answered> {
  const { peer } = await connectTunnel(port, `${host}:443`, { tls: { ca: proxy.ca }, headers });
  await peer.send(`GET /v1/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return await answer(peer);
}

/** Bytes that are no request, through a CONNECT; the rule that closed it. */
async function rawly(
  proxy: TestProxy,
  port: number,
  authority: string,
  headers = '',
  bytes = 'SSH-2.0-x\r\n',
) {
  const { peer } = await connectTunnel(port, authority, { headers });
  await peer.send(bytes);
  await peer.closed();
  return proxy.refusals.at(-1)?.rule;
}

/** One GET on a session of HTTP/2. */
async function ruleOverHttp2(peer: Peer, host: string): Promise<string | undefined> {
  const session = connectHttp2(`https://${host}`, { createConnection: () => peer.release() });
  const body = await text(session.request({ ':path': '/v1/a' }));
  session.destroy();
  return /"rule":"([a-z0-9-]+)"/.exec(body)?.[1];
}

const hello = (): Promise<HttpOrigin> =>
  startHttpOrigin({ handler: (request, response) => response.end(`hello ${request.headers.host}`) });

/** Pinned to loopback and granted for reads and writes. */
function granted(...origins: readonly string[]) {
  return {
    network: { egress: origins, writes: origins, passthrough: [], ownLoopback: true },
    extraHosts: Object.fromEntries(origins.map(origin => [new URL(origin).hostname, '127.0.0.1'])),
  };
}

t.test('[7.2 undeclared] a run’s list of hosts, and where it was declared', async t => {
  await using origin = await hello();
  const host = `p.test:${origin.port}`;
  const declaredBy = [{ capability: 'network.egress', file: 'hosts.json', line: 3 }];
  await using proxy = await startProxy({
    world: {
      ...granted(`http://${host}`),
      runs: runs({ narrow: { egress: ['q.test'], declaredBy }, wide: { egress: [host] } }),
    },
  });
  const refused = await get(proxy.port, `http://${host}/`, basic('narrow'));
  t.match(refused, { status: 502, rule: 'undeclared' });
  t.match(JSON.parse(refused.text.split('\n')[1]!), { missing: 'declaration', declaredBy: declaredBy[0] });
  t.equal((await get(proxy.port, `http://${host}/`, basic('wide'))).text, `hello ${host}`);
  const bare = await get(proxy.port, `http://${host}/`);
  t.match(bare, { status: 407, text: /does not say which run/ }, 'a run is not shed');
  const unnamed = await get(proxy.port, `http://${host}/`, basic('default'));
  t.equal(unnamed.status, 200, 'the default run declares nothing');

  const { peer } = await connectTunnel(proxy.port, host, { headers: basic('narrow') });
  await peer.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.match(await answer(peer), { rule: 'undeclared' }, 'a tunnel is of the run that opened it');
});

t.test('[7.2 service-undeclared] a service of the world, by HTTP and by its own protocol', async t => {
  await using origin = await hello();
  const host = `db:${origin.port}`;
  await using proxy = await startProxy({
    world: {
      services: [{ name: 'db', host: 'db', port: origin.port }],
      runs: runs({ without: { services: [] }, with: { services: ['db'] } }),
    },
    lookup: async () => ['127.0.0.1'],
  });
  t.match(await get(proxy.port, `http://${host}/`, basic('without')), { rule: 'service-undeclared' });
  t.equal((await get(proxy.port, `http://${host}/`, basic('with'))).text, `hello ${host}`);
  t.equal(await rawly(proxy, proxy.port, host, basic('without')), 'service-undeclared');
  const { peer } = await connectTunnel(proxy.port, host, { headers: basic('with') });
  await peer.send('SSH-2.0-x\r\n\r\n');
  t.match(await peer.readHead(), { start: 'HTTP/1.1 400 Bad Request' }, 'the service’s own answer to it');
  peer.socket.destroy();
});

t.test('[7.2 own-loopback-ungranted] [7.2 host-undeclared] this machine’s own addresses', async t => {
  await using origin = await hello();
  const host = `127.0.0.1:${origin.port}`;
  const url = `http://${host}/`;
  const world = {
    ...granted(`http://${host}`),
    runs: runs({
      confined: { ownLoopback: false, host: false },
      free: { ownLoopback: false, host: true },
    }),
  };
  const { extraHosts: _named, ...pinless } = world;
  await using proxy = await startProxy({ world: pinless });
  t.equal((await get(proxy.port, url, basic('default'))).text, `hello ${host}`);
  t.match(await get(proxy.port, url, basic('confined')), { rule: 'host-undeclared' });
  t.equal((await get(proxy.port, url, basic('free'))).text, `hello ${host}`, 'declared, and granted');
  t.equal(await rawly(proxy, proxy.port, host, basic('confined')), 'host-undeclared');
  t.match(await get(proxy.port, 'http://10.0.0.1/', basic('confined')), { rule: 'host-undeclared' });
  t.match(await get(proxy.port, 'http://169.254.169.254/', basic('free')), { rule: 'not-granted' });

  proxy.push({ ...pinless, network: { ...world.network, ownLoopback: false } });
  t.match(await get(proxy.port, url, basic('default')), { rule: 'own-loopback-ungranted' });
  t.equal(await rawly(proxy, proxy.port, host, basic('default')), 'own-loopback-ungranted');
});

t.test('[7.2 raw-socket-app] the application’s hosts take HTTP, with TLS or without', async t => {
  await using app = await hello();
  await using proxy = await startProxy({
    world: { app: { hosts: ['shop.test'], upstream: `http://127.0.0.1:${app.port}` } },
  });
  t.equal((await get(proxy.port, 'http://shop.test/')).text, 'hello shop.test');
  t.equal((await getSecure(proxy, proxy.port, 'shop.test')).text, 'hello shop.test');
  const { peer } = await connectTunnel(proxy.port, 'shop.test:80');
  await peer.send('GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n');
  t.equal((await answer(peer)).text, 'hello shop.test');
  t.equal(await rawly(proxy, proxy.port, 'shop.test:443'), 'raw-socket-app');
});

t.test('[7.2 guest-upgrade] [7.2 guest-http2] guests’ HTTP is plain requests', async t => {
  await using origin = await hello();
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: granted(`http://${host}`) });
  const { guestPort } = proxy;
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  t.match(await get(guestPort, `http://${host}/`, upgrade), { status: 502, rule: 'guest-upgrade' });
  t.match(await get(proxy.port, `http://${host}/`, upgrade), { rule: 'inspected-transport' });
  t.equal((await get(guestPort, `http://${host}/`)).text, `hello ${host}`);

  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  t.equal(await rawly(proxy, guestPort, host, '', preface), 'guest-http2');
  t.equal(await rawly(proxy, proxy.port, host, '', preface), 'inspected-transport');
  const { peer } = await connectTunnel(guestPort, host);
  await peer.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n`);
  t.match(await answer(peer), { rule: 'guest-upgrade' }, 'in a tunnel too');
  const plain = (await connectTunnel(guestPort, host)).peer;
  await plain.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.equal((await answer(plain)).text, `hello ${host}`);
});

t.test('[7.2 guest-inspected] a guest’s TLS goes unread where all of the origin is granted', async t => {
  await using origin = await startHttpOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    handler: (_request, response) => response.end('the origin itself'),
  });
  const host = `p.test:${origin.port}`;
  const whole = granted(`https://${host}`);
  await using proxy = await startProxy({ world: whole, upstreamCa: upstreams.pem });
  const tls = { ca: upstreams.pem };
  const { peer } = await connectTunnel(proxy.guestPort, host, { tls });
  await peer.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.equal((await answer(peer)).text, 'the origin itself', 'with its own certificate');
  const stray = (await connectTunnel(proxy.guestPort, host)).peer;
  await once(connectTls({ socket: stray.release(), servername: 'q.test' }), 'error');
  t.match(proxy.refusals, [{ rule: 'invalid', reason: /TLS names q\.test/ }], 'its hello must name it');
  t.equal(await rawly(proxy, proxy.guestPort, host), 'inspected-transport', 'and it must be TLS');

  for (const network of [
    { ...whole.network, writes: [] },
    { ...whole.network, egress: [`https://${host}/v1/`] },
  ]) {
    proxy.push({ ...whole, network });
    // Ended here only to say so: what is granted in part is not read on a guest's behalf.
    const inside = (await connectTunnel(proxy.guestPort, host, { tls: { ca: proxy.ca } })).peer;
    await inside.send(`GET /v1/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    t.match(await answer(inside), { status: 502, rule: 'guest-inspected' });
    t.equal(await rawly(proxy, proxy.guestPort, host), 'guest-inspected');
    const h2 = await connectTunnel(proxy.guestPort, host, { tls: { ca: proxy.ca, alpn: ['h2'] } });
    t.equal(await ruleOverHttp2(h2.peer, host), 'guest-http2');
    const read = (await connectTunnel(proxy.port, host, { tls: { ca: proxy.ca } })).peer;
    await read.send(`GET /v1/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    t.equal((await answer(read)).status, 200, 'for anyone else it is read');
  }
  t.match(await getSecure(proxy, proxy.guestPort, 'q.test'), { rule: 'not-granted' });
});

t.test('[7.2 guest-private] a guest has the world’s parts, not the machine’s network', async t => {
  await using origin = await hello();
  await using control = await startControl();
  const host = `127.0.0.1:${origin.port}`;
  await using proxy = await startProxy({
    controlSocket: control.path,
    world: {
      ...granted(),
      routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }],
      runs: runs({ image: { ownLoopback: true, services: ['db'] } }),
      services: [{ name: 'db', host: 'db', port: origin.port }],
    },
    lookup: async () => ['127.0.0.1'],
  });
  const { guestPort } = proxy;
  for (const url of [
    `http://${host}/`,
    'http://10.0.0.1/',
    'http://host.docker.internal/',
    'http://[fd00::1]/',
  ])
    t.match(await get(guestPort, url, basic('default')), { status: 502, rule: 'guest-private' }, url);
  t.match(
    await getSecure(proxy, guestPort, '10.0.0.1', basic('default')),
    { rule: 'guest-private' },
    'readable in TLS too',
  );
  t.equal(await rawly(proxy, guestPort, host, basic('default')), 'guest-private');
  t.equal(
    (await get(guestPort, `http://${host}/`, basic('image'))).text,
    `hello ${host}`,
    'its own listener',
  );
  t.equal(
    (await get(guestPort, `http://db:${origin.port}/`, basic('image'))).status,
    200,
    'a declared service',
  );
  t.equal(
    (await getSecure(proxy, guestPort, 'tw.test', basic('default'))).text,
    'twin GET /acme/shop/tw/v1/a',
    'a twin, by TLS',
  );
  t.equal((await get(guestPort, 'http://tw.test/x', basic('default'))).text, 'twin GET /acme/shop/tw/x');

  proxy.push({ endpoints: [host] });
  t.equal((await get(guestPort, `http://${host}/`)).text, `hello ${host}`, 'the world’s own endpoints');
});

t.test('[design: which run is asking] 407 for wrong credentials, and for none beyond loopback', async t => {
  await using control = await startControl();
  const world = {
    routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }],
    runs: runs({ web: {} }),
    anonymousRuns: true,
  };
  await using local = await startProxy({ world, controlSocket: control.path });
  await using open = await startProxy({ world, controlSocket: control.path, host: '0.0.0.0' });
  for (const [proxy, headers, status] of [
    [local, '', 200],
    [local, basic('web'), 200],
    [local, basic('web', 'wrong'), 407],
    [local, basic('other'), 407],
    [open, '', 407],
    [{ ...open, port: open.guestPort }, '', 407],
    [open, basic('web', ''), 407],
    [open, basic('web'), 200],
    [{ ...open, port: open.guestPort }, basic('web'), 200],
  ] as const) {
    const { port, ca } = proxy;
    const what = `${port === local.port ? 'loopback' : 'any address'} ${headers}`;
    const plain = await get(port, 'http://tw.test/', headers);
    t.equal(plain.status, status, what);
    t.notMatch(plain.text, new RegExp(SECRET));
    const tunnel = await connectTunnel(port, 'tw.test:443', { headers, tls: { ca } }).catch(
      (error: Error) => error,
    );
    if (tunnel instanceof TunnelRefused) {
      t.match(tunnel.connect.text, /^HTTP\/1\.1 407 .*\r\nProxy-Authenticate: Basic realm="wrld"/);
      tunnel.peer.socket.destroy();
    } else if (tunnel instanceof Error) throw tunnel;
    else tunnel.peer.socket.destroy();
    t.equal(tunnel instanceof TunnelRefused, status === 407, `CONNECT: ${what}`);
  }
});
