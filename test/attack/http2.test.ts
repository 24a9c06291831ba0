// What an HTTP/2 client may try, and what an upstream may answer to one: none of it may reach beyond its stream.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { within } from '../kit/deadline.ts';
import { connectTunnel } from '../kit/wire.ts';
import { frame, hpack, PREFACE } from './bytes.ts';
import { type AttackedWorld, startWorld } from './world.ts';

async function session(t: Test, world: AttackedWorld, host: string): Promise<ClientHttp2Session> {
  const { peer } = await connectTunnel(world.proxy.port, host, { tls: { ca: world.proxy.ca, alpn: ['h2'] } });
  const opened = connect(`https://${host}`, {
    maxSessionMemory: 1_000,
    createConnection: () => peer.release() as Socket,
  });
  opened.on('error', () => {});
  t.teardown(() => opened.destroy());
  return opened;
}

/** The status, or the error code of a stream that was reset. */
async function outcome(stream: ClientHttp2Stream): Promise<string> {
  let status = '';
  let body = '';
  stream.on('response', headers => (status = String(headers[':status'])));
  stream.on('error', () => {});
  stream.setEncoding('utf8').on('data', text => (body += text));
  if (!stream.closed)
    await within('the end of a stream', new Promise(resolve => stream.once('close', resolve)));
  const rule = /"rule":"([a-z0-9-]+)"/.exec(body)?.[1];
  return `${status || `reset ${stream.rstCode}`}${rule === undefined ? '' : ` ${rule}`}`;
}

const listening =
  (listener: RequestListener): (() => RequestListener) =>
  () =>
    listener;

t.test('[bad-input Transport] a stream that is malformed or of another host is never forwarded', async t => {
  await using world = await startWorld();
  const h2 = await session(t, world, 'tw.test:443');
  const rows: readonly (readonly [string, Record<string, string>, string])[] = [
    ['a Host beside another :authority', { ':authority': 'tw.test', host: 'p.test' }, 'reset 1'],
    ['an :authority of another host', { ':authority': 'two.test' }, '502 invalid'],
    ['user information', { ':authority': 'u@tw.test' }, 'reset 1'],
    ['another port', { ':authority': 'tw.test:8443' }, '502 invalid'],
    ['no path', { ':path': '' }, 'reset 1'],
    ['an absolute path of another host', { ':path': 'https://two.test/v1/a' }, 'reset 1'],
    ['an asterisk', { ':path': '*', ':method': 'OPTIONS' }, '502 unclaimed-path'],
    ['dots', { ':path': '/v1/../admin' }, '502 unclaimed-path'],
    ['an unknown method', { ':method': 'FOO' }, 'reset 1'],
    ['a small method', { ':method': 'get' }, 'reset 1'],
  ];
  for (const [what, fields, expected] of rows) {
    t.equal(await outcome(h2.request({ ':path': '/v1/a', ...fields })), expected, what);
  }
  t.equal(world.seen.length, 0);
  t.equal(await outcome(h2.request({ ':path': '/v1/a' })), '200', 'the session serves on');
});

t.test(
  '[bad-input Transport] pseudo-fields doubled, late or unknown, and names in upper case, are stream errors',
  async t => {
    await using world = await startWorld();
    const good: [string, string][] = [
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', '/v1/a'],
      [':authority', 'tw.test'],
    ];
    const rows: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
      ['two paths', [...good, [':path', '/v1/b']]],
      ['two authorities', [...good, [':authority', 'p.test']]],
      ['two methods', [...good, [':method', 'POST']]],
      ['a pseudo-field after a field', [['x-a', 'b'], ...good]],
      ['an unknown pseudo-field', [...good, [':evil', 'x']]],
      ['the pseudo-field of answers', [...good, [':status', '200']]],
      ['a name in upper case', [...good, ['X-Upper', 'b']]],
      ['a Connection field', [...good, ['connection', 'x']]],
      ['chunked', [...good, ['transfer-encoding', 'chunked']]],
      ['an extended CONNECT', [...good.slice(1), [':method', 'CONNECT'], [':protocol', 'websocket']]],
      ['no method', good.slice(1)],
      ['no path', good.filter(([name]) => name !== ':path')],
    ];
    for (const [what, fields] of rows) {
      const { peer } = await connectTunnel(world.proxy.port, 'tw.test:443', {
        tls: { ca: world.proxy.ca, alpn: ['h2'] },
      });
      await peer.send(PREFACE + frame(4, 0, 0, '') + frame(1, 5, 1, hpack(fields)));
      const kinds: number[] = [];
      while (!kinds.includes(3) && !kinds.includes(7)) {
        const head = await peer.read(9, `a frame after ${what}`);
        kinds.push(head[3]!);
        await peer.read(head.readUIntBE(0, 3));
      }
      t.notOk(kinds.includes(1), `${what}: reset, and no answer`);
      peer.socket.destroy();
    }
    t.equal(world.seen.length, 0);
    const { peer } = await connectTunnel(world.proxy.port, 'tw.test:443', {
      tls: { ca: world.proxy.ca, alpn: ['h2'] },
    });
    const broken = hpack([...good, ['x-a', 'b\r\nx-c: d']]);
    await peer.send(PREFACE + frame(4, 0, 0, '') + frame(1, 5, 1, broken));
    await peer.readUntil('control');
    t.notMatch(
      Object.keys(world.seen[0]!.headers),
      /x-[ac]/,
      'a line break in a value: the field is not there',
    );
    peer.socket.destroy();
  },
);

t.test(
  '[bad-input What users ask] WebSocket over HTTP/2 is not offered, since nothing would relay it',
  async t => {
    await using world = await startWorld();
    const h2 = await session(t, world, 'tw.test:443');
    const [settings] = await within('settings', once(h2, 'remoteSettings'));
    t.notOk(settings.enableConnectProtocol);
    t.notOk(settings.enablePush);
  },
);

t.test('[bad-input Transport] a CONNECT over HTTP/2 is a raw socket to a twin’s host', async t => {
  await using world = await startWorld();
  const h2 = await session(t, world, 'tw.test:443');
  const stream = h2.request({ ':method': 'CONNECT', ':authority': 'tw.test:443' });
  t.equal(await outcome(stream), '502 raw-socket-twinned');
});

t.test(
  '[bad-input Parser] the world’s own fields and forbidden trailers do not pass over HTTP/2',
  async t => {
    let trailers: Promise<NodeJS.Dict<string>> | undefined;
    await using world = await startWorld({
      listener: listening((request, response) => {
        trailers = once(request, 'end').then(() => request.trailers);
        request.on('end', () => response.end('ok'));
      }),
    });
    const h2 = await session(t, world, 'tw.test:443');
    const stream = h2.request(
      { ':method': 'POST', ':path': '/v1/a', 'x-wrld-caller': 'me', 'proxy-authorization': 'Basic eA==' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'x-sum': '1', 'x-wrld-caller': 'me', authorization: 'x', 'x-wrld-token': 't' }),
    );
    stream.end('body');
    t.equal(await outcome(stream), '200');
    t.equal(world.seen[0]!.headers['x-wrld-caller'], undefined);
    t.equal(world.seen[0]!.headers['proxy-authorization'], undefined);
    t.strictSame({ ...(await trailers) }, { 'x-sum': '1' });
  },
);

t.test('an upstream’s answer that HTTP/2 cannot carry ends its stream alone', async t => {
  await using world = await startWorld({
    listener: listening((request, response) => {
      const lines = {
        '/v1/types':
          'HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 2\r\n\r\nok',
        '/v1/etags': 'HTTP/1.1 200 OK\r\nETag: "a"\r\nETag: "b"\r\nContent-Length: 2\r\n\r\nok',
        '/v1/204': 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
        '/v1/205': 'HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nok',
        '/v1/999': 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok',
        '/v1/early': `HTTP/1.1 103 Early\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
        '/v1/trailer': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nEtag: a\r\nEtag: b\r\n\r\n',
      }[request.url!.replace('/acme/shop/tw', '')];
      if (lines === undefined) response.end('ok');
      else request.socket.end(lines, 'latin1');
    }),
  });
  const h2 = await session(t, world, 'tw.test:443');
  for (const path of ['types', 'etags', '204', '205', '999', 'early', 'trailer']) {
    t.match(await outcome(h2.request({ ':path': `/v1/${path}` })), /^(20\d|502|999|reset \d+)$/, path);
    t.equal(await outcome(h2.request({ ':path': '/v1/plain' })), '200', `after ${path}`);
  }
});

t.test('a client that resets its stream with bytes unread harms nobody when the answer comes', async t => {
  const waiting: (() => void)[] = [];
  await using world = await startWorld({
    listener: listening((request, response) => {
      if (request.url!.endsWith('/plain')) return void response.end('ok');
      // Nothing is read of the body, so that it backs up in the proxy, and the answer comes after the reset.
      request.pause();
      waiting.push(() => response.end('late'));
    }),
  });
  const h2 = await session(t, world, 'tw.test:443');
  for (let i = 0; i < 20; i++) {
    const stream = h2.request({ ':method': 'POST', ':path': '/v1/slow' });
    stream.on('error', () => {});
    stream.write(Buffer.alloc(4_000_000));
    while (waiting.length <= i) await new Promise(resolve => setImmediate(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    // At once, or when the proxy has seen the reset already.
    if (i % 2 === 1) t.equal(await outcome(h2.request({ ':path': '/v1/plain' })), '200');
    waiting[i]!();
    t.equal(await outcome(h2.request({ ':path': '/v1/plain' })), '200', `after reset ${i}`);
  }
});
