// The kit itself, over the simplest of proxies: if these stand-ins told a test something untrue, every wire
// test built on them would be worth nothing.
import { connect, createServer, type Socket } from 'node:net';
import t from 'tap';
import { value, values } from './http-text.ts';
import { startHttpOrigin, startOrigin } from './origin.ts';
import { createTestAuthority } from './test-ca.ts';
import { connectTunnel, openWire, TunnelRefused } from './wire.ts';

const authority = await createTestAuthority();
const tls = { authority, hosts: ['origin.test', '127.0.0.1'], alpn: ['http/1.1'] };

/** Answers CONNECT to any name by a tunnel to that port of loopback, and refuses port 1. */
async function startBlindProxy(): Promise<AsyncDisposable & { readonly port: number }> {
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client: Socket) => {
    clients.add(client);
    let head = '';
    const read = (bytes: Buffer): void => {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n') + 4;
      if (end < 4) return;
      client.off('data', read);
      const port = Number(/:(\d+) /.exec(head)?.[1]);
      if (port === 1) {
        client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno');
        return;
      }
      const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(Buffer.from(head.slice(end), 'latin1'));
      client.pipe(upstream).pipe(client);
      client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
      upstream.on('error', () => client.resetAndDestroy());
    };
    client.on('data', read);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

t.test('a scripted origin and the raw client see each other byte for byte', async test => {
  await using proxy = await startBlindProxy();
  await using origin = await startOrigin({
    tls,
    script: async peer => {
      const request = await peer.readRequest();
      void peer.send(
        'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n' +
          'HTTP/1.1 207 Odd Reason\r\nX-a: 1\r\nx-A: 2\r\nTransfer-Encoding: chunked\r\n\r\n' +
          `3\r\n${request.body}\r\n0\r\nX-Sum: ok\r\n\r\n`,
      );
      test.equal(await peer.gone(), 'ended');
      void peer.send('late');
      peer.end();
    },
  });
  for (const early of [false, true]) {
    await using tunnel = (
      await connectTunnel(proxy.port, `origin.test:${origin.port}`, {
        tls: { ca: authority.pem, alpn: ['http/1.1'] },
        early,
      })
    ).peer;
    void tunnel.send('PUT /p HTTP/1.1\r\nhOst: origin.test\r\nContent-Length: 3\r\n\r\nabc');
    const response = await tunnel.readResponse('PUT');
    test.match(response, { status: 207, reason: 'Odd Reason', trailers: [['X-Sum', 'ok']] });
    test.same(values(response, 'x-a'), ['1', '2']);
    test.same(
      response.interim.map(head => head.start),
      ['HTTP/1.1 103 Early Hints'],
    );
    test.equal(response.body.toString(), 'abc');
    tunnel.end();
    test.equal((await tunnel.readToEnd()).toString(), 'late', 'a half-close leaves the other direction open');
  }
  test.equal(
    origin.connections[0]!.received.toString(),
    'PUT /p HTTP/1.1\r\nhOst: origin.test\r\nContent-Length: 3\r\n\r\nabc',
  );
});

t.test('a certificate of another authority or for another host fails the handshake', async test => {
  await using proxy = await startBlindProxy();
  const other = await createTestAuthority();
  await using origin = await startHttpOrigin({ tls, handler: (_, response) => response.end('ok') });
  await test.rejects(connectTunnel(proxy.port, `origin.test:${origin.port}`, { tls: { ca: other.pem } }));
  await test.rejects(connectTunnel(proxy.port, `wrong.test:${origin.port}`, { tls: { ca: authority.pem } }), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  test.equal(origin.requests.length, 0);
});

t.test('a refused CONNECT keeps its head and body; a reset is told from an end', async test => {
  await using proxy = await startBlindProxy();
  const refused = await connectTunnel(proxy.port, 'x.test:1').catch((error: unknown) => error);
  if (!(refused instanceof TunnelRefused)) throw refused;
  test.equal(value(refused.connect, 'content-length'), '2');
  test.equal((await refused.peer.readToEnd()).toString(), 'no');
  test.equal(await refused.peer.closed(), 'ended');

  await using origin = await startOrigin({ script: peer => peer.read(1).then(() => peer.reset()) });
  await using wire = await openWire(origin.port);
  void wire.send('x');
  test.equal(await wire.closed(), 'reset');
  await test.rejects(wire.read(1), { name: 'PeerGone' });
});

t.test('a script that fails for another reason than the other side leaving fails the test', async test => {
  const origin = await startOrigin({
    script: async peer => {
      await peer.read(1);
      throw new Error('wrong head');
    },
  });
  await using wire = await openWire(origin.port);
  void wire.send('x');
  test.equal(await wire.closed(), 'reset');
  await test.rejects(origin.stop(), { message: 'wrong head' });
});
