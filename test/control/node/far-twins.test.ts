// What a proxy asks of the twins of a world that is served elsewhere: as it came, and as it was answered.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { loadAuthority } from '../../../certs/authority.ts';
import { forwardTwins } from '../../../control/node/far-twins.ts';
import { listen } from '../../../control/node/listener.ts';
import { Streams } from '../../../control/node/streams.ts';
import { parseAuthority } from '../../../policy/authority.ts';
import { dialStream } from '../../../proxy/upstream/stream.ts';
import type { Call } from '../../../twins/kit/call.ts';
import type { Reply } from '../../../twins/kit/reply.ts';
import { within } from '../../kit/deadline.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { Peer } from '../../kit/peer.ts';
import { openTestSite } from '../../kit/site.ts';
import { LINE_SERVERS, socketTwin } from '../../kit/socket-twin.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
t.teardown(() => rm(folder, { recursive: true }));
const loaded = await loadAuthority(join(folder, 'ca'));
if (!loaded.ok) throw new Error(loaded.why);
const { authority } = loaded;
const path = join(folder, 'twins.sock');

async function open(t: Test, respond: (call: Call) => Reply) {
  const { twin } = noteTwin();
  const site = await openTestSite({ twins: { note: { twin, respond }, mine: socketTwin().mounted } });
  const { log } = site.around;
  const streams = new Streams({ authority, log, servers: LINE_SERVERS });
  await streams.load(['mysql']);
  const listener = await listen({
    site: site.site,
    from: 'client',
    log,
    host: '127.0.0.1',
    port: 0,
    streams,
  });
  const origin = `http://127.0.0.1:${listener.port}`;
  const far = await forwardTwins({ path, origin, token: site.token, log });
  let closed = false;
  const away = async (): Promise<void> => {
    if (!closed) await listener.close();
    closed = true;
  };
  t.teardown(async () => {
    await far[Symbol.asyncDispose]();
    await away();
    await site[Symbol.asyncDispose]();
  });
  return { site, away };
}

/** As the proxy asks: with its own word about whom for. */
async function ask(method: string, target: string, more: { body?: string; headers?: object } = {}) {
  const outgoing = request({
    socketPath: path,
    method,
    path: `/acme/notes/note${target}`,
    headers: { 'x-wrld-host': 'note.test', 'x-wrld-scheme': 'https', 'x-wrld-run': 'r', ...more.headers },
  });
  outgoing.end(more.body);
  const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
  return response;
}

t.test('[4.2] a request goes on as it came, with the token, and its answer comes back as it was', async t => {
  const calls: Call[] = [];
  await open(t, call => {
    calls.push(call);
    const headers = [
      ['X-MiXed', 'case'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ] as const;
    return {
      status: call.method === 'DELETE' ? 204 : 201,
      headers,
      body: call.method === 'DELETE' ? null : 'grüße',
    };
  });
  const made = await ask('POST', '/v1/x?a=1', {
    body: 'héllo',
    headers: { 'x-own': '1', authorization: 'Bearer sk' },
  });
  t.equal(made.statusCode, 201);
  t.equal(await text(made), 'grüße');
  t.strictSame(made.rawHeaders.slice(0, 6), ['X-MiXed', 'case', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']);
  t.match(calls[0], { method: 'POST', path: '/v1/x', query: 'a=1', caller: 'token', scope: 'write' });
  t.match(calls[0]!.headers, { 'x-own': '1', authorization: 'Bearer sk' });
  t.notMatch(Object.keys(calls[0]!.headers).join(), /x-wrld|twins-key/);
  t.equal(new TextDecoder().decode(calls[0]!.body), 'héllo');
  const chunked = await ask('PUT', '/v1/x', { body: 'chunks', headers: { 'transfer-encoding': 'chunked' } });
  await text(chunked);
  t.equal(new TextDecoder().decode(calls[1]!.body), 'chunks');
  const head = await ask('HEAD', '/v1/x');
  t.match([head.statusCode, head.headers['content-length'], await text(head)], [201, '7', '']);
  t.equal((await ask('DELETE', '/v1/x')).statusCode, 204);
});

t.test('streams as they come; cuts and absences as what they are', async t => {
  const more = Promise.withResolvers<void>();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('one');
    await more.promise;
    yield new TextEncoder().encode('two');
  }
  const { away } = await open(t, call =>
    call.path === '/cut'
      ? { status: 200, headers: [], body: null, fault: 'reset' }
      : { status: 200, headers: [['Content-Type', 'text/event-stream']], body: pieces() },
  );
  const stream = await ask('GET', '/stream');
  const [first] = (await within('the first piece', once(stream, 'data'))) as [Buffer];
  t.equal(first.toString(), 'one', 'before the next was there');
  more.resolve();
  t.equal(await text(stream), 'two');
  const cut = await ask('GET', '/cut');
  t.match([cut.statusCode, cut.headers['x-wrld-fault']], [502, 'reset'], 'the proxy cuts its client on this');
  cut.resume();
  await away();
  const gone = await ask('GET', '/x');
  t.match([gone.statusCode, gone.headers['x-wrld-fault']], [502, undefined]);
  t.match(await text(gone), /does not answer/);
});

t.test('[4.2] WebSockets and streams', async t => {
  const { site } = await open(t, () => ({ status: 200, headers: [], body: null }));
  const dial = (target: string, protocols: string[] = []): WebSocket =>
    new WebSocket(`ws+unix:${path}:/acme/notes/mine${target}`, protocols, { headers: { host: 'talk.test' } });
  const ws = dial('/echo', ['chat']);
  const [hello] = await within('the twin', once(ws, 'message'));
  t.match(String(hello), /^hello token/);
  t.equal(ws.protocol, 'chat');
  ws.send('one');
  t.equal(String((await within('an answer', once(ws, 'message')))[0]), 'echo one');
  ws.send('bye');
  t.match(await within('its end', once(ws, 'close')), [4000, Buffer.from('said bye')]);
  const refused = dial('/echo', ['refused']);
  refused.on('error', () => {});
  const [, response] = await within('the answer', once(refused, 'unexpected-response'));
  t.equal(response.statusCode, 403);
  t.match(await text(response), /not-you/, 'with what the twin says');

  const talk = parseAuthority('talk.test:7000', null);
  if (!talk.ok) throw new Error();
  const dialled = await dialStream(path, {
    world: 'acme/notes',
    vendor: 'mine',
    stream: 'lines',
    authority: talk,
    run: 'default',
  });
  if (!dialled.ok) throw new Error(JSON.stringify(dialled));
  const peer = new Peer(dialled.socket);
  peer.resume();
  await peer.readUntil('hello\n');
  await peer.send('word\n');
  await peer.readUntil('}\n');
  await peer.send('quit\n');
  t.match((await peer.readToEnd()).toString(), /bye\n/);
  await peer.closed();
  const kinds = (await site.notes.world.log('mine', 0))!.entries.map(({ request }) => request?.method);
  t.strictSame(kinds, ['GET', 'KEEP']);
});
