// The streams of TCP twins on this host: by the proxy's own asker on the socket for twins, by the listener on loopback,
// and over a WebSocket (4.2); many worlds behind one listener.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import { loadAuthority } from '../../../certs/authority.ts';
import { Sites } from '../../../control/http/sites.ts';
import { listen } from '../../../control/node/listener.ts';
import type { StreamServers } from '../../../control/node/stream-server.ts';
import { Streams } from '../../../control/node/streams.ts';
import { listenForTwins } from '../../../control/node/twins-listener.ts';
import { STREAM_CONNECTIONS_MAX } from '../../../control/world/limits.ts';
import { parseAuthority } from '../../../policy/authority.ts';
import { dialStream } from '../../../proxy/upstream/stream.ts';
import { within } from '../../kit/deadline.ts';
import { Peer } from '../../kit/peer.ts';
import { openTestSite, type TestSite } from '../../kit/site.ts';
import { LINE_SERVERS, socketTwin } from '../../kit/socket-twin.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
t.teardown(() => rm(folder, { recursive: true }));
const loaded = await loadAuthority(join(folder, 'ca'));
if (!loaded.ok) throw new Error(loaded.why);
const { authority } = loaded;
const path = join(folder, 'twins.sock');
const warned: string[] = [];

async function open(t: Tap.Test, servers: StreamServers = LINE_SERVERS) {
  const { mounted } = socketTwin();
  const site: TestSite = await openTestSite({ twins: { mine: mounted } });
  const log = { ...site.around.log, warn: (_fields: object, message: string) => void warned.push(message) };
  const streams = new Streams({ authority, log, servers });
  await streams.load(['mysql']);
  const sites = new Sites(site.site.world);
  sites.add(site.site);
  const forProxy = await listenForTwins(
    path,
    { site: sites, log },
    { streams, find: (world, vendor, id) => sites.stream(world, vendor, id) },
  );
  const listener = await listen({ site: sites, from: 'client', log, host: '127.0.0.1', port: 0, streams });
  let closed: Promise<unknown> | null = null;
  const close = (): Promise<unknown> => (closed ??= Promise.all([listener.close(), forProxy.close()]));
  t.teardown(async () => {
    await close();
    await site[Symbol.asyncDispose]();
  });
  const kinds = async (): Promise<unknown[]> =>
    (await site.notes.world.log('mine', 0))!.entries.map(({ caller, kind, request, trace }) => ({
      caller,
      kind,
      request,
      traced: trace !== null,
    }));
  return { site, sites, streams, listener, close, kinds };
}

declare namespace Tap {
  type Test = { teardown(work: () => Promise<void>): void };
}

const asked = parseAuthority('talk.test:7000', null);
if (!asked.ok) throw new Error();
const talk = asked;

function dial(vendor: string, stream: string, world = 'acme/notes') {
  return dialStream(path, { world, vendor, stream, authority: talk, run: 'default' });
}

const KEPT = {
  caller: 'token',
  kind: 'note.created',
  request: { method: 'KEEP', path: '/4' },
  traced: true,
};

t.test(
  '[2.4 streams] for the proxy: the twin’s server gets the connection, speaks first, and acts',
  async t => {
    const { kinds } = await open(t);
    const dialled = await dial('mine', 'lines');
    if (!dialled.ok) throw new Error(JSON.stringify(dialled));
    const peer = new Peer(dialled.socket);
    peer.resume();
    t.equal((await peer.readUntil('\n')).toString(), 'hello\n');
    await peer.send('word\n');
    t.equal((await peer.readUntil('\n')).toString(), '200 {"heard":"/4"}\n');
    t.strictSame(await kinds(), [KEPT], 'one entry, with caller and trace');
    await peer.send('quit\n');
    t.equal((await peer.readToEnd()).toString(), 'bye\n');
    await peer.closed();
  },
);

t.test('[2.4 streams] nobody to serve it: 404, and the log says why', async t => {
  await open(t, {});
  for (const [dialled, why] of [
    [dial('mine', 'lines'), /nothing here speaks mysql/],
    [dial('mine', 'imap'), /that no twin has/],
    [dial('other', 'lines'), /that no twin has/],
    [dial('mine', 'lines', 'acme/another'), /that no twin has/],
    [dial('constructor', 'lines'), /that no twin has/],
  ] as const) {
    t.match(await dialled, { ok: false, failure: { stage: 'closed', why: 'control answered 404' } });
    t.match(warned.at(-1), why);
  }
});

t.test('[2.4 streams] a server that throws costs its connection; closing cuts what is open', async t => {
  let broken = true;
  const { close } = await open(t, {
    mysql: async () => () => socket => {
      if (broken) throw new Error('broken on purpose');
      socket.write('220\n');
    },
  });
  const first = await dial('mine', 'lines');
  if (!first.ok) throw new Error(JSON.stringify(first));
  const cut = new Peer(first.socket);
  cut.resume();
  await cut.closed();
  broken = false;
  const dialled = await dial('mine', 'lines');
  if (!dialled.ok) throw new Error(JSON.stringify(dialled));
  const peer = new Peer(dialled.socket);
  peer.resume();
  await peer.readUntil('\n');
  await within('the listeners to close', close());
  await peer.closed();
  t.pass();
});

t.test('[2.4 streams] a client that ends without a word is gone, whichever way it came', async t => {
  const { sites, streams } = await open(t);
  const listener = await streams.listen(sites.stream('acme/notes', 'mine', 'lines')!);
  const dialled = await dial('mine', 'lines');
  if (!dialled.ok) throw new Error(JSON.stringify(dialled));
  for (const socket of [() => dialled.socket, () => connect(listener.at.port, listener.at.host)]) {
    const peer = new Peer(socket());
    peer.resume();
    await peer.readUntil('hello\n');
    t.equal(streams.open, 1);
    peer.end();
    await peer.closed();
    while (streams.open > 0) await new Promise(resolve => setImmediate(resolve));
  }
  await listener[Symbol.asyncDispose]();
});

t.test('[2.4 streams] a listener on loopback takes a plain TCP client', async t => {
  const { sites, streams, kinds } = await open(t);
  const listener = await streams.listen(sites.stream('acme/notes', 'mine', 'lines')!);
  const peer = new Peer(connect(listener.at.port, listener.at.host));
  peer.resume();
  await peer.readUntil('hello\n');
  await peer.send('word\n');
  await peer.readUntil('\n');
  t.strictSame(await kinds(), [KEPT]);
  await within('the listener to close', (async () => listener[Symbol.asyncDispose]())());
  await peer.closed();
});

/** A WebSocket's messages one at a time, as bytes. */
async function stream(port: number, first: string | Buffer | null, world = 'acme/notes', id = 'mine') {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/-/${world}/streams/${id}`);
  const closed = once(ws, 'close').then(([code, reason]) => [code, String(reason)] as const);
  await within('the handshake', once(ws, 'open'));
  let received = Buffer.alloc(0);
  const changed = new EventTarget();
  ws.on('message', (data: Buffer, binary: boolean) => {
    if (!binary) throw new Error('text on a stream');
    received = Buffer.concat([received, data]);
    changed.dispatchEvent(new Event('more'));
  });
  if (first !== null) ws.send(first);
  const until = async (text: string): Promise<string> => {
    while (!received.includes(text)) await within(text, once(changed, 'more'));
    return received.toString();
  };
  return { ws, closed, until };
}

t.test('[4.2] over a WebSocket: the token is the first message, then bytes both ways', async t => {
  const { site, listener, kinds } = await open(t);
  const { ws, closed, until } = await stream(listener.port, site.token);
  // Together with the token or later, cut wherever.
  ws.send(Buffer.from('wo'));
  ws.send(Buffer.from('rd\n'));
  t.equal(await until('}\n'), 'hello\n200 {"heard":"/4"}\n');
  t.strictSame(await kinds(), [KEPT]);
  ws.send('quit\n');
  t.match(await until('bye\n'), /bye\n$/);
  t.equal((await within('its end', closed))[0], 1005, 'its end, without a code');
});

t.test('[4.2, 5.6] the read token opens no stream, nor does a stranger or a read-only key', async t => {
  const { site, listener, kinds } = await open(t);
  const made = async (body: object) =>
    (
      await site.ask({
        method: 'POST',
        target: '/-/acme/notes/keys',
        headers: [
          ['x-wrld-token', site.token],
          ['content-type', 'application/json'],
        ],
        body: JSON.stringify(body),
      })
    ).json.key as string;
  const reading = await made({ name: 'reads', scope: 'read' });
  const writing = await made({ name: 'writes', scope: 'write' });
  for (const first of [site.readToken, reading, 'tok_w_nobody', '', Buffer.from([0xff, 0xfe])]) {
    const { closed } = await stream(listener.port, first);
    t.strictSame(await within('its end', closed), [1008, 'this token opens no stream']);
  }
  const { ws, until } = await stream(listener.port, Buffer.from(writing));
  await until('hello\n');
  ws.send('word\n');
  await until('}\n');
  t.strictSame(await kinds(), [{ ...KEPT, caller: 'key:writes' }], 'and the log names the key');
  ws.terminate();
});

t.test('[4.2] what is no stream is no WebSocket, and a plain request there is none either', async t => {
  const { listener } = await open(t);
  for (const [world, id] of [
    ['acme/notes', 'other'],
    ['acme/notes', 'lines'],
    ['acme/another', 'mine'],
  ] as const) {
    const ws = new WebSocket(`ws://127.0.0.1:${listener.port}/-/${world}/streams/${id}`);
    const [, response] = await within('the answer', once(ws, 'unexpected-response'));
    t.equal(response.statusCode, 404, `${world} ${id}`);
    ws.on('error', () => {}).terminate();
  }
  const plain = await fetch(`http://127.0.0.1:${listener.port}/-/acme/notes/streams/mine`);
  t.equal(plain.status, 404);
});

t.test('[4.2] several worlds behind one listener: a stream is that of the world its path names', async t => {
  const { site, sites, listener, kinds } = await open(t);
  const second = socketTwin();
  const other = await openTestSite({ twins: { mine: second.mounted }, world: 'acme/branch' });
  t.teardown(() => other[Symbol.asyncDispose]());
  sites.add(other.site);
  const wrong = await stream(listener.port, site.token, 'acme/branch');
  t.equal((await within('its end', wrong.closed))[0], 1008, 'one world’s token opens nothing of another');
  const right = await stream(listener.port, other.token, 'acme/branch');
  await right.until('hello\n');
  right.ws.send('word\n');
  await right.until('}\n');
  t.strictSame(await kinds(), []);
  t.equal((await other.notes.world.log('mine', 0))!.entries.length, 1);
  const dialled = await dial('mine', 'lines', 'acme/branch');
  if (!dialled.ok) throw new Error(JSON.stringify(dialled));
  const peer = new Peer(dialled.socket);
  peer.resume();
  await peer.send('word\n');
  await peer.readUntil('}\n');
  t.equal((await other.notes.world.log('mine', 0))!.entries.length, 2);
  dialled.socket.destroy();
  right.ws.terminate();
});

t.test('[3] a world that is gone takes its connections with it, and no other’s', async t => {
  const { sites, streams, listener } = await open(t);
  const second = socketTwin();
  const other = await openTestSite({ twins: { mine: second.mounted }, world: 'acme/branch' });
  t.teardown(() => other[Symbol.asyncDispose]());
  sites.onGone(gone => streams.cut(gone));
  sites.add(other.site);
  const peers = await Promise.all(
    ['acme/notes', 'acme/branch'].map(async world => {
      const dialled = await dial('mine', 'lines', world);
      if (!dialled.ok) throw new Error(JSON.stringify(dialled));
      const peer = new Peer(dialled.socket);
      peer.resume();
      await peer.readUntil('hello\n');
      return peer;
    }),
  );
  const socket = await stream(listener.port, other.token, 'acme/branch');
  const echo = new WebSocket(`ws://127.0.0.1:${listener.port}/acme/branch/mine/echo`, {
    headers: { 'x-wrld-token': other.token },
  });
  const ended = once(echo, 'close');
  await within('the twin’s socket', once(echo, 'message'));
  await socket.until('hello\n');
  sites.remove('acme/branch');
  t.strictSame((await within('its end', socket.closed)).slice(0, 1), [1001]);
  t.match(await within('its end', ended), [1001, Buffer.from('the world is gone')]);
  await peers[1]!.closed();
  await peers[0]!.send('word\n');
  t.match((await peers[0]!.readUntil('}\n')).toString(), /heard/, 'the first world’s is as it was');
  t.equal((await dial('mine', 'lines', 'acme/branch')).ok, false);
  peers[0]!.socket.destroy();
});

t.test('closing ends the streams of WebSockets as going away', async t => {
  const { site, listener, close } = await open(t);
  const before = await stream(listener.port, null);
  const { closed, until } = await stream(listener.port, site.token);
  await until('hello\n');
  await within('the listeners to close', close());
  t.match(await closed, [1001]);
  t.match(await before.closed, [1001]);
});

t.test('any other upgrade is a request like others, whoever asks', async t => {
  await open(t);
  for (const headers of [
    { connection: 'Upgrade', upgrade: 'websocket', 'x-wrld-scheme': 'tcp' },
    { connection: 'Upgrade', upgrade: 'wrld-stream', 'x-wrld-scheme': 'https' },
    { connection: 'Upgrade', upgrade: 'wrld-stream' },
  ]) {
    const socket = connect(path);
    const outgoing = request({
      path: '/acme/notes/mine/streams/lines',
      headers,
      createConnection: () => socket,
    }).end();
    const [response] = await within('an answer', once(outgoing, 'response'));
    t.not(response.statusCode, 101);
    socket.destroy();
  }
});

t.test('[2.4 streams] each world has its own limit of connections', async t => {
  const { sites, streams } = await open(t, {
    mysql: async () => () => socket => void socket.write('hello\n'),
  });
  const second = socketTwin();
  const other = await openTestSite({ twins: { mine: second.mounted }, world: 'acme/branch' });
  t.teardown(() => other[Symbol.asyncDispose]());
  sites.add(other.site);
  const opened: Peer[] = [];
  const come = async (world: string): Promise<Peer> => {
    const dialled = await dial('mine', 'lines', world);
    if (!dialled.ok) throw new Error(JSON.stringify(dialled));
    const peer = new Peer(dialled.socket);
    peer.resume();
    opened.push(peer);
    return peer;
  };
  for (let nth = 0; nth < STREAM_CONNECTIONS_MAX; nth++)
    await (await come('acme/notes')).readUntil('hello\n');
  await (await come('acme/notes')).closed();
  t.match(warned.at(-1), /too many connections/);
  const elsewhere = await come('acme/branch');
  t.equal((await elsewhere.readUntil('hello\n')).toString(), 'hello\n', 'another world is as it was');
  t.equal(streams.open, STREAM_CONNECTIONS_MAX + 1);
  opened.shift()!.socket.destroy();
  while (streams.open > STREAM_CONNECTIONS_MAX) await new Promise(resolve => setImmediate(resolve));
  await (await come('acme/notes')).readUntil('hello\n');
  for (const peer of opened) peer.socket.destroy();
});
