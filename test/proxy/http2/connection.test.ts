import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import t, { type Test } from 'tap';
import { requestHeadOf } from '../../../proxy/http2/head.ts';
import { within } from '../../kit/deadline.ts';
import { granting, startProxy, type TestProxy } from '../../kit/proxy.ts';
import { connectTunnel } from '../../kit/wire.ts';

/** A stand-in for control on its socket, a proxy whose twin `tw.test` it is, and an HTTP/2 session to that. */
async function twin(t: Test, listener: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-h2-'));
  const control = createServer(listener);
  await new Promise<void>(resolve => control.listen(join(folder, 'twins.sock'), resolve));
  const proxy = await startProxy({
    controlSocket: join(folder, 'twins.sock'),
    world: { ...granting('https://p.test'), routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw' }] },
  });
  t.teardown(async () => {
    await proxy[Symbol.asyncDispose]();
    control.closeAllConnections();
    await new Promise(resolve => control.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  return proxy;
}

async function session(t: Test, proxy: TestProxy, host: string): Promise<ClientHttp2Session> {
  const tunnel = await connectTunnel(proxy.port, `${host}:443`, { tls: { ca: proxy.ca, alpn: ['h2'] } });
  t.equal(tunnel.alpn, 'h2');
  const opened = connect(`https://${host}`, { createConnection: () => tunnel.peer.release() as Socket });
  t.teardown(() => opened.destroy());
  return opened;
}

async function answerOf(stream: ClientHttp2Stream) {
  const [headers] = (await within('an answer', once(stream, 'response'))) as [
    Record<string, string | string[]>,
  ];
  let body = '';
  let trailers: object = {};
  stream.setEncoding('utf8').on('data', text => (body += text));
  stream.on('trailers', got => (trailers = { ...got }));
  if (!stream.closed) await within('the end of the stream', once(stream, 'close'));
  return { status: headers[':status'], headers, body, trailers };
}

t.test(
  '[design ALPN] a twin’s host speaks h2 and http/1.1; a granted origin http/1.1, and h2 only to say no',
  async t => {
    const proxy = await twin(t, (_request, response) => response.end('ok'));
    const chosen = async (host: string, alpn: readonly string[]) => {
      const tunnel = await connectTunnel(proxy.port, `${host}:443`, { tls: { ca: proxy.ca, alpn } });
      tunnel.peer.socket.destroy();
      return tunnel.alpn;
    };
    t.equal(await chosen('tw.test', ['h2', 'http/1.1']), 'h2');
    t.equal(await chosen('tw.test', ['http/1.1']), 'http/1.1');
    t.equal(await chosen('p.test', ['h2', 'http/1.1']), 'http/1.1');
    const only = await session(t, proxy, 'p.test');
    for (const path of ['/a', '/b']) {
      const answer = await answerOf(only.request({ ':path': path }));
      t.match(
        answer,
        {
          status: 502,
          headers: { 'x-wrld-world-refusal': 'transport' },
          body: /"rule":"inspected-transport"/,
        },
        'each stream is told',
      );
    }
  },
);

t.test('requests and answers keep their fields; cookies are joined; trailers pass both ways', async t => {
  const proxy = await twin(t, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', text => (body += text));
    request.on('end', () => {
      response.writeHead(
        201,
        [
          ['Set-Cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['X-One', '1'],
          ['Trailer', 'grpc-status'],
        ].flat() as string[],
      );
      response.addTrailers({ 'grpc-status': '0' });
      response.end(
        JSON.stringify({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body,
          trailers: request.trailers,
        }),
      );
    });
  });
  const open = await session(t, proxy, 'tw.test');
  const stream = open.request(
    {
      ':method': 'POST',
      ':path': '/v1/things?x=1',
      cookie: ['c=1', 'd=2'],
      'x-wrld-caller': 'person:eve',
      te: 'trailers',
      'x-twins-key': 'tok_w_1',
    },
    { waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '9' }));
  stream.write('ab');
  stream.end('cd');
  const answer = await answerOf(stream);
  t.match(answer, {
    status: 201,
    headers: { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' },
    trailers: { 'grpc-status': '0' },
  });
  const seen = JSON.parse(answer.body);
  t.match(seen, {
    method: 'POST',
    url: '/acme/shop/tw/v1/things?x=1',
    body: 'abcd',
    trailers: { 'x-sum': '9' },
  });
  t.match(seen.headers, {
    host: 'tw.test',
    cookie: 'c=1; d=2',
    'x-twins-key': 'tok_w_1',
    'x-wrld-host': 'tw.test',
    'transfer-encoding': 'chunked',
  });
  t.notOk('x-wrld-caller' in seen.headers || 'te' in seen.headers);
});

t.test('[7.1] refusals over HTTP/2: header, text, record; HEAD has its head alone', async t => {
  const proxy = await twin(t, (_request, response) => response.end('ok'));
  const open = await session(t, proxy, 'tw.test');
  t.match(await answerOf(open.request({ ':path': '/v9' })), {
    status: 502,
    headers: { 'x-wrld-world-refusal': 'twin' },
    body: /missing: twin; fix: .*\n\{.*"rule":"unclaimed-path".*\}\n$/,
  });
  t.match(await answerOf(open.request({ ':path': '/v9', ':method': 'HEAD' })), {
    status: 502,
    headers: { 'x-wrld-world-refusal': 'twin' },
    body: '',
  });
  const post = open.request({ ':path': '/v9', ':method': 'POST' });
  post.on('error', () => {});
  post.write('more to come');
  const over = once(post, 'close');
  t.match(await answerOf(post), { status: 502 }, 'an upload that is not wanted is answered and ended');
  await within('the end of the upload', over);
  t.equal(post.rstCode, constants.NGHTTP2_NO_ERROR, 'without a fault, though the client was not through');
  t.match(
    await answerOf(open.request({ ':path': '/v1/' })),
    { status: 200, body: 'ok' },
    'the session goes on',
  );
});

t.test(
  '[bad-input Transport] :authority and Host that differ, or another host’s: never forwarded',
  async t => {
    let asked = 0;
    const proxy = await twin(t, (_request, response) => {
      asked++;
      response.end('ok');
    });
    const open = await session(t, proxy, 'tw.test');
    const stray = open.request({ ':path': '/v1/', ':authority': 'tw.test', host: 'evil.test' });
    const [error] = (await within('the stream error', once(stray, 'error'))) as [NodeJS.ErrnoException];
    t.match(error.message, /NGHTTP2_PROTOCOL_ERROR/);
    t.match(await answerOf(open.request({ ':path': '/v1/', ':authority': 'evil.test' })), {
      status: 502,
      body: /"rule":"invalid"/,
    });
    t.equal(asked, 0);
  },
);

t.test('the line of a request to a twin names its vendor', async t => {
  const proxy = await twin(t, (_request, response) => response.end('ok'));
  const open = await session(t, proxy, 'tw.test');
  await answerOf(open.request({ ':path': '/v1/' }));
  await answerOf(open.request({ ':path': '/v9' }));
  const [served, refused] = proxy.lines.map(line => JSON.parse(line));
  t.match(served, { decision: 'twin', vendor: 'tw', status: 200 });
  t.notOk('vendor' in refused);
});

t.test('many streams at once, a slow one among them holds no other', async t => {
  const held: (() => void)[] = [];
  const proxy = await twin(t, (request, response) => {
    if (request.url?.endsWith('slow')) held.push(() => response.end('slow'));
    else response.end(request.url);
  });
  const open = await session(t, proxy, 'tw.test');
  const slow = answerOf(open.request({ ':path': '/v1/slow' }));
  const quick = await Promise.all(
    Array.from({ length: 100 }, (_, nth) => answerOf(open.request({ ':path': `/v1/${nth}` }))),
  );
  t.same(
    quick.map(answer => answer.body),
    Array.from({ length: 100 }, (_, nth) => `/acme/shop/tw/v1/${nth}`),
  );
  t.equal(held.length, 1);
  held[0]!();
  t.match(await slow, { body: 'slow' });
});

t.test('a stream that its client cancels ends its upstream; flow control holds a fast twin back', async t => {
  const BIG = 32 * 1024 * 1024;
  const gone = Promise.withResolvers<void>();
  let sent = 0;
  const proxy = await twin(t, (request, response) => {
    if (request.url?.endsWith('quick')) return void response.end('ok');
    response.on('close', () => gone.resolve());
    const block = Buffer.alloc(64 * 1024, 'x');
    const more = (): void => {
      while (sent < BIG && !response.destroyed) {
        sent += block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
    };
    more();
  });
  const open = await session(t, proxy, 'tw.test');
  const stream = open.request({ ':path': '/v1/big' });
  stream.on('error', () => {});
  await once(stream, 'response');
  for (let still = 0, before = -1; still < 30 && sent < BIG; before = sent) {
    await answerOf(open.request({ ':path': '/v1/quick' }));
    still = sent === before ? still + 1 : 0;
  }
  t.ok(sent < BIG, `held back at ${sent} bytes`);
  stream.close(constants.NGHTTP2_CANCEL);
  await within('the cancel to reach the twin', gone.promise);
});

t.test('on shutdown the session says GOAWAY and open streams finish', async t => {
  const asked = Promise.withResolvers<() => void>();
  const proxy = await twin(t, (_request, response) => asked.resolve(() => response.end('late')));
  const open = await session(t, proxy, 'tw.test');
  const answer = answerOf(open.request({ ':path': '/v1/a' }));
  const finish = await asked.promise;
  const goaway = once(open, 'goaway');
  const drained = proxy.server.drain();
  await within('GOAWAY', goaway);
  finish();
  t.match(await answer, { status: 200, body: 'late' });
  await within('the drain', drained);
});

t.test('[RFC 9113 8.3.1] heads that name two hosts, methods or paths are none', t => {
  const head = (...more: readonly string[]) =>
    requestHeadOf([':method', 'GET', ':scheme', 'https', ':path', '/a', ...more], true);
  t.ok(head(':authority', 'tw.test'));
  t.ok(head('host', 'tw.test'));
  t.ok(head('host', 'tw.test', 'host', 'tw.test'), 'the same one twice');
  t.equal(head('host', 'tw.test', 'host', 'evil.test'), null);
  t.equal(head('host', 'evil.test', 'host', 'tw.test', ':authority', 'tw.test'), null);
  t.equal(head(':authority', 'tw.test', 'host', 'evil.test'), null);
  t.equal(head(':authority', 'tw.test', 'x-a', 'a\r\nb: c'), null, 'what HTTP/1 could not carry');
  t.end();
});

t.test('clients that go away before they have said anything leave no connection open', async t => {
  const proxy = await twin(t, (_request, response) => response.end());
  const opened = async (): Promise<Socket> => {
    const wire = connectTcp(proxy.port, '127.0.0.1').on('error', () => {});
    wire.write('CONNECT tw.test:443 HTTP/1.1\r\nHost: tw.test:443\r\n\r\n');
    await within('an answer to CONNECT', once(wire, 'data'));
    const secure = connectTls({ socket: wire, ca: proxy.ca, servername: 'tw.test', ALPNProtocols: ['h2'] });
    await within(
      'a handshake',
      once(
        secure.on('error', () => {}),
        'secureConnect',
      ),
    );
    // What comes from now on is never read, so that the end of the connection is a reset.
    return wire.pause();
  };
  for (let round = 0; round < 40; round++) {
    const wires = await Promise.all(Array.from({ length: 5 }, opened));
    for (let turn = 0; turn < 5 * round; turn++) await setImmediate();
    for (const wire of wires) wire.resetAndDestroy();
  }
  for (const each of proxy.server.deadlines) each.expire();
  await within('the last connection to close', proxy.server.drain());
});
