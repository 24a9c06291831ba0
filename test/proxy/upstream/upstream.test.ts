import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { DIAL_ADDRESS_MS_MAX } from '../../../proxy/limits.ts';
import { type OriginOptions, startOrigin } from '../../kit/origin.ts';
import { granting, startProxy, type TestProxy } from '../../kit/proxy.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';
import { openWire } from '../../kit/wire.ts';

const upstreams = await createTestAuthority();
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const serving: OriginOptions['script'] = async peer => {
  for (;;) {
    await peer.readRequest();
    await peer.send(OK);
  }
};

/** One request in a tunnel of its own. */
async function ask(proxy: TestProxy, host: string, method = 'GET', body = '') {
  const { peer } = await proxy.tunnel(host);
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
  await peer.send(`${method} /v1/a HTTP/1.1\r\nHost: ${host}\r\n${length}\r\n${body}`);
  const response = await peer.readResponse(method);
  peer.socket.destroy();
  return {
    status: response.status,
    refusal: response.headers.some(([name]) => name === 'X-Wrld-World-Refusal'),
    text: response.body.toString(),
  };
}

t.test('[7.1 a host that does not answer] 502 without the header, and what failed', async t => {
  await using dead = await startOrigin({ script: serving });
  const { port } = dead;
  await dead.stop();
  await using untrusted = await startOrigin({
    tls: { authority: await createTestAuthority('another'), hosts: ['p.test'] },
    script: serving,
  });
  await using other = await startOrigin({
    tls: { authority: upstreams, hosts: ['q.test'] },
    script: serving,
  });
  await using expired = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'], days: -1 },
    script: serving,
  });
  await using silent = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    script: async peer => {
      await peer.readRequest();
      peer.end();
    },
  });
  await using garbled = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    script: async peer => {
      await peer.readRequest();
      await peer.send('SSH-2.0-hello\r\n\r\n');
      await peer.gone();
    },
  });
  const hosts = [port, untrusted.port, other.port, expired.port, silent.port, garbled.port].map(
    at => `p.test:${at}`,
  );
  await using proxy = await startProxy({
    world: {
      ...granting(...hosts.map(host => `https://${host}`), 'https://nowhere.invalid'),
      extraHosts: { 'p.test': '127.0.0.1' },
    },
    upstreamCa: upstreams.pem,
  });
  for (const [host, words] of [
    [hosts[0]!, /took no connection \(connect ECONNREFUSED/],
    [hosts[1]!, /TLS with it failed/],
    [hosts[2]!, /TLS with it failed.*altnames/],
    [hosts[3]!, /TLS with it failed.*expired/],
    [hosts[4]!, /closed without an answer/],
    [hosts[5]!, /could not be read \(its status line is malformed\)/],
    ['nowhere.invalid:443', /name did not resolve/],
  ] as const) {
    const answer = await ask(proxy, host);
    t.match({ ...answer, host }, { status: 502, refusal: false, text: words, host });
  }
  t.same(proxy.refusals, []);
});

t.test(
  '[bad-input DNS] a granted name that leads to this machine is refused unless it is pinned there',
  async t => {
    await using origin = await startOrigin({
      tls: { authority: upstreams, hosts: ['pinned.test'] },
      script: serving,
    });
    const addresses = ['127.0.0.1', '::1', '0.0.0.0', '169.254.169.254', 'fe80::1', '::ffff:127.0.0.1'];
    const egress = [...addresses.keys()].map(nth => `https://n${nth}.test:${origin.port}`);
    const looked: string[] = [];
    await using proxy = await startProxy({
      world: {
        network: {
          egress: [...egress, `https://pinned.test:${origin.port}`],
          writes: [],
          passthrough: [],
          ownLoopback: true,
        },
        extraHosts: { 'pinned.test': '127.0.0.1' },
      },
      upstreamCa: upstreams.pem,
      lookup: async host => {
        looked.push(host);
        return [addresses[Number(host[1])]!];
      },
    });
    for (const [nth, address] of addresses.entries()) {
      const answer = await ask(proxy, `n${nth}.test:${origin.port}`);
      t.match(
        answer,
        { status: 502, refusal: true, text: /"rule":"not-granted".*"grantField":"runtime\.extraHosts"/ },
        address,
      );
    }
    t.match(await ask(proxy, `pinned.test:${origin.port}`), { status: 200 });
    t.same(
      looked,
      [...addresses.keys()].map(nth => `n${nth}.test`),
      'one look-up a name, none for a pinned one',
    );
  },
);

t.test('[bad-input Transport] the proxy asked to reach itself', async t => {
  await using proxy = await startProxy();
  const host = `127.0.0.1:${proxy.port}`;
  await using wire = await openWire(proxy.port);
  await wire.send(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const response = await wire.readResponse();
  t.match(response.body.toString(), /go round in a circle/);
});

t.test('a stale kept-alive connection: a read is tried once more, a write never', async t => {
  const seen: string[] = [];
  await using origin = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    script: async (peer, nth) => {
      seen.push(`${nth} ${(await peer.readRequest()).method}`);
      await peer.send(OK);
      seen.push(`${nth} ${(await peer.readRequest()).method}`);
      // Gone without a byte, as a server that closes an idle connection while a request is on its way.
      peer.socket.destroy();
    },
  });
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`https://${host}`), upstreamCa: upstreams.pem });
  t.equal((await ask(proxy, host)).status, 200);
  t.equal((await ask(proxy, host)).status, 200, 'the retry answers');
  t.same(seen, ['0 GET', '0 GET', '1 GET']);
  t.match(await ask(proxy, host, 'POST', 'a'), { status: 502, refusal: false });
  t.same(seen, ['0 GET', '0 GET', '1 GET', '1 POST'], 'the write was sent once');
});

t.test('more than one answer to a question is never the next one’s', async t => {
  await using origin = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    script: async peer => {
      await peer.readRequest();
      await peer.send(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray`);
      await peer.gone();
    },
  });
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`https://${host}`), upstreamCa: upstreams.pem });
  for (let i = 0; i < 3; i++) t.equal((await ask(proxy, host)).text, 'ok');
  t.equal(origin.connections.length, 3, 'the connection that said too much was given up');
});

t.test(
  '[design] twins are asked by way of control’s socket, with headers that clients cannot set',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'wrld-twins-'));
    const control = createServer((request, response) => {
      const own = Object.entries(request.headers).filter(
        ([name]) => name.startsWith('x-wrld') || name === 'x-twins-key',
      );
      response.end(
        JSON.stringify({ url: request.url, host: request.headers.host, own: Object.fromEntries(own) }),
      );
    });
    await new Promise<void>(resolve => control.listen(`${folder}/twins.sock`, resolve));
    await using proxy = await startProxy({
      controlSocket: `${folder}/twins.sock`,
      world: { routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw' }] },
    });
    const { peer } = await proxy.tunnel('tw.test:443');
    await peer.send(
      'GET /v1/things?limit=1 HTTP/1.1\r\nHost: tw.test\r\nX-Wrld-Host: evil.test\r\nX-Wrld-Caller: person:eve\r\nX-Twins-Key: tok_w_1\r\n\r\n',
    );
    t.same(JSON.parse((await peer.readResponse()).body.toString()), {
      url: '/acme/shop/tw/v1/things?limit=1',
      host: 'tw.test',
      own: {
        'x-twins-key': 'tok_w_1',
        'x-wrld-host': 'tw.test',
        'x-wrld-scheme': 'https',
        'x-wrld-run': 'default',
      },
    });
    await peer.send('GET /v2/things HTTP/1.1\r\nHost: tw.test\r\n\r\n');
    t.match(
      (await peer.readResponse()).body.toString(),
      /"missing":"twin","rule":"unclaimed-path"/,
      '[7.2 unclaimed-path]',
    );
    control.close();
    control.closeAllConnections();
    const away = await ask(proxy, 'tw.test:443');
    t.match(away, { status: 502, refusal: false, text: /the world's control process/ });
    rmSync(folder, { recursive: true, force: true });
  },
);

t.test(
  'a twin that switches protocols gets the client’s bytes as they are, and the other way round',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'wrld-upgrade-'));
    const control = createServer();
    control.on('upgrade', (request, socket, first: Buffer) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: ${request.headers['sec-websocket-protocol']}\r\nSec-WebSocket-Accept: x\r\n\r\nhello `,
      );
      socket.write(first);
      socket.pipe(socket);
    });
    await new Promise<void>(resolve => control.listen(`${folder}/twins.sock`, resolve));
    await using proxy = await startProxy({
      controlSocket: `${folder}/twins.sock`,
      world: { ...granting('https://p.test'), routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }] },
    });
    const upgrade = (host: string): string =>
      `GET /v1/realtime HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: a, b\r\n\r\n`;
    const { peer } = await proxy.tunnel('tw.test:443');
    await peer.send(`${upgrade('tw.test')}early `);
    const head = await peer.readHead();
    t.equal(
      head.text,
      'HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Accept: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    t.equal((await peer.read(12)).toString(), 'hello early ');
    const big = Buffer.alloc(4 * 1024 * 1024, 'z');
    void peer.send(big);
    t.equal((await peer.read(big.length)).equals(big), true, 'both ways, in full');
    peer.end();
    t.equal(await peer.closed(), 'ended', 'its end is passed on');

    const granted = await proxy.tunnel('p.test:443');
    await granted.peer.send(upgrade('p.test'));
    t.match(
      (await granted.peer.readResponse()).body.toString(),
      /"rule":"inspected-transport"/,
      '[7.2 inspected-transport] a granted origin',
    );
    granted.peer.socket.destroy();
    control.close();
    control.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  },
);

t.test('a handler’s reset cuts the client’s connection; a vendor cannot ask for it', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-fault-'));
  const control = createServer((_request, response) =>
    response.writeHead(502, { 'x-wrld-fault': 'reset' }).end(),
  );
  await new Promise<void>(resolve => control.listen(`${folder}/twins.sock`, resolve));
  await using origin = await startOrigin({
    script: async peer => {
      await peer.readRequest();
      await peer.send('HTTP/1.1 200 OK\r\nX-Wrld-Fault: reset\r\nContent-Length: 2\r\n\r\nok');
    },
  });
  await using proxy = await startProxy({
    controlSocket: `${folder}/twins.sock`,
    world: {
      ...granting(`http://p.test:${origin.port}`),
      routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }],
    },
  });
  const { peer } = await proxy.tunnel('tw.test:443');
  await peer.send('GET / HTTP/1.1\r\nHost: tw.test\r\n\r\n');
  await peer.gone();
  t.equal(peer.received.length, 0);
  await using plain = await openWire(proxy.port);
  await plain.send(`GET http://p.test:${origin.port}/ HTTP/1.1\r\nHost: p.test\r\n\r\n`);
  t.equal((await plain.readResponse()).text, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
  control.close();
  control.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

t.test('an address that swallows what is sent to it does not take the time of the next', async t => {
  // A listener with a full backlog answers no SYN, as a black hole does: its thread never accepts.
  const worker = new Worker(
    `const { createServer } = require('node:net');
     const { parentPort } = require('node:worker_threads');
     const server = createServer().listen({ port: 0, host: '127.0.0.2', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  t.teardown(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connectTcp({ host: '127.0.0.2', port }));
  for (const filler of fillers) filler.on('error', () => {});
  t.teardown(() => {
    for (const filler of fillers) filler.destroy();
  });
  await Promise.all(fillers.slice(0, 2).map(filler => once(filler, 'connect')));

  const alive = createServer((_request, response) => response.end('ok'));
  alive.listen(port, '127.0.0.3');
  await once(alive, 'listening');
  t.teardown(() => alive.close());
  await using proxy = await startProxy({
    world: { services: [{ name: 'hole', host: 'hole', port }] },
    lookup: async () => ['127.0.0.2', '127.0.0.3'],
  });
  await using wire = await openWire(proxy.port);
  const started = performance.now();
  await wire.send(`GET http://hole:${port}/ HTTP/1.1\r\nHost: hole:${port}\r\n\r\n`);
  t.equal((await wire.readResponse()).body.toString(), 'ok');
  const took = performance.now() - started;
  t.ok(took >= DIAL_ADDRESS_MS_MAX - 50, `the first address was given its time: ${took} ms`);
});
