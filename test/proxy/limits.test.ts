import t from 'tap';
import { HEAD_BYTES_MAX } from '../../proxy/limits.ts';
import { within } from '../kit/deadline.ts';
import { startHttpOrigin, startOrigin } from '../kit/origin.ts';
import type { Ending, Peer } from '../kit/peer.ts';
import { granting, startProxy } from '../kit/proxy.ts';
import { connectTunnel, openWire, TunnelRefused } from '../kit/wire.ts';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Sends a byte every few milliseconds until the other side has gone. */
async function drip(peer: Peer): Promise<Ending> {
  const timer = setInterval(() => void peer.send('a'), 5);
  return peer.gone().finally(() => clearInterval(timer));
}

t.test(
  'CLIENT_CONNECTIONS_MAX: a further connection is answered 503, and counted; one that closes makes room',
  async t => {
    await using proxy = await startProxy({ limits: { clientConnections: 2 } });
    const request = 'GET http://p.test/ HTTP/1.1\r\nHost: p.test\r\n\r\n';
    const held = [await openWire(proxy.port), await openWire(proxy.port)];
    for (const peer of held) {
      await peer.send(request);
      await peer.readResponse();
    }
    for (const asked of [request, 'CONNECT p.test:443 HTTP/1.1\r\nHost: p.test:443\r\n\r\n']) {
      const third = await openWire(proxy.port);
      await third.send(asked);
      const told = (await third.readToEnd()).toString();
      t.match(told, /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n[\s\S]*as many connections open as it may/);
    }
    t.equal(proxy.metrics.counter('connectionsRefused'), 2);
    t.equal(proxy.metrics.gauge('connectionsOpen'), 2);
    held[0]!.socket.destroy();
    await within(
      'room',
      (async () => {
        while (proxy.metrics.gauge('connectionsOpen') > 1) await turn();
      })(),
    );
    const fourth = await openWire(proxy.port);
    await fourth.send(request);
    t.equal((await fourth.readResponse()).status, 502, 'judged, and refused by a rule');
    for (const peer of [...held, fourth]) peer.socket.destroy();
  },
);

t.test('clients and upstream connections share their room: each is told when the other has it', async t => {
  await using origin = await startHttpOrigin({ handler: (_request, response) => response.end('ok') });
  const url = `http://p.test:${origin.port}`;
  const request = `GET ${url}/ HTTP/1.1\r\nHost: p.test:${origin.port}\r\n\r\n`;
  const ask = async (peer: Peer): Promise<number> => {
    await peer.send(request);
    return (await peer.readResponse()).status;
  };
  const two = { world: granting(url), limits: { connections: 2 } };
  {
    await using proxy = await startProxy(two);
    const [first, second] = [await openWire(proxy.port), await openWire(proxy.port)];
    await within(
      'both',
      (async () => {
        while (proxy.metrics.gauge('connectionsOpen') < 2) await turn();
      })(),
    );
    t.equal(await ask(first), 503, 'the second client has the place of an upstream');
    for (const peer of [first, second]) peer.socket.destroy();
  }
  await using proxy = await startProxy(two);
  const first = await openWire(proxy.port);
  t.equal(await ask(first), 200, 'one of each');
  const second = await openWire(proxy.port);
  t.equal(await ask(second), 503, 'the upstream that is kept has the place of a second client');
  for (const peer of [first, second]) peer.socket.destroy();
});

t.test('TUNNELS_PER_RUN_MAX: a further CONNECT is answered 503; one that closes makes room', async t => {
  await using proxy = await startProxy({ limits: { tunnelsPerRun: 2 } });
  const one = await proxy.tunnel('a.test:443');
  const two = await proxy.tunnel('b.test:443');
  const refused = await connectTunnel(proxy.port, 'c.test:443').catch(error => error);
  t.ok(refused instanceof TunnelRefused);
  t.match(refused.connect.start, /^HTTP\/1\.1 503 /);
  t.match((await refused.peer.readToEnd()).toString(), /this run has 2 tunnels open/);
  t.equal(proxy.metrics.counter('tunnelsRefused'), 1);
  await one.peer.send('GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
  await one.peer.closed();
  const three = await proxy.tunnel('c.test:443');
  t.equal(proxy.metrics.gauge('tunnelsOpen'), 2);
  for (const { peer } of [two, three]) peer.socket.destroy();
});

t.test('LEAF_MINTS: over the rate a tunnel to a new host is closed, one to a known host is not', async t => {
  await using proxy = await startProxy({ limits: { leafMintsPerSecond: 0, leafMintsBurst: 2 } });
  for (const host of ['a.test', 'b.test']) (await proxy.tunnel(`${host}:443`)).peer.socket.destroy();
  await t.rejects(proxy.tunnel('c.test:443'));
  (await proxy.tunnel('a.test:443')).peer.socket.destroy();
  t.equal(proxy.metrics.counter('leafMints'), 2);
  t.equal(proxy.metrics.counter('leafMintsRefused'), 1);
});

t.test('HEAD_MS_MAX: a head that comes byte by byte is cut, however many bytes come', async t => {
  await using proxy = await startProxy({ limits: { headMs: 60, sweepMs: 10 } });
  const fresh = await openWire(proxy.port);
  await fresh.send('GET http://p.test/ HTTP/1.1\r\nX: ');
  t.ok(await drip(fresh), 'a first head');
  const kept = await openWire(proxy.port);
  await kept.send('GET http://p.test/ HTTP/1.1\r\nHost: p.test\r\n\r\n');
  t.equal((await kept.readResponse()).status, 502, 'a whole request is answered');
  await kept.send('GET http://p.test/ HTTP/1.1\r\nX: ');
  t.ok(await drip(kept), 'a later head');
  const silent = await openWire(proxy.port);
  t.ok(await silent.gone('a client that says nothing to be cut'));
});

t.test('HANDSHAKE_MS_MAX: silence after CONNECT, and a TLS hello that never ends', async t => {
  await using proxy = await startProxy({ limits: { handshakeMs: 60, sweepMs: 10 } });
  const silent = await connectTunnel(proxy.port, 'a.test:443');
  t.ok(await silent.peer.gone(), 'silence');
  const { peer } = await connectTunnel(proxy.port, 'a.test:443');
  await peer.send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]));
  t.ok(await drip(peer), 'a hello');
});

t.test('CLIENT_IDLE_MS_MAX: a kept connection that is not used is closed', async t => {
  await using proxy = await startProxy({ limits: { clientIdleMs: 40, sweepMs: 10 } });
  const peer = await openWire(proxy.port);
  await peer.send('GET http://p.test/ HTTP/1.1\r\nHost: p.test\r\n\r\n');
  t.equal((await peer.readResponse()).status, 502);
  t.ok(await peer.gone());
});

t.test(
  'EXCHANGE_STALL_MS_MAX: each piece of an answer puts the end off, and one that never comes is not waited for',
  async t => {
    const asked = Promise.withResolvers<Peer>();
    await using origin = await startOrigin({
      script: async peer => {
        await peer.readHead();
        await peer.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        asked.resolve(peer);
        await peer.gone();
      },
    });
    const host = `p.test:${origin.port}`;
    // Time goes on in leaps, as this process tells it; who is idle ends with the sweep that saw one.
    const { now } = performance;
    let ahead = 0;
    performance.now = () => now.call(performance) + ahead;
    t.teardown(() => {
      performance.now = now;
    });
    const limits = { exchangeStallMs: 60_000, clientIdleMs: 30_000, sweepMs: 5 };
    await using proxy = await startProxy({ world: granting(`http://${host}`), limits });
    const leap = async (): Promise<void> => {
      const idle = await openWire(proxy.port);
      await idle.send('GET http://o.test/ HTTP/1.1\r\nHost: o.test\r\n\r\n');
      await idle.readResponse();
      ahead += 40_000;
      await idle.gone();
    };
    const peer = await openWire(proxy.port);
    await peer.send(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (const piece of ['a', 'b', 'c']) {
      await (await asked.promise).send(`1\r\n${piece}\r\n`);
      if (piece === 'a') await peer.readHead();
      t.equal((await peer.readChunk()).toString(), piece);
      await leap();
    }
    await leap();
    t.ok(await peer.gone());
  },
);

t.test('HEAD_BYTES_MAX: a head that is too long is answered 431', async t => {
  await using proxy = await startProxy();
  await using peer = await openWire(proxy.port);
  void peer.send(`GET http://p.test/ HTTP/1.1\r\nX: ${'a'.repeat(HEAD_BYTES_MAX)}`);
  t.equal((await peer.readResponse()).status, 431);
});

/** What kernels hold of a stalled loopback connection, both ends and both hops, with room to spare. */
const STALLED_BYTES_MAX = 32 * 1024 * 1024;
const OFFERED_BYTES = 128 * 1024 * 1024;
const CHUNK = Buffer.alloc(256 * 1024, 'x');

/** How much the peer could send before the other side took no more. */
async function sentBeforeStall(peer: Peer): Promise<number> {
  let sent = 0;
  while (sent < OFFERED_BYTES) {
    const stalled = Promise.withResolvers<false>();
    const timer = setTimeout(() => stalled.resolve(false), 300);
    const went = await Promise.race([peer.send(CHUNK), stalled.promise]);
    clearTimeout(timer);
    if (!went) break;
    sent += CHUNK.length;
  }
  return sent;
}

t.test('buffered bytes: a side that does not read holds the other back, in both directions', async t => {
  const answer = Promise.withResolvers<number>();
  await using origin = await startOrigin({
    script: async (peer, nth) => {
      await peer.readHead();
      if (nth === 1) {
        peer.pause();
        return;
      }
      await peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${OFFERED_BYTES}\r\n\r\n`);
      answer.resolve(await sentBeforeStall(peer));
    },
  });
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`http://${host}`) });

  const deaf = await openWire(proxy.port);
  await deaf.send(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  await deaf.readHead();
  deaf.pause();
  t.ok((await answer.promise) < STALLED_BYTES_MAX, 'an answer that nobody reads');

  const pushy = await openWire(proxy.port);
  await pushy.send(`POST http://${host}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${OFFERED_BYTES}\r\n\r\n`);
  await origin.connection(1);
  t.ok((await sentBeforeStall(pushy)) < STALLED_BYTES_MAX, 'a body that nobody reads');

  // Behind a request without an answer, whatever a client pipelines waits in the kernel.
  const eager = await openWire(proxy.port);
  await eager.send(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  t.ok((await sentBeforeStall(eager)) < STALLED_BYTES_MAX, 'requests behind one that is not answered');
  for (const peer of [deaf, pushy, eager]) peer.socket.destroy();
});
