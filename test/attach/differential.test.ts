// One script of requests, directly and attached: what the client saw and what the server saw is the same.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGzip, gzipSync } from 'node:zlib';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { attachedWorld, nodes } from '../kit/attached.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

/** Of one hop, or of the machine's own pace. */
const OWN_TO_A_HOP = /^(connection|keep-alive)$/i;

type Seen = { readonly what: string; readonly headers: readonly string[]; readonly body: string };
let seen: Seen[] = [];
let cut: Promise<void>[] = [];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256');
  let length = 0;
  const gone = new Promise<void>(resolve => response.once('close', resolve));
  try {
    for await (const chunk of request) {
      hash.update(chunk);
      length += chunk.length;
    }
  } catch {
    // The client gave up in the middle of its body.
    seen.push({ what: `${request.method} ${request.url} given up`, headers: [], body: '' });
    return;
  }
  const headers: string[] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    if (!OWN_TO_A_HOP.test(request.rawHeaders[i]!))
      // The proxy writes Host and the framing itself; every other name is as it came.
      headers.push(
        `${request.rawHeaders[i]!.replace(/^(host|transfer-encoding)$/i, name => name.toLowerCase())}: ${request.rawHeaders[i + 1]}`,
      );
  seen.push({
    what: `${request.method} ${request.url}`,
    headers: headers.sort(),
    body: `${length} ${hash.digest('hex').slice(0, 8)}`,
  });
  const url = new URL(request.url!, 'http://x');
  switch (url.pathname) {
    case '/redirect':
      response.writeHead(Number(url.searchParams.get('status')), { location: '/landed' }).end('on the way');
      return;
    case '/cookies':
      response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2; HttpOnly']);
      response.end(request.headers.cookie ?? 'none');
      return;
    case '/gzip':
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' });
      response.end(gzipSync('compressed '.repeat(1_000)));
      return;
    case '/gzip-stream': {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      for (let i = 0; i < 50; i++) gzip.write(`line ${i}\n`);
      gzip.end();
      return;
    }
    case '/events':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let i = 0; i < 5; i++) response.write(`id: ${i}\ndata: event ${i}\n\n`);
      response.end();
      return;
    case '/large':
      response.writeHead(200, { 'content-length': 3_000_000 }).end(Buffer.alloc(3_000_000, 'x'));
      return;
    case '/endless':
      cut.push(gone);
      response.writeHead(200);
      response.write('first');
      return;
    case '/empty':
      response.writeHead(204).end();
      return;
    case '/trailers':
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('body');
      response.addTrailers({ 'x-sum': '4' });
      response.end();
      return;
    case '/status':
      response.writeHead(Number(url.searchParams.get('code')), 'As It Likes', {
        'x-a': ['1', '2'],
        'X-Case': 'Kept',
      });
      response.end('said');
      return;
    case '/hints':
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('hinted');
      return;
    default:
      response.end(`${request.method} ${request.url}`);
  }
}

const authority = await createTestAuthority();
const origin = await startHttpOrigin({
  tls: { authority, hosts: ['diff.test'] },
  handler: (request, response) => void serve(request, response),
});
const socketServer = createServer();
const sockets = new WebSocketServer({ server: socketServer });
sockets.on('connection', (socket, request) => {
  seen.push({
    what: `upgrade ${request.url} ${request.headers['sec-websocket-protocol']}`,
    headers: [],
    body: '',
  });
  socket.on('message', (data, binary) => socket.send(data, { binary }));
  socket.on('close', (code, reason) => {
    seen.push({ what: `closed ${code} ${reason}`, headers: [], body: '' });
  });
});
socketServer.listen(0, '127.0.0.1');
await once(socketServer, 'listening');
const socketPort = (socketServer.address() as AddressInfo).port;
const base = `https://diff.test:${origin.port}`;
const world = await attachedWorld(
  {
    network: { egress: [base], writes: [base], passthrough: [], ownLoopback: true },
    services: [{ name: 'sockets', host: 'sockets.test', port: socketPort }],
    extraHosts: { 'diff.test': '127.0.0.1', 'sockets.test': '127.0.0.1' },
  },
  authority,
);
t.teardown(async () => {
  await world[Symbol.asyncDispose]();
  await origin.stop();
  for (const socket of sockets.clients) socket.terminate();
  socketServer.close();
});
const trusted = join(world.folder, 'both.pem');
writeFileSync(trusted, `${world.proxy.ca}${authority.pem}`);
/** What gives the names an address where no world does. */
const names = join(world.folder, 'names.cjs');
writeFileSync(
  names,
  `const dns = require('node:dns'); const { lookup } = dns;
  dns.lookup = (host, options, done) => lookup(host.endsWith('.test') ? '127.0.0.1' : host, options, done);`,
);

const SCRIPT = `
import { createHash } from 'node:crypto';
import https from 'node:https';
import { Readable } from 'node:stream';
import { WebSocket as Ws } from 'ws';
const base = ${JSON.stringify(base)};
const hash = bytes => bytes.length + ' ' + createHash('sha256').update(bytes).digest('hex').slice(0, 8);
const shown = headers => Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(connection|keep-alive|date|transfer-encoding|proxy-connection)$/.test(name)));
const request = (path, options = {}, write = request => request.end()) => new Promise((resolve, reject) => {
  const asked = https.request(base + path, options, async answer => {
    const chunks = [];
    try { for await (const chunk of answer) chunks.push(chunk); } catch (error) { return resolve({ cut: error.code }); }
    resolve({ status: answer.statusCode, message: answer.statusMessage, headers: shown(answer.headers), body: hash(Buffer.concat(chunks)), trailers: answer.trailers, complete: answer.complete });
  });
  const hints = [];
  asked.on('information', ({ statusCode }) => hints.push(statusCode));
  asked.on('error', reject);
  write(asked);
});
const fetched = async (path, options) => {
  const answer = await fetch(base + path, options);
  return { status: answer.status, text: answer.statusText, url: answer.url, redirected: answer.redirected, headers: shown(Object.fromEntries(answer.headers)), body: hash(Buffer.from(await answer.arrayBuffer())) };
};
const steps = {};
for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  const body = /^P/.test(method) ? 'body of ' + method : undefined;
  steps['request ' + method] = () => request('/m?q=%20a', { method, headers: { 'X-Mixed-Case': 'Value', 'x-two': ['1', '2'] } }, asked => asked.end(body));
  steps['fetch ' + method] = () => fetched('/m?q=%20a', { method, headers: { 'X-Mixed-Case': 'Value' }, body });
}
for (const path of ['/cookies', '/gzip', '/gzip-stream', '/events', '/large', '/empty', '/trailers', '/hints', '/status?code=404', '/status?code=503', '/status?code=299', '/a/../b', '/%2e%2e/c%41', '/%C3%A9'].filter(path => !path.startsWith('/%2e'))) {
  steps['request ' + path] = () => request(path, { headers: { cookie: 'a=1; b=2', authorization: 'Basic eDp5', 'accept-encoding': 'gzip' } });
  steps['fetch ' + path] = () => fetched(path, { headers: { cookie: 'a=1', authorization: 'Bearer x' } });
}
for (const status of [301, 302, 303, 307, 308]) {
  steps['fetch redirect ' + status] = () => fetched('/redirect?status=' + status, { method: 'POST', body: 'again' });
  steps['request redirect ' + status] = () => request('/redirect?status=' + status);
}
steps['fetch manual redirect'] = () => fetched('/redirect?status=302', { redirect: 'manual' });
steps['a chunked body'] = () => request('/up', { method: 'POST' }, async asked => { for (let i = 0; i < 100; i++) asked.write(Buffer.alloc(5000, 'abc'[i % 3])); asked.end(); });
steps['a body of known length'] = () => request('/up', { method: 'PUT', headers: { 'content-length': 500000 } }, asked => asked.end(Buffer.alloc(500000, 'z')));
steps['100-continue'] = () => request('/up', { method: 'POST', headers: { expect: '100-continue', 'content-length': 4 } }, asked => { asked.flushHeaders(); asked.on('continue', () => asked.end('body')); });
steps['a streamed body of fetch'] = () => fetched('/up', { method: 'POST', duplex: 'half', body: Readable.toWeb(Readable.from([Buffer.from('one'), Buffer.from('two')])) });
steps['a form'] = () => { const form = new FormData(); form.set('a', '1'); return fetched('/form', { method: 'POST', body: new URLSearchParams({ a: '1', b: 'ü' }) }); };
const keep = new https.Agent({ keepAlive: true, maxSockets: 1 });
steps['keep-alive'] = async () => { const all = []; for (let i = 0; i < 5; i++) all.push(await request('/k' + i, { agent: keep })); return all; };
steps['parallel'] = () => Promise.all(Array.from({ length: 20 }, (_, i) => i % 2 ? request('/p' + i) : fetched('/p' + i)));
steps['an answer that is given up'] = () => new Promise(resolve => { const asked = https.get(base + '/endless', answer => answer.once('data', chunk => { asked.destroy(); resolve(String(chunk)); })); asked.on('error', () => {}); });
steps['a fetch that is given up'] = async () => { const controller = new AbortController(); const answer = await fetch(base + '/endless', { signal: controller.signal }); const reader = answer.body.getReader(); const { value } = await reader.read(); controller.abort(); return [String(Buffer.from(value)), await reader.read().catch(error => error.name)]; };
steps['WebSocket'] = () => new Promise((resolve, reject) => {
  const heard = [];
  const socket = new Ws('ws://sockets.test:${socketPort}/path?x=1', ['one', 'two']);
  socket.on('open', () => { socket.send('text'); socket.send(Buffer.alloc(70000, 7)); });
  socket.on('message', (data, binary) => { heard.push([binary, hash(data)]); if (heard.length === 2) socket.close(4001, 'enough'); });
  socket.on('close', (code, reason) => resolve({ heard, code, reason: String(reason), protocol: socket.protocol }));
  socket.on('error', reject);
});
const told = {};
for (const [name, step] of Object.entries(steps)) told[name] = await step().catch(error => ({ error: error.code ?? error.message, cause: error.cause?.code }));
keep.destroy();
say(told);
`;

async function trial(node: string, env: { readonly [name: string]: string | undefined }) {
  seen = [];
  cut = [];
  const { said } = await world.run(SCRIPT, { node, env: { NODE_EXTRA_CA_CERTS: trusted, ...env } });
  await Promise.all(cut);
  const server = new Map<string, Seen[]>();
  // Parallel requests come in any order.
  for (const each of seen) server.set(each.what, [...(server.get(each.what) ?? []), each]);
  return { said: said as { [step: string]: unknown }, server: Object.fromEntries([...server].sort()) };
}

for (const node of nodes()) {
  t.test(`Node ${node.version}: directly and attached it is the same`, async t => {
    const none = {
      HTTPS_PROXY: '',
      HTTP_PROXY: '',
      NODE_USE_ENV_PROXY: '',
      NODE_OPTIONS: `--require "${names}"`,
    };
    const direct = await trial(node.path, none);
    const attached = await trial(node.path, {});
    t.ok(Object.keys(direct.said).length > 50);
    for (const [step, told] of Object.entries(direct.said)) t.strictSame(attached.said[step], told, step);
    t.strictSame(Object.keys(attached.server), Object.keys(direct.server));
    for (const [what, each] of Object.entries(direct.server)) t.strictSame(attached.server[what], each, what);
    t.ok(world.proxy.lines.length > 50, 'it was the proxy that carried it');
  });
}
