import { once } from 'node:events';
import { connect } from 'node:http2';
import t from 'tap';
import { traceOf } from '../../proxy/journal.ts';
import { startOrigin } from '../kit/origin.ts';
import { granting, startProxy } from '../kit/proxy.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { connectTunnel, openWire } from '../kit/wire.ts';

const upstreams = await createTestAuthority();
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

const okOrigin = (tls: boolean) =>
  startOrigin({
    ...(tls && { tls: { authority: upstreams, hosts: ['p.test'] } }),
    script: async peer => {
      for (;;) {
        await peer.readRequest();
        await peer.send(OK);
      }
    },
  });

t.test('a request is one line: who, what, decision, bytes, timings, trace; and no secret', async t => {
  await using origin = await okOrigin(true);
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`https://${host}`), upstreamCa: upstreams.pem });
  const { peer } = await proxy.tunnel(host);
  const ask = `POST /v1/pay?key=sk_hidden1 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer sk_hidden2\r\nTraceparent: ${PARENT}\r\nCookie: sk_hidden3\r\nContent-Length: 5\r\n\r\nhello`;
  for (let nth = 0; nth < 2; nth++) {
    await peer.send(ask);
    t.equal((await peer.readResponse()).status, 200);
  }
  t.equal(proxy.lines.length, 2);
  t.notMatch(proxy.lines.join(''), /sk_hidden/);
  const [first, second] = proxy.lines.map(line => JSON.parse(line));
  t.match(first, {
    level: 30,
    msg: 'request',
    run: 'default',
    method: 'POST',
    scheme: 'https',
    host: 'p.test',
    path: '/v1/pay',
    transport: 'http1',
    decision: 'egress',
    status: 200,
    bytesIn: 5,
    bytesOut: 2,
    reused: false,
    trace: TRACE,
  });
  t.equal(second.reused, true);
  const { decidedMs, connectedMs, firstByteMs, ms } = first;
  t.ok(
    0 <= decidedMs && decidedMs <= connectedMs && connectedMs <= firstByteMs && firstByteMs <= ms,
    'in order',
  );
  const { metrics } = proxy;
  t.equal(metrics.verdict('egress'), 2);
  t.equal(metrics.statusClass(2), 2);
  t.equal(metrics.counter('bytesFromClients'), 10);
  t.equal(metrics.counter('bytesToClients'), 4);
  t.equal(metrics.totals('egress').count, 2);
  t.equal(metrics.firstBytes('egress').count, 2);
  t.equal(metrics.counter('leafMints'), 1);
  peer.socket.destroy();
});

t.test('refusals, failures and heads that cannot be read are lines too', async t => {
  await using proxy = await startProxy({ world: granting('http://p.test:1') });
  await using peer = await openWire(proxy.port);
  await peer.send('GET http://user:sk_hidden@other.test/a?sk_hidden HTTP/1.1\r\nHost: x\r\n\r\n');
  t.equal((await peer.readResponse()).status, 502);
  await peer.send('GET http://other.test/a"b?sk_hidden HTTP/1.1\r\nHost: x\r\n\r\n');
  await peer.readResponse();
  await peer.send('GET http://p.test:1/ HTTP/1.1\r\nHost: x\r\n\r\n');
  t.equal((await peer.readResponse()).status, 502);
  await peer.send('GET http://p.test/ HTTP/7\r\n\r\n');
  t.equal((await peer.readResponse()).status, 400);
  t.notMatch(proxy.lines.join(''), /sk_hidden/);
  const lines = proxy.lines.map(line => JSON.parse(line));
  t.match(lines, [
    { decision: 'refuse', status: 502 },
    { decision: 'refuse', rule: 'not-granted', host: 'other.test', path: '/a"b' },
    { decision: 'egress', status: 502, failed: 'connect' },
    { decision: 'unjudged', status: 400 },
  ]);
  t.equal(proxy.metrics.stage('connect'), 1);
  t.equal(proxy.metrics.rule('not-granted'), lines.filter(line => line.rule === 'not-granted').length);
  t.equal(proxy.metrics.statusClass(5), 3);
  t.equal(proxy.metrics.statusClass(4), 1);
});

t.test('a client that goes away, and an upstream that breaks off, leave a line that says so', async t => {
  const asked = Promise.withResolvers<void>();
  await using origin = await startOrigin({
    script: async (peer, nth) => {
      await peer.readRequest();
      asked.resolve();
      if (nth === 0) return void (await peer.gone());
      await peer.send('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
      peer.end();
    },
  });
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`http://${host}`) });
  const ask = `GET http://${host}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
  const leaving = await openWire(proxy.port);
  await leaving.send(ask);
  const upstream = await origin.connection(0);
  await asked.promise;
  leaving.reset();
  await upstream.gone();
  const cut = await openWire(proxy.port);
  await cut.send(ask);
  await cut.closed();
  t.match(
    proxy.lines.map(line => JSON.parse(line)),
    [
      { decision: 'egress', status: 0, whole: false },
      { decision: 'egress', status: 200, whole: false, failed: 'closed', bytesOut: 3 },
    ],
  );
  t.equal(proxy.metrics.counter('cut'), 2);
});

t.test('a stream of HTTP/2 is a line of its own', async t => {
  await using proxy = await startProxy();
  const { peer } = await proxy.tunnel('a.test:443', { tls: { ca: proxy.ca, alpn: ['h2'] } });
  const session = connect('https://a.test', { createConnection: () => peer.release() });
  const stream = session.request({ ':path': '/b?sk_hidden', traceparent: PARENT });
  stream.resume();
  const [headers] = await once(stream, 'response');
  t.equal(headers[':status'], 502);
  t.match(JSON.parse(proxy.lines[0]!), {
    transport: 'http2',
    method: 'GET',
    host: 'a.test',
    path: '/b',
    decision: 'refuse',
    status: 502,
    trace: TRACE,
  });
  session.destroy();
});

t.test('a tunnel whose bytes are no request is told by its rule', async t => {
  await using proxy = await startProxy();
  const { peer } = await connectTunnel(proxy.port, 'db.test:5432');
  await peer.send(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  await peer.closed();
  const line = JSON.parse(proxy.lines[0]!);
  t.match(line, { msg: 'tunnel', method: 'CONNECT', host: 'db.test', port: 5432, decision: 'refuse' });
  t.equal(proxy.metrics.rule(line.rule), 1);
  t.equal(proxy.metrics.counter('tunnels'), 1);
});

t.test('the trace id is that of a well-formed traceparent', t => {
  t.equal(traceOf(`Accept: a\r\ntraceparent: ${PARENT}\r\n`), TRACE);
  t.equal(traceOf(`TRACEPARENT:${PARENT.toUpperCase()}\r\n`), TRACE);
  for (const fields of [
    '',
    'traceparent: sk_hidden\r\n',
    `X: traceparent: ${PARENT}\r\n`,
    `x-traceparent: ${PARENT}\r\n`,
  ])
    t.equal(traceOf(fields), null, fields);
  t.end();
});
