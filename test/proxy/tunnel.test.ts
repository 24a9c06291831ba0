import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import { type OriginOptions, startOrigin } from '../kit/origin.ts';
import { granting, startProxy } from '../kit/proxy.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { connectTunnel, openWire, TunnelRefused } from '../kit/wire.ts';
import { hello, records, serverName } from './core/hello.ts';

const upstreams = await createTestAuthority();
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

t.test(
  '[design: a CONNECT is accepted and then sniffed] TLS is ended with a leaf for the CONNECT’s host',
  async t => {
    await using proxy = await startProxy();
    for (const host of [
      'api.example.test',
      '203.0.113.5',
      '[2001:db8::5]',
      `${'a'.repeat(60)}.example.test`,
    ]) {
      const { peer } = await proxy.tunnel(`${host}:443`);
      await peer.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      t.equal((await peer.readResponse()).status, 502, `${host}: verified, and its refusal is readable`);
      peer.socket.destroy();
    }
  },
);

t.test('a ClientHello in the packet of its CONNECT, and one that comes byte by byte', async t => {
  await using proxy = await startProxy();
  const early = await connectTunnel(proxy.port, 'a.test:443', { tls: { ca: proxy.ca }, early: true });
  await early.peer.send('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n');
  t.equal((await early.peer.readResponse()).status, 502);
  early.peer.socket.destroy();

  const slow = await connectTunnel(proxy.port, 'a.test:443');
  const raw = slow.peer.release();
  const { write } = raw;
  raw.write = ((bytes: Buffer) => {
    for (const byte of bytes) write.call(raw, Buffer.from([byte]), 'latin1');
    return true;
  }) as typeof raw.write;
  const secure = connectTls({ socket: raw, ca: proxy.ca, servername: 'a.test' });
  await once(secure, 'secureConnect');
  t.pass('the handshake ends well');
  secure.destroy();
});

t.test(
  '[bad-input Authority] a server name other than the CONNECT’s is refused, and mints nothing',
  async t => {
    await using proxy = await startProxy({ world: granting('https://p.test') });
    const { peer } = await connectTunnel(proxy.port, 'p.test:443');
    const secure = connectTls({ socket: peer.release(), servername: 'evil.test', rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    t.match(secure.getPeerCertificate().subjectaltname, 'DNS:p.test');
    secure.write('GET / HTTP/1.1\r\nHost: p.test\r\n\r\n');
    const [bytes] = (await once(secure, 'data')) as [Buffer];
    t.match(bytes.toString(), /"rule":"invalid"/);
    secure.destroy();
  },
);

t.test('[bad-input Transport] cleartext HTTP in a tunnel is parsed and judged, never tunnelled', async t => {
  await using origin = await startOrigin({
    script: async peer => {
      await peer.readRequest();
      await peer.send(OK);
    },
  });
  const host = `plain.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`http://${host}`) });
  const { peer } = await connectTunnel(proxy.port, host);
  await peer.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.equal((await peer.readResponse()).body.toString(), 'ok');
  await peer.send(`CONNECT inner.test:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.match(
    (await peer.readResponse()).body.toString(),
    /"rule":"inspected-transport"/,
    'CONNECT inside CONNECT',
  );
  peer.socket.destroy();
});

t.test(
  '[7.2 inspected-transport] [7.2 raw-socket-twinned] other bytes end the connection and the record is kept',
  async t => {
    await using proxy = await startProxy({
      world: {
        ...granting('https://p.test'),
        routes: [{ host: 'tw.test', path: '/', vendor: 'tw', endpointVariable: 'TW_URL' }],
      },
    });
    for (const [authority, bytes, rule] of [
      ['p.test:443', 'SSH-2.0-x\r\n', 'inspected-transport'],
      ['p.test:443', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'inspected-transport'],
      ['tw.test:443', 'SSH-2.0-x\r\n', 'raw-socket-twinned'],
      ['q.test:443', 'SSH-2.0-x\r\n', 'not-granted'],
    ] as const) {
      const { peer } = await connectTunnel(proxy.port, authority);
      await peer.send(bytes);
      await peer.closed();
      t.equal(peer.unread.length, 0, `${authority}: nothing is said to what is no request`);
      t.equal(proxy.refusals.at(-1)?.rule, rule);
    }
  },
);

t.test(
  '[bad-input Authority] what no rule could serve is refused at the CONNECT, with its record',
  async t => {
    await using proxy = await startProxy({ world: granting('https://p.test') });
    for (const authority of [
      'p.test',
      'p.test:0443',
      'p.test:99999',
      'u@p.test:443',
      '[fe80::1%25eth0]:443',
      '/x',
      '[p.test]:443',
      'p.test..:443',
    ]) {
      const error = await connectTunnel(proxy.port, authority).then(
        () => null,
        (error: Error) => error,
      );
      if (!(error instanceof TunnelRefused)) throw new Error(`${authority} was not refused`);
      t.match(error.connect.text, 'HTTP/1.1 502 Bad Gateway\r\nX-Wrld-World-Refusal: grant', authority);
      const body = await error.peer.readUntil('}\n');
      t.match(JSON.parse(body.toString().split('\n')[1]!), { rule: 'invalid' });
      error.peer.socket.destroy();
    }
  },
);

t.test(
  '[7.2 own-loopback-ungranted] the run’s own listener is reached unread, with its own certificate',
  async t => {
    await using origin = await startOrigin({
      tls: { authority: upstreams, hosts: ['127.0.0.1'] },
      script: async peer => {
        await peer.readRequest();
        await peer.send(OK);
      },
    });
    await using proxy = await startProxy();
    const own = await connectTunnel(proxy.port, `127.0.0.1:${origin.port}`, { tls: { ca: upstreams.pem } });
    await own.peer.send(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`);
    t.equal((await own.peer.readResponse()).body.toString(), 'ok');
    own.peer.socket.destroy();
    proxy.push({ network: { egress: [], writes: [], passthrough: [], ownLoopback: false } });
    const { peer } = await proxy.tunnel(`127.0.0.1:${origin.port}`);
    await peer.send(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`);
    t.match((await peer.readResponse()).body.toString(), /"rule":"own-loopback-ungranted"/);
    peer.socket.destroy();
  },
);

t.test('a handshake that fails ends its connection and nothing else', async t => {
  await using proxy = await startProxy();
  const { peer } = await connectTunnel(proxy.port, 'a.test:443');
  await peer.send(Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5]));
  await peer.gone();
  await using after = await openWire(proxy.port);
  await after.send('GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n');
  t.equal((await after.readResponse()).status, 502);
});

const serving: OriginOptions['script'] = async peer => {
  for (;;) {
    await peer.readRequest();
    await peer.send(OK);
  }
};

/** A build world that lets `origins` through unread; names are pinned to loopback unless told. */
function passing(origins: readonly string[], extraHosts = granting(...origins).extraHosts!) {
  const network = { egress: origins, writes: [], passthrough: origins, ownLoopback: true };
  return { phase: 'build' as const, network, extraHosts };
}

t.test('[7.2 inspected-transport] passthrough: the client sees the origin’s own certificate', async t => {
  await using origin = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    script: serving,
  });
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: passing([`https://${host}`]) });
  for (const early of [false, true]) {
    const { peer } = await connectTunnel(proxy.port, host, { tls: { ca: upstreams.pem }, early });
    await peer.send(`POST /any HTTP/1.1\r\nHost: elsewhere.test\r\nContent-Length: 1\r\n\r\nx`);
    t.equal((await peer.readResponse()).body.toString(), 'ok', 'nobody reads what is in it');
    peer.end();
    await peer.closed('the end, passed on in both directions');
  }

  const slow = (await connectTunnel(proxy.port, host)).peer.release();
  const { write } = slow;
  slow.write = ((bytes: Buffer) => {
    for (const byte of bytes) write.call(slow, Buffer.from([byte]), 'latin1');
    return true;
  }) as typeof slow.write;
  const secure = connectTls({ socket: slow, ca: upstreams.pem, servername: 'P.Test' });
  await once(secure, 'secureConnect');
  secure.destroy();
  t.same(proxy.refusals, []);

  proxy.push({ ...passing([`https://${host}`]), phase: null });
  const { peer } = await proxy.tunnel(host);
  t.pass('outside phase build the same tunnel is ended here, with a leaf of the world’s');
  peer.socket.destroy();
});

t.test('[bad-input Transport] passthrough, SNI ≠ CONNECT: closed before anything is dialled', async t => {
  await using origin = await startOrigin({ script: serving });
  const host = `p.test:${origin.port}`;
  const world = passing([`https://${host}`]);
  await using proxy = await startProxy({ world });
  const hello = async (servername: string | undefined): Promise<void> => {
    const { peer } = await connectTunnel(proxy.port, host);
    const secure = connectTls({ socket: peer.release(), ...(servername && { servername }) });
    const [error] = (await once(secure, 'error')) as [Error];
    t.match(error.message, /disconnected|ECONNRESET/);
  };
  for (const [name, reason] of [
    ['q.test', /TLS names q\.test and the tunnel is to p\.test/],
    ['p.test.evil.test', /TLS names p\.test\.evil\.test/],
    [undefined, /TLS names no host that can be seen/],
  ] as const) {
    await hello(name);
    t.match(proxy.refusals.at(-1), { rule: 'invalid', reason });
  }
  for (const [bytes, refusal] of [
    [Buffer.from([22, 3, 1, 0, 5, 1, 2, 3, 4, 5]), { rule: 'invalid', reason: /TLS hello is/ }],
    [Buffer.from('SSH-2.0-x\r\n'), { rule: 'inspected-transport', reason: /neither HTTP nor TLS/ }],
    [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), { rule: 'inspected-transport' }],
  ] as const) {
    const { peer } = await connectTunnel(proxy.port, host);
    await peer.send(bytes);
    await peer.closed();
    t.match(proxy.refusals.at(-1), refusal);
  }

  const { peer } = await connectTunnel(proxy.port, host);
  await peer.send(Buffer.from([22, 3, 1, 2, 0, 1]));
  // Another exchange, from start to end: by then these bytes have been seen.
  await using other = await openWire(proxy.port);
  await other.send('GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n');
  await other.readResponse();
  proxy.push({});
  await peer.send(Buffer.alloc(511));
  await peer.closed();
  t.equal(proxy.refusals.at(-1)?.rule, 'not-granted', 'judged by the policy of when the hello was whole');
  t.equal(origin.connections.length, 0);
});

t.test('[bad-input DNS] passthrough: one look-up, and never to this machine', async t => {
  await using origin = await startOrigin({ script: serving });
  const host = `p.test:${origin.port}`;
  const looked: string[] = [];
  await using proxy = await startProxy({
    world: passing([`https://${host}`], {}),
    lookup: async name => {
      looked.push(name);
      return ['127.0.0.1'];
    },
  });
  const { peer } = await connectTunnel(proxy.port, host);
  const secure = connectTls({ socket: peer.release(), servername: 'p.test' });
  await once(secure, 'error');
  t.same(looked, ['p.test']);
  t.match(proxy.refusals, [{ rule: 'not-granted', grantField: 'runtime.extraHosts', target: host }]);
  t.equal(origin.connections.length, 0);
});

t.test('a client that leaves while its tunnel is dialled takes that connection with it', async t => {
  const left = Promise.withResolvers<void>();
  await using next = await startOrigin({
    script: async peer => {
      await peer.readHead();
      await left.promise;
      await peer.send('HTTP/1.1 200 OK\r\n\r\n');
      await peer.gone();
    },
  });
  await using proxy = await startProxy({
    world: passing(['https://p.test'], {}),
    env: { HTTPS_PROXY: `http://127.0.0.1:${next.port}` },
  });
  const { peer } = await connectTunnel(proxy.port, 'p.test:443');
  await peer.send(records(hello([serverName('p.test')])));
  const dialled = await next.connection(0);
  peer.socket.destroy();
  while (proxy.metrics.gauge('connectionsOpen') > 0) await new Promise(resolve => setImmediate(resolve));
  left.resolve();
  t.ok(await dialled.gone('the end of what was dialled'));
});

t.test('a tunnel whose upstream cannot be dialled is counted by what failed', async t => {
  const gone = await startOrigin({ script: serving });
  const host = `p.test:${gone.port}`;
  await gone.stop();
  await using proxy = await startProxy({ world: passing([`https://${host}`]) });
  const { peer } = await connectTunnel(proxy.port, host);
  await peer.send(records(hello([serverName('p.test')])));
  await peer.closed();
  t.equal(proxy.metrics.stage('connect'), 1);
  await gone[Symbol.asyncDispose]();
});

t.test('[bad-input Transport] CONNECT inside CONNECT, where the tunnel may pass unread', async t => {
  await using origin = await startOrigin({ script: serving });
  const own = `127.0.0.1:${origin.port}`;
  const passed = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: passing([`https://${passed}`, `http://${passed}`]) });
  for (const host of [own, passed]) {
    const { peer } = await connectTunnel(proxy.port, host);
    await peer.send(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    t.match((await peer.readResponse()).body.toString(), /"rule":"inspected-transport"/, host);
    peer.socket.destroy();
  }
});

t.test('a server that speaks first: on the run’s own loopback, and a service of the world', async t => {
  await using origin = await startOrigin({
    script: async peer => {
      await peer.send('220 hello\r\n');
      t.equal((await peer.readUntil('\n')).toString(), 'QUIT\n');
      peer.end();
    },
  });
  await using proxy = await startProxy({
    world: { services: [{ name: 'db', host: 'db', port: origin.port }] },
    lookup: async () => ['127.0.0.1'],
  });
  for (const host of ['127.0.0.1', 'db']) {
    const { peer } = await connectTunnel(proxy.port, `${host}:${origin.port}`);
    t.equal((await peer.readUntil('\n')).toString(), '220 hello\r\n', host);
    await peer.send('QUIT\n');
    await peer.closed();
  }
});
