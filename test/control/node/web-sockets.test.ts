// A twin's own WebSockets: each message a transaction of its world, what the twin says in its order, and every end.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { type ClientOptions, WebSocket } from 'ws';
import { loadAuthority } from '../../../certs/authority.ts';
import { Site } from '../../../control/http/site.ts';
import { serverFor } from '../../../control/node/listener.ts';
import { Streams } from '../../../control/node/streams.ts';
import { serveUpgrades, type WebSocketLimits, WebSockets } from '../../../control/node/web-sockets.ts';
import { RequestBudget } from '../../../control/world/access/budget.ts';
import { SOCKET_MESSAGE_BYTES_MAX } from '../../../control/world/limits.ts';
import { within } from '../../kit/deadline.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openTestSite } from '../../kit/site.ts';
import { socketTwin } from '../../kit/socket-twin.ts';
import { openWire } from '../../kit/wire.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
t.teardown(() => rm(folder, { recursive: true }));
const loaded = await loadAuthority(join(folder, 'ca'));
if (!loaded.ok) throw new Error(loaded.why);
const { authority } = loaded;

async function open(t: Test, limits: Partial<WebSocketLimits> = {}, budget: RequestBudget | null = null) {
  const talk = socketTwin();
  const site = await openTestSite({ twins: { talk: talk.mounted, note: noteTwin() } });
  const { log } = site.around;
  const limited = new Site(site.notes.world, site.around, budget);
  const options = { site: limited, from: 'client', log } as const;
  const server = serverFor(options, WebSockets.asksForOne);
  const streams = new Streams({ authority, log });
  const sockets = new WebSockets({ ...options, streams, limits });
  serveUpgrades(server, sockets);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(async () => {
    await sockets.close();
    server.close();
    server.closeAllConnections();
    await site[Symbol.asyncDispose]();
  });
  const dial = (path: string, more: ClientOptions & { protocols?: string[]; token?: string } = {}) => {
    const { protocols = [], token = site.token, ...rest } = more;
    return new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, {
      headers: { 'x-wrld-token': token },
      ...rest,
    });
  };
  return { site, limited, talk, sockets, port, dial };
}

type Heard = {
  readonly ws: WebSocket;
  next(): Promise<string>;
  readonly closed: Promise<readonly [code: number, reason: string]>;
};

/** Its messages one at a time, as text. */
function hear(ws: WebSocket): Heard {
  const messages: string[] = [];
  ws.on('error', () => {});
  let wake = (): void => {};
  ws.on('message', (data: Buffer, binary: boolean) => {
    messages.push(binary ? data.toString('hex') : data.toString());
    wake();
  });
  return {
    ws,
    next: async () => {
      while (messages.length === 0)
        await within(
          'a message',
          new Promise<void>(resolve => {
            wake = resolve;
          }),
        );
      return messages.shift()!;
    },
    closed: once(ws, 'close').then(([code, reason]) => [code, String(reason)] as const),
  };
}

/** The answer that refused the handshake. */
async function refusal(ws: WebSocket): Promise<readonly [status: number, body: string]> {
  ws.on('error', () => {});
  const [, response] = (await within('the answer', once(ws, 'unexpected-response'))) as [
    unknown,
    IncomingMessage,
  ];
  const body = await text(response);
  ws.terminate();
  return [response.statusCode!, body];
}

const ECHO = '/acme/notes/talk/echo';

t.test('each message is a transaction: kept, answered in order, with caller and trace', async t => {
  const { site, dial } = await open(t);
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const { ws, next } = hear(dial(ECHO, { headers: { 'x-wrld-token': site.token, traceparent } }));
  t.match(await next(), /^hello token via url at 127\.0\.0\.1/);
  for (const words of ['later', 'two', 'three']) ws.send(words);
  ws.send(Buffer.from([1, 2, 3]));
  t.strictSame(
    [await next(), await next(), await next(), await next(), await next()],
    ['late', 'after that', 'echo two', 'echo three', '030201'],
  );
  const { entries } = (await site.notes.world.log('talk', 0))!;
  t.strictSame(
    entries.map(({ kind, caller, trace }) => [kind, caller, trace?.traceId]),
    Array.from({ length: 3 }, () => ['note.created', 'token', 'a'.repeat(32)]),
    'one entry a message that wrote, none for one that did not',
  );
  ws.close();
});

t.test('a burst is answered whole, and what the twin says last ends it', async t => {
  const { dial, talk } = await open(t);
  const { ws, next, closed } = hear(dial(ECHO));
  await next();
  for (let n = 0; n < 20; n += 1) ws.send('many');
  const said: number[] = [];
  for (let n = 0; n < 2000; n += 1) said.push(Number(await next()));
  t.ok(said.every((each, n) => each === n % 100));
  ws.send('bye');
  t.equal(await next(), 'going');
  t.strictSame(await within('its end', closed), [4000, 'said bye']);
  while (talk.closed() === 0) await new Promise(resolve => setImmediate(resolve));
  t.equal(talk.closed(), 1, 'the twin is told once');
});

t.test('what a twin has begun to say can be stopped, and nothing else with it', async t => {
  const { dial } = await open(t);
  const { ws, next } = hear(dial(ECHO));
  await next();
  ws.send('stop');
  t.equal(await next(), 'nothing to stop');
  ws.send('long');
  t.equal(await next(), 'long begins');
  ws.send('one');
  ws.send('stop');
  t.strictSame([await next(), await next()], ['echo one', 'stopped'], 'what waited behind it is said');
  ws.send('stop');
  t.equal(await next(), 'nothing to stop');
  ws.terminate();
});

t.test('what a twin fails on ends its socket, not the world', async t => {
  const { dial, site } = await open(t);
  const { ws, next, closed } = hear(dial(ECHO));
  await next();
  ws.send('before');
  ws.send('throw');
  ws.send('after');
  t.equal(await next(), 'echo before');
  t.strictSame(await within('its end', closed), [1011, 'the world failed on this message']);
  const again = hear(dial(ECHO));
  t.match(await again.next(), /^hello/);
  again.ws.terminate();
  t.equal((await site.notes.world.log('talk', 0))!.entries.length, 1);
});

t.test('a client that sends faster than it is answered, or does not read, is read no further', async t => {
  const { dial } = await open(t);
  const { ws, next } = hear(dial(ECHO));
  await next();
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  ws.pause();
  for (let n = 0; n < 60; n += 1) ws.send(megabyte);
  ws.resume();
  for (let n = 0; n < 60; n += 1) t.equal((await next()).length, 2 * megabyte.length, 'each is answered');
  ws.terminate();
});

t.test('a message over the limit ends its socket with 1009', async t => {
  const { dial } = await open(t);
  const { ws, next, closed } = hear(dial(ECHO));
  await next();
  ws.send(Buffer.alloc(SOCKET_MESSAGE_BYTES_MAX + 1));
  t.equal((await within('its end', closed))[0], 1009);
});

t.test('[7.3] what is said on a socket spends the request budget; over it the socket ends', async t => {
  let now = 0;
  const budget = new RequestBudget({ requestsPerSecond: 1, burst: 4 }, () => now);
  const { dial, site, limited } = await open(t, {}, budget);
  const { ws, next, closed } = hear(dial(ECHO));
  await next();
  for (const words of ['one', 'two', 'three']) ws.send(words);
  t.strictSame([await next(), await next(), await next()], ['echo one', 'echo two', 'echo three']);
  ws.send('four');
  t.strictSame(await within('its end', closed), [1013, 'over the world’s request budget; ask again in 1 s']);
  t.match(await refusal(dial(ECHO)), [429, /request budget/], 'the handshake too');
  const said = { method: 'KEEP', path: '/1', body: new Uint8Array(), read: 'line' };
  const stream = limited.stream('talk', 'lines')!.enter('token');
  t.match(await stream.act(said), { status: 429 }, 'and what a stream asks for');
  now += 3_000;
  t.match(await stream.act(said), { status: 200 });
  const again = hear(dial(ECHO));
  await again.next();
  again.ws.send('five');
  t.equal(await again.next(), 'echo five', 'and there is some again');
  again.ws.terminate();
  t.equal((await site.notes.world.log('talk', 0))!.entries.length, 5);
});

t.test('subprotocols: the twin picks one, or none', async t => {
  const { dial } = await open(t);
  for (const [protocols, chosen] of [
    [['other', 'chat'], 'chat'],
    [['chat'], 'chat'],
    [[], ''],
  ] as const) {
    const { ws, next } = hear(dial(ECHO, { protocols: [...protocols] }));
    await next();
    t.equal(ws.protocol, chosen);
    ws.terminate();
  }
});

t.test('[5.4, 5.6] who may not come in gets an answer, and so does who asks at the wrong place', async t => {
  const { site, dial } = await open(t);
  const table: readonly (readonly [why: string, ws: () => WebSocket, status: number, body: RegExp])[] = [
    ['the twin refuses', () => dial(ECHO, { protocols: ['refused'] }), 403, /not-you/],
    ['no credential', () => dial(ECHO, { token: '' }), 401, /error/],
    ['a stranger', () => dial(ECHO, { token: 'tok_w_stranger' }), 401, /error/],
    ['no socket there', () => dial('/acme/notes/talk/other'), 404, /no_such_socket/],
    ['a twin that has none', () => dial('/acme/notes/note/echo'), 404, /./],
    ['no twin', () => dial('/acme/notes/nobody/echo'), 404, /no-such-endpoint/],
    ['no world', () => dial('/acme/other/talk/echo'), 404, /no-such-endpoint/],
    ['an endpoint of the world', () => dial('/-/acme/notes/log/talk'), 404, /no-such-endpoint/],
    ['a path that only looks like it', () => dial('/acme%2fnotes/talk/echo'), 404, /no-such-endpoint/],
  ];
  for (const [why, ws, status, body] of table) {
    const [got, said] = await refusal(ws());
    t.equal(got, status, `${why}: ${said}`);
    t.match(said, body, why);
  }
  const reading = hear(dial(ECHO, { token: site.readToken }));
  t.match(await reading.next().catch(() => 'refused'), /^hello|refused/);
  reading.ws.send('words');
  t.equal((await within('its end', reading.closed))[0], 1008, 'a reader writes nothing');
  t.equal((await site.notes.world.log('talk', 0))!.entries.length, 0);
});

t.test('[bad-input] handshakes that are none', async t => {
  const { port, site } = await open(t);
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const head = (fields: readonly string[], method = 'GET'): string =>
    [
      `${method} ${ECHO} HTTP/1.1`,
      'Host: x',
      `x-wrld-token: ${site.token}`,
      'Connection: Upgrade',
      ...fields,
      '',
      '',
    ].join('\r\n');
  for (const [fields, method] of [
    [['Upgrade: websocket']],
    [['Upgrade: websocket', `Sec-WebSocket-Key: ${key}`]],
    [['Upgrade: websocket', `Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 99']],
    [['Upgrade: websocket', 'Sec-WebSocket-Key: short', 'Sec-WebSocket-Version: 13']],
    [['Upgrade: websocket', `Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 13'], 'POST'],
  ] as const) {
    const client = await openWire(port);
    client.send(head(fields, method));
    const { status } = await client.readResponse(method ?? 'GET');
    t.equal(status, method === 'POST' ? 405 : 400, fields.join());
    client.end();
  }
  const whole = await openWire(port);
  whole.send(head(['Upgrade: WebSocket', `Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 13']));
  t.equal((await whole.readResponse()).status, 101, 'in whatever case');
  whole.reset();
});

t.test('an upgrade to anything else is a request like others', async t => {
  const { port, site } = await open(t);
  for (const upgrade of ['h2c', 'wrld-stream', 'TLS/1.0', 'foo, websocket'] as const) {
    const outgoing = request({
      port,
      path: '/-/acme/notes/clock',
      headers: { connection: 'Upgrade', upgrade, 'x-wrld-token': site.token },
    }).end();
    const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
    t.equal(response.statusCode, 200, upgrade);
    response.resume();
  }
});

t.test(
  '[8] a world has so many WebSockets at once, and ends those that are idle, dead or let in no more',
  async t => {
    const { site, dial, sockets } = await open(t, { sockets: 2, pingMs: 40, idleMs: 10_000 });
    const made = await site.ask({
      method: 'POST',
      target: '/-/acme/notes/keys',
      headers: [
        ['x-wrld-token', site.token],
        ['content-type', 'application/json'],
      ],
      body: JSON.stringify({ name: 'w', scope: 'write' }),
    });
    const [first, second] = [hear(dial(ECHO)), hear(dial(ECHO, { token: made.json.key }))];
    t.match([await first.next(), await second.next()], [/token/, /key:w/]);
    t.match(await refusal(dial(ECHO)), [503, /at most 2/]);
    await site.ask({
      method: 'DELETE',
      target: `/-/acme/notes/keys/${made.json.id}`,
      headers: [['x-wrld-token', site.token]],
    });
    t.match(await within('its end', second.closed), [1008, 'the credential is no longer good']);
    const third = hear(dial(ECHO, { autoPong: false }));
    await third.next();
    t.match(await within('its end', third.closed), [1006, ''], 'one that answers no ping is dead');
    t.equal(first.ws.readyState, WebSocket.OPEN);
    const closing = sockets.close();
    t.match(await within('its end', first.closed), [1001, 'the world is shutting down']);
    await closing;

    const idle = await open(t, { pingMs: 20, idleMs: 60 });
    const silent = hear(idle.dial(ECHO));
    await silent.next();
    t.match(await within('its end', silent.closed), [1001, 'idle for too long']);
  },
);
