import { once } from 'node:events';
import t from 'tap';
import { value, values } from '../../kit/http-text.ts';
import { type Origin, type OriginOptions, startOrigin } from '../../kit/origin.ts';
import type { Peer } from '../../kit/peer.ts';
import { granting, startProxy, type TestProxy } from '../../kit/proxy.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';
import { openWire } from '../../kit/wire.ts';

const upstreams = await createTestAuthority();

/** An origin `p.test` with TLS that runs `script`, a proxy that grants it, and a tunnel to it. */
async function through(script: OriginOptions['script']): Promise<
  AsyncDisposable & {
    readonly origin: Origin;
    readonly proxy: TestProxy;
    readonly peer: Peer;
    readonly host: string;
  }
> {
  const origin = await startOrigin({ tls: { authority: upstreams, hosts: ['p.test'] }, script });
  const host = `p.test:${origin.port}`;
  const proxy = await startProxy({ world: granting(`https://${host}`), upstreamCa: upstreams.pem });
  const { peer } = await proxy.tunnel(host);
  return {
    origin,
    proxy,
    peer,
    host,
    async [Symbol.asyncDispose]() {
      peer.socket.destroy();
      await proxy[Symbol.asyncDispose]();
      await origin.stop();
    },
  };
}

const get = (host: string, extra = ''): string => `GET /v1/a HTTP/1.1\r\nHost: ${host}\r\n${extra}\r\n`;
const ok = (body = 'ok', extra = ''): string =>
  `HTTP/1.1 200 OK\r\n${extra}Content-Length: ${body.length}\r\n\r\n${body}`;
/** Answers every request of a connection with the same bytes. */
const answering =
  (bytes: string): OriginOptions['script'] =>
  async peer => {
    for (;;) {
      await peer.readRequest();
      await peer.send(bytes);
    }
  };

t.test('heads pass with their case, order, duplicates and reason phrase', async t => {
  await using way = await through(
    answering(
      'HTTP/1.1 200 Fine By Me\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\nConnection: keep-alive, x-hop\r\nX-Hop: 1\r\nAlt-Svc: h3\r\nX-Wrld-World-Refusal: grant\r\nContent-Length: 2\r\n\r\nok',
    ),
  );
  await way.peer.send(
    get(
      way.host,
      'X-Two: 1\r\nx-one: 2\r\nX-TWO: 3\r\nProxy-Authorization: Basic x\r\nConnection: x-gone\r\nX-Gone: 1\r\nX-Wrld-Token: tok_w_a\r\nX-Twins-Key: tok_w_a\r\n',
    ),
  );
  const response = await way.peer.readResponse();
  t.equal(
    response.text,
    'HTTP/1.1 200 Fine By Me\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\nContent-Length: 2\r\n\r\n',
  );
  const origin = await way.origin.connection(0);
  t.equal(
    origin.received.toString('latin1'),
    `GET /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nX-Two: 1\r\nx-one: 2\r\nX-TWO: 3\r\n\r\n`,
    'hop-by-hop fields, proxy credentials and the world’s own tokens stay behind',
  );
});

t.test('connections are kept alive on both sides and requests in a row share them', async t => {
  await using way = await through(answering(ok()));
  for (let i = 0; i < 3; i++) {
    await way.peer.send(get(way.host));
    t.equal((await way.peer.readResponse()).body.toString(), 'ok');
  }
  await way.peer.send(get(way.host) + get(way.host, 'X-Nth: 2\r\n'));
  t.equal((await way.peer.readResponse()).status, 200, 'pipelined, first');
  t.equal((await way.peer.readResponse()).status, 200, 'pipelined, second');
  t.equal(way.origin.connections.length, 1);
});

t.test('a body streams: each part arrives before the next is sent', async t => {
  const parts = Promise.withResolvers<Peer>();
  await using way = await through(async peer => {
    await peer.readRequest();
    await peer.send('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
    parts.resolve(peer);
    await peer.gone();
  });
  await way.peer.send(get(way.host));
  const origin = await parts.promise;
  const head = await way.peer.readHead();
  t.equal(value(head, 'transfer-encoding'), 'chunked', 'a body that ends with its connection is framed anew');
  for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
    await origin.send(event);
    t.equal((await way.peer.readChunk()).toString(), event);
  }
  origin.end();
  t.equal((await way.peer.readChunk()).length, 0, 'its end is an end');
});

t.test('headers are not held until the first byte of the body', async t => {
  await using way = await through(async peer => {
    await peer.readRequest();
    await peer.send('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n');
    await peer.gone();
  });
  await way.peer.send(get(way.host));
  t.equal((await way.peer.readHead()).start, 'HTTP/1.1 200 OK');
});

t.test('an upload streams, chunked and by length, with its trailers', async t => {
  await using way = await through(async peer => {
    for (;;) {
      const request = await peer.readRequest();
      await peer.send(ok(JSON.stringify([request.body.toString(), request.trailers])));
    }
  });
  await way.peer.send(
    `POST /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n`,
  );
  const origin = await way.origin.connection(0);
  await way.peer.send('3;ext=1\r\nabc\r\n');
  await way.peer.send('2\r\nde\r\n0\r\nX-Sum: 9\r\nHost: evil.test\r\n\r\n');
  t.same(JSON.parse((await way.peer.readResponse()).body.toString()), ['abcde', [['X-Sum', '9']]]);
  t.notMatch(origin.received.toString(), /ext=1|evil/);
  await way.peer.send(`PUT /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nContent-Length: 4\r\n\r\nab`);
  await way.peer.send('cd');
  t.same(JSON.parse((await way.peer.readResponse()).body.toString()), ['abcd', []]);
  await way.peer.send(`PUT /v1/b HTTP/1.1\r\nHost: ${way.host}\r\nContent-Length: 1\r\n\r\ne`);
  t.same(JSON.parse((await way.peer.readResponse()).body.toString()), ['e', []]);
  t.equal(way.origin.connections.length, 1, 'all three on one connection');
  t.match(
    origin.received.toString(),
    /\r\n\r\nabcdPUT \/v1\/b HTTP\/1\.1\r\n/,
    'and nothing stands between a body of a length and the next request',
  );
});

t.test('trailers, 103 and 100 come through; nothing is invented', async t => {
  const asked = Promise.withResolvers<void>();
  await using way = await through(async peer => {
    await peer.readHead();
    asked.resolve();
    await peer.send('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    await peer.send('HTTP/1.1 100 Continue\r\n\r\n');
    await peer.read(2);
    await peer.send(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: grpc-status\r\n\r\n2\r\nhi\r\n0\r\ngrpc-status: 0\r\n\r\n',
    );
    await peer.gone();
  });
  await way.peer.send(
    `POST /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  );
  await asked.promise;
  t.equal((await way.peer.readHead()).text, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
  t.equal((await way.peer.readHead()).text, 'HTTP/1.1 100 Continue\r\n\r\n', 'the upstream’s word, not ours');
  await way.peer.send('ok');
  const response = await way.peer.readResponse();
  t.same([response.body.toString(), response.trailers], ['hi', [['grpc-status', '0']]]);
});

t.test('HEAD, 204 and 304 have no body whatever they announce', async t => {
  const answers = [
    'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n',
    'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: "a"\r\n\r\n',
  ];
  await using way = await through(async peer => {
    for (const answer of answers) {
      await peer.readRequest();
      await peer.send(answer);
    }
    await peer.gone();
  });
  for (const [nth, method] of ['HEAD', 'GET', 'GET'].entries()) {
    await way.peer.send(`${method} /v1/a HTTP/1.1\r\nHost: ${way.host}\r\n\r\n`);
    const passed = nth === 1 ? 'HTTP/1.1 204 No Content\r\n\r\n' : answers[nth];
    t.equal((await way.peer.readResponse(method)).text, passed, 'a 204 says no length (RFC 9110 8.6)');
  }
  t.equal(way.origin.connections.length, 1, 'and their connection goes on');
});

t.test('a client that goes away takes its upstream with it', async t => {
  await using way = await through(async peer => {
    await peer.readRequest();
    await peer.send('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc');
    await peer.gone();
  });
  await way.peer.send(get(way.host));
  await way.peer.readUntil('abc');
  way.peer.socket.destroy();
  t.ok(await (await way.origin.connection(0)).gone('the abort to reach the origin'));
});

t.test('a body cut short never looks complete', async t => {
  for (const start of [
    'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc',
  ]) {
    await using way = await through(async peer => {
      await peer.readRequest();
      await peer.send(start);
      peer.end();
    });
    await way.peer.send(get(way.host));
    const head = await way.peer.readHead();
    t.equal(head.start, 'HTTP/1.1 200 OK');
    await way.peer.gone();
    t.notMatch(way.peer.unread.toString('latin1'), /wrld|502|0\r\n\r\n/, 'no text of ours is mixed in');
  }
});

t.test('back-pressure reaches the origin', async t => {
  const BIG = 64 * 1024 * 1024;
  let sent = 0;
  await using way = await through(async (peer, nth) => {
    if (nth > 0) return answering(ok())(peer, nth);
    await peer.readRequest();
    await peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${BIG}\r\n\r\n`);
    const block = Buffer.alloc(256 * 1024, 'x');
    while (sent < BIG) {
      sent += block.length;
      if (!peer.socket.write(block)) await Promise.race([once(peer.socket, 'drain'), peer.gone()]);
    }
    await peer.gone();
  });
  way.peer.pause();
  await way.peer.send(get(way.host));
  await way.origin.connection(0);
  // Held back for as long as other requests come and go; without back-pressure all of it would have left by then.
  const { peer: other } = await way.proxy.tunnel(way.host);
  for (let still = 0, before = -1; still < 50 && sent < BIG; before = sent) {
    await other.send(get(way.host));
    await other.readResponse();
    still = sent === before ? still + 1 : 0;
  }
  t.ok(sent < BIG, `the origin was held back at ${sent} bytes`);
  const raw = way.peer.release();
  let got = 0;
  const whole = Promise.withResolvers<void>();
  raw.on('data', (bytes: Buffer) => {
    got += bytes.length;
    if (got >= BIG) whole.resolve();
  });
  raw.resume();
  await whole.promise;
  t.equal(sent, BIG, 'and nothing is lost after it');
  raw.destroy();
});

t.test('an answer before the upload’s end ends the connection after it', async t => {
  await using way = await through(async peer => {
    await peer.readHead();
    await peer.send('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
    await peer.gone();
  });
  await way.peer.send(`POST /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nContent-Length: 1000\r\n\r\nabc`);
  const response = await way.peer.readResponse();
  t.equal(response.status, 413);
  t.equal(value(response, 'connection'), 'close');
  t.equal(await way.peer.closed(), 'ended');
});

t.test('HTTP/1.0 clients get what they can read', async t => {
  await using way = await through(
    answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n'),
  );
  await way.peer.send(`GET /v1/a HTTP/1.0\r\nHost: ${way.host}\r\nConnection: keep-alive\r\n\r\n`);
  const response = await way.peer.readResponse();
  t.same(values(response, 'transfer-encoding'), []);
  t.equal(response.body.toString(), 'hi');
});

t.test('[bad-input Parser] malformed requests are answered and the connection closed', async t => {
  await using way = await through(answering(ok()));
  const rows: readonly (readonly [string, number])[] = [
    [
      `POST / HTTP/1.1\r\nHost: ${way.host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [`GET / HTTP/2.0\r\nHost: ${way.host}\r\n\r\n`, 400],
    [`GET /${'a'.repeat(17_000)} HTTP/1.1\r\n`, 431],
    [`POST /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n`, 400],
  ];
  for (const [bytes, status] of rows) {
    const { peer } = await way.proxy.tunnel(way.host);
    await peer.send(bytes);
    t.equal((await peer.readResponse()).status, status, JSON.stringify(bytes.slice(0, 40)));
    t.equal(await peer.closed(), 'ended');
  }
});

t.test('[bad-input Authority] inside a tunnel every name must be the tunnel’s', async t => {
  await using way = await through(answering(ok()));
  const rows = [
    'GET /v1/a HTTP/1.1\r\nHost: evil.test\r\n\r\n',
    'GET /v1/a HTTP/1.1\r\n\r\n',
    `GET /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nHost: evil.test\r\n\r\n`,
    'GET /v1/a HTTP/1.1\r\nHost:\r\n\r\n',
    `GET /v1/a HTTP/1.1\r\nHost: u@${way.host}\r\n\r\n`,
    'GET /v1/a HTTP/1.1\r\nHost: p.test\r\n\r\n',
    `GET https://evil.test/ HTTP/1.1\r\nHost: ${way.host}\r\n\r\n`,
    `OPTIONS * HTTP/1.1\r\nHost: ${way.host}\r\n\r\n`,
  ];
  for (const bytes of rows) {
    const { peer } = await way.proxy.tunnel(way.host);
    await peer.send(bytes);
    const response = await peer.readResponse();
    t.match(response.body.toString(), /"rule":"invalid"/, JSON.stringify(bytes));
    peer.socket.destroy();
  }
  await way.peer.send(
    `GET https://P.TEST:${way.origin.port}/v1/a HTTP/1.1\r\nHost: ${way.host.toUpperCase()}\r\n\r\n`,
  );
  t.equal((await way.peer.readResponse()).status, 200, 'another spelling of the same name is the same name');
  t.match((await way.origin.connection(0)).received.toString(), `Host: ${way.host}\r\n`);
});

t.test('[7.1] a refusal inside a tunnel: header, text, record on one line, connection kept', async t => {
  await using way = await through(answering(ok()));
  way.proxy.push({});
  await way.peer.send(`POST /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nContent-Length: 3\r\n\r\nabc`);
  const response = await way.peer.readResponse();
  t.equal(response.status, 502);
  t.equal(value(response, 'x-wrld-world-refusal'), 'grant');
  const [text, line, rest] = response.body.toString().split('\n');
  t.match(text, /\(missing: grant; fix: http:\/\/127\.0\.0\.1:1\/docs\/reference\/refusals#not-granted\)$/);
  t.match(JSON.parse(line!), {
    kind: 'wrld-world-refusal',
    version: 1,
    rule: 'not-granted',
    grantField: 'runtime.network.writes',
  });
  t.equal(rest, '');
  t.match(way.proxy.refusals, [{ rule: 'not-granted' }]);
  await way.peer.send(`HEAD /v1/a HTTP/1.1\r\nHost: ${way.host}\r\n\r\n`);
  const head = await way.peer.readResponse('HEAD');
  t.equal(value(head, 'x-wrld-world-refusal'), 'grant', 'HEAD: headers only');
  for (const navigating of ['Sec-Fetch-Mode: navigate', 'Upgrade-Insecure-Requests: 1']) {
    await way.peer.send(get(way.host, `Accept: text/html,*/*;q=0.8\r\n${navigating}\r\n`));
    const page = await way.peer.readResponse();
    t.match(page.body.toString(), /<script type="application\/json" id="wrld-world-refusal">/);
    t.match(value(page, 'content-security-policy'), /^default-src 'none'/);
  }
  way.proxy.push(granting(`https://${way.host}`));
  await way.peer.send(get(way.host));
  t.equal(
    (await way.peer.readResponse()).status,
    200,
    'the same connection is judged anew by the next snapshot',
  );
});

t.test('[7.1] who navigates nowhere gets no page, and who reads JSON alone gets JSON', async t => {
  await using way = await through(answering(ok()));
  way.proxy.push({});
  const refused = async (fields: string) => {
    await way.peer.send(get(way.host, fields));
    return await way.peer.readResponse();
  };
  // Java's own client, axios, a browser's fetch.
  for (const accept of [
    'text/html, image/gif, image/jpeg, */*; q=0.2',
    'application/json, text/plain, */*',
    '*/*',
  ]) {
    const response = await refused(`Accept: ${accept}\r\n`);
    t.equal(value(response, 'content-type'), 'text/plain; charset=utf-8', accept);
    t.equal(JSON.parse(response.body.toString().split('\n')[1]!).kind, 'wrld-world-refusal');
  }
  for (const accept of ['application/json', 'application/vnd.github+json']) {
    const response = await refused(`Accept: ${accept}\r\n`);
    t.equal(response.status, 502);
    t.equal(value(response, 'x-wrld-world-refusal'), 'grant');
    t.equal(value(response, 'content-type'), 'application/json');
    const document = JSON.parse(response.body.toString());
    t.match(document, { kind: 'wrld-world-refusal', version: 1, rule: 'not-granted', missing: 'grant' });
    t.match(document.error, { message: document.message, type: 'wrld-world-refusal', code: 'not-granted' });
    t.match(document.message, /\(missing: grant; fix: http:/);
  }
});

t.test('[bad-input Parser] a long body to a refused URL: the answer, then a bounded goodbye', async t => {
  await using way = await through(answering(ok()));
  way.proxy.push({});
  await way.peer.send(`POST /v1/a HTTP/1.1\r\nHost: ${way.host}\r\nContent-Length: 5000000000\r\n\r\n`);
  const response = await way.peer.readResponse();
  t.equal(response.status, 502);
  t.equal(value(response, 'connection'), 'close');
  const block = Buffer.alloc(64 * 1024);
  while (way.peer.ending !== 'reset' && !way.peer.socket.destroyed && (await way.peer.send(block)));
  t.pass('the proxy stops reading');
});

t.test('[bad-input Authority] absolute form: the request line is judged and Host rewritten', async t => {
  await using origin = await startOrigin({ script: answering(ok()) });
  const host = `plain.test:${origin.port}`;
  await using proxy = await startProxy({ world: granting(`http://${host}`) });
  await using peer = await openWire(proxy.port);
  await peer.send(
    `GET http://u:p@${host}?q=1 HTTP/1.1\r\nHost: evil.test\r\nProxy-Connection: keep-alive\r\n\r\n`,
  );
  t.equal((await peer.readResponse()).status, 200);
  t.equal((await origin.connection(0)).received.toString(), `GET /?q=1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await peer.send(`GET http://${host}@evil.test/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.match((await peer.readResponse()).body.toString(), /"target":"http:\/\/evil\.test\/"/);
  await peer.send(`GET ftp://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.match((await peer.readResponse()).body.toString(), /"rule":"invalid"/);
  t.equal(origin.connections.length, 1);
});

t.test('a browser that opens the proxy’s own address is told what it is', async t => {
  await using proxy = await startProxy();
  await using peer = await openWire(proxy.port);
  await peer.send('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const response = await peer.readResponse();
  t.equal(response.status, 400);
  t.match(response.body.toString(), /HTTPS_PROXY/);
});
