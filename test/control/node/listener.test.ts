import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { loadAuthority } from '../../../certs/authority.ts';
import { type Listener, listen } from '../../../control/node/listener.ts';
import { Streams } from '../../../control/node/streams.ts';
import { listenForTwins } from '../../../control/node/twins-listener.ts';
import { ANSWERS_IN_FLIGHT_BYTES_MAX, REQUEST_BODY_BYTES_MAX } from '../../../control/world/limits.ts';
import type { Call } from '../../../twins/kit/call.ts';
import type { Reply } from '../../../twins/kit/reply.ts';
import type { MountedTwin } from '../../../twins/kit/twin.ts';
import { within } from '../../kit/deadline.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openTestSite, type TestSite } from '../../kit/site.ts';
import { openWire } from '../../kit/wire.ts';

type Answer = { readonly status: number; readonly response: IncomingMessage; readonly text: string };

/** A listener over a twin that answers as the test says. */
async function open(
  respond: (call: Call) => Reply,
): Promise<AsyncDisposable & { site: TestSite; listener: Listener }> {
  const { twin } = noteTwin();
  const mounted: MountedTwin = { twin, respond };
  const site = await openTestSite({ twins: { note: mounted } });
  const listener = await listen({
    site: site.site,
    from: 'client',
    log: site.around.log,
    host: '127.0.0.1',
    port: 0,
  });
  return {
    site,
    listener,
    [Symbol.asyncDispose]: async () => {
      await listener.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

async function ask(
  { listener, site }: { listener: Listener; site: TestSite },
  options: {
    method?: string;
    path?: string;
    headers?: { [name: string]: string | string[] };
    body?: string | Buffer;
    agent?: Agent;
  } = {},
): Promise<Answer> {
  const { method = 'GET', path = '/acme/notes/note/x', headers = {}, body, agent } = options;
  const outgoing = request({
    host: '127.0.0.1',
    port: listener.port,
    method,
    path,
    headers: { 'x-wrld-token': site.token, ...headers },
    ...(agent ? { agent } : {}),
  });
  outgoing.end(body);
  const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
  return { status: response.statusCode!, response, text: await text(response) };
}

const OK: Reply = { status: 200, headers: [['Content-Type', 'text/plain']], body: 'ok' };

t.test('request and reply go through as they are', async t => {
  let seen: Call | undefined;
  await using served = await open(call => {
    seen = call;
    return {
      status: 201,
      headers: [
        ['Request-Id', 'req_1'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-MiXed', 'case'],
      ],
      body: 'grüße',
    };
  });
  const answer = await ask(served, {
    method: 'POST',
    path: '/acme/notes/note/v1/x?a=1',
    headers: { accept: ['a', 'b'] },
    body: 'héllo',
  });
  t.equal(answer.status, 201);
  t.equal(answer.text, 'grüße');
  t.strictSame(
    answer.response.rawHeaders.slice(0, 10),
    [
      ...['Request-Id', 'req_1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-MiXed', 'case'],
      ...['content-length', '7'],
    ],
    'order, case and duplicates kept',
  );
  t.match(seen, { method: 'POST', path: '/v1/x', query: 'a=1', caller: 'token' });
  t.equal(new TextDecoder().decode(seen!.body), 'héllo');
  t.strictSame(seen!.headers['accept'], ['a', 'b']);
});

t.test('framing: HEAD, 204, 304, a length of the twin’s own, bytes', async t => {
  const replies: { [path: string]: Reply } = {
    '/head': OK,
    '/204': { status: 204, headers: [], body: null },
    '/204-length': {
      status: 204,
      headers: [
        ['Content-Length', '3'],
        ['Transfer-Encoding', 'chunked'],
      ],
      body: 'abc',
    },
    '/304': { status: 304, headers: [['ETag', 'x']], body: null },
    '/length': { status: 200, headers: [['Content-Length', '3']], body: 'abc' },
    '/empty': { status: 200, headers: [], body: null },
    '/bytes': { status: 200, headers: [], body: Uint8Array.of(1, 2, 3) },
  };
  await using served = await open(call => replies[call.path]!);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const of = async (path: string, method = 'GET') => {
    const { status, response, text } = await ask(served, { path: `/acme/notes/note${path}`, method, agent });
    return [status, response.headers['content-length'], text];
  };
  t.strictSame(await of('/head', 'HEAD'), [200, '2', '']);
  t.strictSame(await of('/204'), [204, undefined, '']);
  // RFC 9110 8.6: what has no content tells no length of it, whatever its twin says.
  const none = await ask(served, { path: '/acme/notes/note/204-length', agent });
  t.match([none.status, none.text], [204, '']);
  t.notMatch(none.response.rawHeaders.join(' '), /content-length|transfer-encoding/i);
  t.strictSame(await of('/304'), [304, undefined, '']);
  t.strictSame(await of('/length'), [200, '3', 'abc']);
  t.strictSame(await of('/empty'), [200, '0', '']);
  t.strictSame(await of('/bytes'), [200, '3', '\x01\x02\x03']);
  agent.destroy();
});

t.test(
  'a stream is sent as it comes, no faster than it is read, and ends when its reader leaves',
  async t => {
    const first = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string>();
    let produced = 0;
    const chunk = new Uint8Array(256 * 1024);
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield new TextEncoder().encode('one');
        await first.promise;
        for (;;) {
          produced += 1;
          yield chunk;
        }
      } finally {
        ended.resolve('ended');
      }
    }
    await using served = await open(() => ({ status: 200, headers: [], body: endless() }));
    const outgoing = request({
      host: '127.0.0.1',
      port: served.listener.port,
      path: '/acme/notes/note/x',
      headers: { 'x-wrld-token': served.site.token },
    });
    outgoing.on('error', () => {});
    outgoing.end();
    const [response] = (await within('the head', once(outgoing, 'response'))) as [IncomingMessage];
    response.on('error', () => {});
    const [one] = (await within('the first chunk', once(response, 'data'))) as [Buffer];
    t.equal(one.toString(), 'one', 'before the next was there');
    response.pause();
    first.resolve();
    // The source has stalled when two looks, a turn of the event loop with all its I/O apart, see the same count.
    let before = -1;
    for (let still = 0; still < 50; still = produced === before ? still + 1 : 0) {
      before = produced;
      await new Promise(resolve => setImmediate(resolve));
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    t.ok(produced > 0 && produced < 200, `${produced} chunks were made for a reader that does not read`);
    outgoing.destroy();
    t.equal(await within('the end of the source', ended.promise), 'ended');
  },
);

t.test(
  '[8] answers that are never read: over the bound others are told to come back, and nothing is done',
  async t => {
    const SIZE = 16 * 1024 * 1024;
    const large = new Uint8Array(SIZE).fill(120);
    let calls = 0;
    await using served = await open(call => {
      calls += 1;
      return call.path === '/large' ? { ...OK, body: large } : OK;
    });
    const begin = async (): Promise<IncomingMessage> => {
      const path = '/acme/notes/note/large';
      const headers = { 'x-wrld-token': served.site.token };
      const outgoing = request({
        host: '127.0.0.1',
        port: served.listener.port,
        path,
        headers,
        agent: false,
      });
      outgoing.on('error', () => {});
      outgoing.end();
      const [response] = (await within('a head', once(outgoing, 'response'))) as [IncomingMessage];
      return response.on('error', () => {});
    };
    const unread: IncomingMessage[] = [];
    let refused: IncomingMessage | null = null;
    while (refused === null) {
      const response = await begin();
      if (response.statusCode === 200) unread.push(response);
      else refused = response;
    }
    t.ok(unread.length * SIZE >= ANSWERS_IN_FLIGHT_BYTES_MAX, `${unread.length} answers of 16 MB`);
    // What the system's own buffers have taken of each is in flight no more.
    t.ok(unread.length <= 12);
    const before = calls;
    t.match(
      { status: refused.statusCode, retry: refused.headers['retry-after'], text: await text(refused) },
      { status: 503, retry: '1', text: /"note_error":"answers-unread"/ },
      'in the vendor’s own shape',
    );
    const own = await ask(served, { path: '/-/acme/notes/clock' });
    t.match([own.status, own.text], [503, /"code":"answers-unread"/]);
    t.equal(calls, before, 'the twin did nothing');
    t.equal((await ask(served, { path: '/' })).status, 200, 'what no world answers goes on');
    for (const response of unread)
      t.equal((await text(response)).length, SIZE, 'each is whole when it is read');
    t.equal((await ask(served)).status, 200, 'and there is room again');
  },
);

t.test('[8, 7.3] a body over 4 MB is answered 413', async t => {
  const sizes: number[] = [];
  await using served = await open(call => {
    sizes.push(call.body.length);
    return OK;
  });
  const body = (size: number) => ({ method: 'POST', body: Buffer.alloc(size) });
  const chunked = { 'transfer-encoding': 'chunked' };
  t.equal((await ask(served, body(REQUEST_BODY_BYTES_MAX))).status, 200);
  t.equal((await ask(served, { ...body(REQUEST_BODY_BYTES_MAX), headers: chunked })).status, 200);
  t.strictSame(sizes, [REQUEST_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX]);
  const over = await ask(served, {
    ...body(REQUEST_BODY_BYTES_MAX + 1),
    headers: { expect: '100-continue' },
  });
  t.equal(over.status, 413);
  t.match(over.text, 'body-too-large');
  const client = await openWire(served.listener.port);
  client.send(
    `POST /acme/notes/note/x HTTP/1.1\r\nHost: x\r\nx-wrld-token: ${served.site.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const mebibyte = Buffer.alloc(1024 * 1024);
  for (let sent = 0; sent < 4; sent++)
    client.send(Buffer.concat([Buffer.from('100000\r\n'), mebibyte, Buffer.from('\r\n')]));
  client.send('1\r\nx\r\n');
  t.equal((await client.readResponse('POST')).status, 413, 'chunked, as soon as it is over');
  client.end();
  t.equal(sizes.length, 2, 'the twin saw neither');
});

t.test('a body is not read, nor asked for, before somebody may send it', async t => {
  await using served = await open(() => OK);
  const client = await openWire(served.listener.port);
  client.send(
    'POST /acme/notes/note/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
  );
  const refused = await client.readResponse('POST');
  t.equal(refused.status, 401);
  t.strictSame(refused.interim, [], 'no 100 came first');
  client.end();

  const welcome = await openWire(served.listener.port);
  welcome.send(
    `POST /acme/notes/note/x HTTP/1.1\r\nHost: x\r\nx-wrld-token: ${served.site.token}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nok`,
  );
  const accepted = await welcome.readResponse('POST');
  t.equal(accepted.status, 200);
  t.equal(accepted.interim.length, 1);
  t.notMatch(accepted.interim[0]!.headers.join(' '), /content-length/i, 'which has no content');
  welcome.end();
});

t.test('a refused body does not spoil the next request of the connection', async t => {
  await using served = await open(() => OK);
  const client = await openWire(served.listener.port);
  client.send('POST /acme/notes/note/x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello');
  t.equal((await client.readResponse('POST')).status, 401);
  client.send(`GET /acme/notes/note/x HTTP/1.1\r\nHost: x\r\nx-wrld-token: ${served.site.token}\r\n\r\n`);
  t.equal((await client.readResponse('GET')).status, 200);
  client.end();
});

t.test('faults and delays of a twin', async t => {
  let fault: 'timeout' | 'reset' = 'reset';
  await using served = await open(call =>
    call.path === '/slow' ? { ...OK, delayMs: 30 } : { ...OK, fault },
  );
  await t.rejects(ask(served), /ECONNRESET|socket hang up/, 'reset: the connection is cut');
  fault = 'timeout';
  const outgoing = request({
    host: '127.0.0.1',
    port: served.listener.port,
    path: '/acme/notes/note/x',
    headers: { 'x-wrld-token': served.site.token },
  });
  let answered = false;
  outgoing.on('response', () => (answered = true));
  outgoing.end();
  const slow = performance.now();
  t.equal((await ask(served, { path: '/acme/notes/note/slow' })).text, 'ok');
  t.ok(performance.now() - slow >= 29, 'the delay is kept');
  t.notOk(answered, 'timeout: still no answer');
  outgoing.on('error', () => {});
  outgoing.destroy();
});

t.test('an answer that cannot be written ends its connection and nothing else', async t => {
  await using served = await open(call =>
    call.path === '/bad' ? { status: 200, headers: [['X-Bad', 'a\r\nb']], body: 'x' } : OK,
  );
  await t.rejects(ask(served, { path: '/acme/notes/note/bad' }));
  t.equal((await ask(served)).status, 200);
});

t.test('close lets what is in flight finish', async t => {
  const asked = Promise.withResolvers<void>();
  const served = await open(() => {
    asked.resolve();
    return { ...OK, delayMs: 50 };
  });
  const answer = ask(served);
  await asked.promise;
  const closed = served.listener.close();
  t.equal((await answer).status, 200);
  await within('the listener to close', closed);
  await t.rejects(ask(served, { agent: new Agent() }), /ECONNREFUSED/);
  await served.site[Symbol.asyncDispose]();
});

t.test('the socket that the proxy forwards to', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const authority = await loadAuthority(join(folder, 'ca'));
  if (!authority.ok) throw new Error(authority.why);
  const path = join(folder, 'twins.sock');
  const { twin } = noteTwin();
  const calls: Call[] = [];
  const respond = (call: Call): Reply => {
    calls.push(call);
    return call.path === '/reset' ? { ...OK, fault: 'reset' } : OK;
  };
  await using site = await openTestSite({ twins: { note: { twin, respond } } });
  const { log } = site.around;
  const streams = new Streams({ ...authority, log });
  const forProxy = { streams, find: () => null };
  await using _listener = await listenForTwins(path, { site: site.site, log }, forProxy);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = async (target: string) => {
    const outgoing = request({
      socketPath: path,
      path: target,
      agent,
      headers: { 'x-wrld-host': 'note.test', 'x-wrld-run': 'r' },
    });
    outgoing.end();
    const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
    await text(response);
    return response;
  };
  t.equal((await get('/acme/notes/note/v1/x')).statusCode, 200);
  t.match(calls[0], { via: 'host', host: 'note.test', path: '/v1/x', caller: 'token', scope: 'write' });
  const reset = await get('/acme/notes/note/reset');
  t.equal(reset.headers['x-wrld-fault'], 'reset', 'a cut the proxy can tell from a world that is away');
  agent.destroy();
  // A socket file that a killed control left behind is no obstacle.
  await using _again = await listenForTwins(path, { site: site.site, log }, forProxy);
  t.equal((await get('/acme/notes/note/v1/x')).statusCode, 200);
  agent.destroy();
});

t.test('a client that was accepted a moment before the listener closes is answered', async t => {
  await using opened = await open(() => ({ status: 200, headers: [], body: 'there' }));
  const { port } = opened.listener;
  const client = connect({ port, host: '127.0.0.1' });
  await once(client, 'connect');
  // One that was answered on the same listener came later, so the first was accepted.
  t.equal((await ask(opened)).status, 200);
  const closed = opened.listener.close();
  client.write('GET /acme/notes/note/x HTTP/1.1\r\nhost: x\r\n\r\n');
  t.match(await text(client), /^HTTP\/1\.1 401 .*unauthenticated/s, 'it is this site that answers');
  await within('the listener to close', closed);
});
