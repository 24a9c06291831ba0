import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import { startOrigin } from '../kit/origin.ts';
import { granting, startProxy } from '../kit/proxy.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { connectTunnel, openWire, TunnelRefused } from '../kit/wire.ts';

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
