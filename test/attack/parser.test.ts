// Every row of bad-input's "Parser and resources" as bytes on a wire, in a tunnel and in the clear; and what an
// upstream may answer. The stand-ins say what arrived by a parser of their own.
import type { RequestListener } from 'node:http';
import t from 'tap';
import { value, values } from '../kit/http-text.ts';
import { startOrigin } from '../kit/origin.ts';
import type { Peer } from '../kit/peer.ts';
import { granting, startProxy, type TestProxy } from '../kit/proxy.ts';
import { openWire } from '../kit/wire.ts';
import { type AttackedWorld, startWorld } from './world.ts';

/** The same bytes, in the clear to the proxy and inside a tunnel: `{t}` is the target, `{h}` the host. */
async function everyWay(
  world: AttackedWorld,
  bytes: string,
  each: (peer: Peer, way: string) => Promise<void>,
): Promise<void> {
  const fill = (target: string, host: string): string =>
    bytes.replaceAll('{t}', target).replaceAll('{h}', host);
  const plain = await openWire(world.proxy.port);
  void plain.send(fill(`http://${world.clear}`, world.clear));
  await each(plain, 'in the clear');
  plain.socket.destroy();
  const { peer } = await world.proxy.tunnel(world.secure);
  void peer.send(fill('', world.secure));
  await each(peer, 'in a tunnel');
  peer.socket.destroy();
}

t.test('[bad-input Parser] what no two parsers read alike ends the connection and goes nowhere', async t => {
  await using world = await startWorld();
  const post = 'POST {t}/v1/w/a HTTP/1.1\r\nHost: {h}\r\n';
  const get = 'GET {t}/v1/a HTTP/1.1\r\n';
  const smuggled = 'GET {t}/v1/w/smuggled HTTP/1.1\r\nHost: {h}\r\n\r\n';
  const rows: readonly (readonly [string, string, number])[] = [
    [
      'a length beside chunked',
      `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      400,
    ],
    [
      'chunked beside a length',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
      400,
    ],
    ['two equal lengths', `${post}Content-Length: 0\r\nContent-Length: 0\r\n\r\n${smuggled}`, 400],
    ['two lengths', `${post}Content-Length: 0\r\nContent-Length: 44\r\n\r\n${smuggled}`, 400],
    ['a list of lengths', `${post}Content-Length: 1,1\r\n\r\na${smuggled}`, 400],
    ['a signed length', `${post}Content-Length: +1\r\n\r\na${smuggled}`, 400],
    ['a hexadecimal length', `${post}Content-Length: 0x1\r\n\r\na${smuggled}`, 400],
    ['a space before the colon', `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`, 400],
    ['another coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`, 400],
    ['a coding before chunked', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${smuggled}`, 400],
    [
      'chunked twice',
      `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      400,
    ],
    ['a tab before chunked, and an identity', `${post}Transfer-Encoding: identity\r\n\r\n${smuggled}`, 400],
    [
      'chunked in HTTP/1.0',
      `POST {t}/v1/w/a HTTP/1.0\r\nHost: {h}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a folded field', `${get}Host: {h}\r\nX-A: b\r\n c\r\n\r\n`, 400],
    ['a bare LF between fields', `${get}Host: {h}\nX-A: b\r\n\r\n`, 400],
    ['a bare CR in a value', `${get}Host: {h}\r\nX-A: b\rc\r\n\r\n`, 400],
    ['NUL in a value', `${get}Host: {h}\r\nX-A: b\0c\r\n\r\n`, 400],
    ['NUL in a name', `${get}Host: {h}\r\nX-\0A: b\r\n\r\n`, 400],
    ['HTTP/0.9', 'GET {t}/v1/a\r\n\r\n', 400],
    ['an HTTP/2.0 request line', 'GET {t}/v1/a HTTP/2.0\r\nHost: {h}\r\n\r\n', 400],
    ['an HTTP/1.2 request line', 'GET {t}/v1/a HTTP/1.2\r\nHost: {h}\r\n\r\n', 400],
    ['a signed chunk size', `${post}Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n`, 400],
    ['a chunk longer than it says', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`, 400],
    ['a chunk size past any number', `${post}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\na`, 400],
    ['a chunk line without its CR', `${post}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`, 400],
    ['a head of 17 KB', `${get}Host: {h}\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['a head of 17 KB without an end', `${get}X-A: ${'a'.repeat(17_000)}`, 431],
    ['three thousand fields', `${get}Host: {h}\r\n${'a:b\r\n'.repeat(3_000)}\r\n`, 400],
    ['an expectation nobody knows', `${post}Expect: 200-maybe\r\nContent-Length: 0\r\n\r\n`, 400],
    ['an unknown method', 'FOO {t}/v1/a HTTP/1.1\r\nHost: {h}\r\n\r\n', 400],
    ['a small method', 'get {t}/v1/a HTTP/1.1\r\nHost: {h}\r\n\r\n', 400],
    ['TRACK', 'TRACK {t}/v1/a HTTP/1.1\r\nHost: {h}\r\n\r\n', 400],
    ['a tab in the target', 'GET {t}/v1/\ta HTTP/1.1\r\nHost: {h}\r\n\r\n', 400],
    ['an 8-bit byte in the target', 'GET {t}/v1/\xe9 HTTP/1.1\r\nHost: {h}\r\n\r\n', 400],
  ];
  for (const [what, bytes, status] of rows) {
    await everyWay(world, bytes, async (peer, way) => {
      const response = await peer.readResponse();
      t.equal(response.status, status, `${what}, ${way}`);
      t.equal(value(response, 'connection'), 'close');
      t.equal(await peer.gone(), 'ended');
      t.equal(peer.unread.length, 0, 'and no second answer');
    });
  }
  t.strictSame(
    world.seen.filter(({ target, body }) => target.includes('smuggled') || body.includes('smuggled')),
    [],
  );
});

t.test('[bad-input Method] a request in a body is a body', async t => {
  await using world = await startWorld();
  const inner = 'DELETE /v1/w/x HTTP/1.1\r\nHost: p.test\r\n\r\n';
  const bytes = `GET {t}/v1/a HTTP/1.1\r\nHost: {h}\r\nContent-Length: ${inner.length}\r\nX-Tag: one\r\n\r\n${inner}GET {t}/v1/b HTTP/1.1\r\nHost: {h}\r\nX-Tag: two\r\n\r\n`;
  await everyWay(world, bytes, async (peer, way) => {
    for (const tag of ['one', 'two']) t.equal(value(await peer.readResponse(), 'x-tag'), tag, way);
  });
  t.strictSame(
    world.seen.map(({ method, target, body }) => [method, target, body]),
    [0, 1].flatMap(() => [
      ['GET', '/v1/a', inner],
      ['GET', '/v1/b', ''],
    ]),
  );
});

t.test(
  '[bad-input Parser] chunk extensions and forbidden trailers are dropped when a body is framed anew',
  async t => {
    const trailers: NodeJS.Dict<string>[] = [];
    const extensions: string[] = [];
    await using origin = await startOrigin({
      script: async peer => {
        const request = await peer.readRequest();
        trailers.push(Object.fromEntries(request.trailers));
        extensions.push(peer.received.toString('latin1'));
        await peer.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        await peer.gone();
      },
    });
    await using proxy = await startProxy({ world: granting(`http://c.test:${origin.port}`) });
    await using wire = await openWire(proxy.port);
    await wire.send(
      `POST http://c.test:${origin.port}/ HTTP/1.1\r\nHost: c.test\r\nTransfer-Encoding: chunked\r\n\r\n2;name="value"\r\nhi\r\n0\r\nHost: evil.test\r\nX-Sum: 1\r\nContent-Length: 5\r\nX-Wrld-Run: other\r\nX-Wrld-Token: t\r\nAuthorization: x\r\n\r\n`,
    );
    t.equal((await wire.readResponse()).status, 200);
    t.strictSame(trailers, [{ 'X-Sum': '1' }]);
    t.notMatch(extensions[0]!, /name=/);
  },
);

t.test('[bad-input Parser] what belongs to this hop, or is the world’s to say, stays behind', async t => {
  await using world = await startWorld();
  const bytes =
    'POST {t}/v1/w/a HTTP/1.1\r\nHost: {h}\r\nConnection: host, content-length, x-hop, transfer-encoding, keep-alive\r\nX-Hop: 1\r\nContent-Length: 2\r\nKeep-Alive: 5\r\nTE: trailers\r\nProxy-Connection: x\r\nProxy-Authorization: Basic eA==\r\nx-wrld-caller: me\r\nX-Wrld-Run: other\r\nX-WRLD-HOST: evil.test\r\nX-Wrld-Token: tok_w_x\r\nX-Twins-Key: tok_k_x\r\n\r\nhi';
  await everyWay(world, bytes, async (peer, way) => {
    t.equal((await peer.readResponse()).status, way === 'in the clear' ? 407 : 200, way);
  });
  t.equal(world.seen.length, 1);
  t.strictSame(
    world.seen[0]!.rawHeaders,
    ['Host', world.secure, 'Content-Length', '2', 'Connection', 'keep-alive'].slice(0, 4),
  );
  t.equal(world.seen[0]!.body, 'hi');
});

t.test('[bad-input Parser] no 100 before the decision, and none but the origin’s own', async t => {
  await using world = await startWorld();
  const ask = 'POST {t}/v1/no HTTP/1.1\r\nHost: {h}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n';
  await everyWay(world, ask, async (peer, way) => {
    const response = await peer.readResponse();
    t.equal(response.status, 502, way);
    t.strictSame(response.interim, [], way);
    t.equal(await peer.gone(), 'ended', 'the body may come or not: nobody can tell, so the connection ends');
  });
  const granted =
    'POST {t}/v1/w/a HTTP/1.1\r\nHost: {h}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n';
  await everyWay(world, granted, async (peer, way) => {
    t.equal((await peer.readHead()).start, 'HTTP/1.1 100 Continue', way);
    await peer.send('hello');
    t.equal((await peer.readResponse()).status, 200, way);
  });
  t.strictSame(
    world.seen.map(({ body }) => body),
    ['hello', 'hello'],
  );
});

t.test(
  'malformed chunks while the answer is on its way: a cut, and nothing mixed into the answer',
  async t => {
    await using world = await startWorld({
      listener: rawlyAtOnce('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nfirst'),
    });
    const bytes = 'POST {t}/v1/w/a HTTP/1.1\r\nHost: {h}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n';
    await everyWay(world, bytes, async (peer, way) => {
      await peer.readUntil('first');
      await peer.send('nonsense\r\n');
      await peer.gone();
      t.equal(peer.unread.toString(), '', way);
    });
  },
);

function rawlyAtOnce(answer: string): () => RequestListener {
  return () => request => {
    request.on('error', () => {});
    request.socket.write(answer, 'latin1');
  };
}

/** A proxy before an origin that answers these bytes to everything, and one connection through it. */
async function answering(
  answer: string | Buffer,
): Promise<AsyncDisposable & { proxy: TestProxy; ask(method?: string): Promise<Peer> }> {
  const origin = await startOrigin({
    script: async peer => {
      await peer.readRequest();
      await peer.send(answer);
      peer.end();
      await peer.gone();
    },
  });
  const proxy = await startProxy({ world: granting(`http://c.test:${origin.port}`) });
  return {
    proxy,
    async ask(method = 'GET') {
      const peer = await openWire(proxy.port);
      await peer.send(`${method} http://c.test:${origin.port}/v1 HTTP/1.1\r\nHost: c.test\r\n\r\n`);
      return peer;
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await origin.stop();
    },
  };
}

t.test(
  '[7.1 a host that does not answer] an answer that cannot be read is a 502 without the header',
  async t => {
    const rows: readonly (readonly [string, string])[] = [
      ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
      ['HTTP/2.0', 'HTTP/2.0 200 OK\r\n\r\n'],
      ['a status that is no number', 'HTTP/1.1 1:0 OK\r\nContent-Length: 0\r\n\r\n'],
      ['a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n'],
      ['a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
      ['a status of zeros', 'HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n'],
      ['a CR in the status line', 'HTTP/1.1 200\rX: y\r\nContent-Length: 0\r\n\r\n'],
      [
        'a length beside chunked',
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
      ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello'],
      ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello'],
      ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
      ['a folded field', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n'],
      ['a bare LF', 'HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n'],
      ['NUL in a field', 'HTTP/1.1 200 OK\r\nX-A: \0\r\nContent-Length: 0\r\n\r\n'],
      ['an endless head', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(40_000)}`],
      ['endless interim answers', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
      ['a switch nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ];
    for (const [what, answer] of rows) {
      await using way = await answering(answer);
      const peer = await way.ask();
      const response = await peer.readResponse();
      t.equal(response.status, 502, what);
      t.strictSame(values(response, 'x-wrld-world-refusal'), [], what);
      t.match(
        response.body.toString(),
        /^wrld: no answer from c\.test:\d+: .*No rule refused this request\.\n$/,
      );
      peer.socket.destroy();
    }
  },
);

t.test(
  'an upstream speaks for itself alone: the world’s fields and hop-by-hop fields are dropped',
  async t => {
    await using way = await answering(
      'HTTP/1.1 200 OK\r\nX-Wrld-World-Refusal: grant\r\nX-Wrld-Fault: reset\r\nAlt-Svc: h3=":443"\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nProxy-Authenticate: Basic\r\nProxy-Connection: x\r\nUpgrade: h2c\r\nKeep-Alive: timeout=5\r\nX-Kept: 1\r\nContent-Length: 2\r\n\r\nok',
    );
    const response = await (await way.ask()).readResponse();
    t.equal(response.text, 'HTTP/1.1 200 OK\r\nX-Kept: 1\r\nContent-Length: 2\r\n\r\n');
  },
);

t.test('bytes after an answer are nobody’s answer', async t => {
  await using way = await answering(
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
  );
  const peer = await way.ask();
  t.equal((await peer.readResponse()).body.toString(), 'ok');
  const head = await way.ask('HEAD');
  t.equal((await head.readResponse('HEAD')).body.length, 0);
  t.equal(peer.unread.length + head.unread.length, 0);
});

t.test(
  '[bad-input DNS] a redirect to an ungranted host passes; the request that follows it is refused',
  async t => {
    await using way = await answering(
      'HTTP/1.1 302 Found\r\nLocation: http://evil.test/next\r\nContent-Length: 0\r\n\r\n',
    );
    const response = await (await way.ask()).readResponse();
    t.equal(response.status, 302);
    await using next = await openWire(way.proxy.port);
    await next.send(`GET ${value(response, 'location')} HTTP/1.1\r\nHost: evil.test\r\n\r\n`);
    t.match((await next.readResponse()).body.toString(), /"rule":"not-granted"/);
  },
);
