// Many mixed requests through the real proxy process, with aborts, stalls and resets at random moments: ends with
// as much memory as after its warm-up, with no connection left, and by itself when asked to. The suite runs 5,000
// of them; `npm run test:soak` runs 200,000.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { chanceOf } from '../kit/chance.ts';
import { within } from '../kit/deadline.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import { type Peer, PeerGone } from '../kit/peer.ts';
import { document } from '../kit/proxy.ts';
import { startProxyProcess } from '../kit/proxy-process.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { connectTunnel, openWire } from '../kit/wire.ts';

/** Conversations at once. */
const AT_ONCE = 48;
/** Requests of one conversation on one connection, at most. */
const BATCH_MAX = 40;
const SESSION_STREAMS = 30;
/** Of all requests, how many are warm-up: pools are filled, code is compiled, the heap has found its size. */
const WARM_UP = 0.3;
/** What the heap may have grown by since then, all garbage collected; and the resident memory, which has slack. */
const HEAP_GROWTH_MB_MAX = 4;
const RESIDENT_GROWTH_MB_MAX = 64;

const BLOCK = Buffer.alloc(256 * 1024, 'x');

/** `/down?<bytes>`, `/up`, `/stall`, `/cut?<bytes>`: what is asked for stands in the path. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  request.on('error', () => {});
  response.on('error', () => {});
  const [, what, size = '0'] = /\/(down|up|stall|cut)(?:\?(\d+))?$/.exec(request.url!) ?? [];
  switch (what) {
    case 'down':
      request.resume();
      response.end(BLOCK.subarray(0, Number(size)));
      return;
    case 'up': {
      let bytes = 0;
      request
        .on('data', (part: Buffer) => (bytes += part.length))
        .on('end', () => response.end(String(bytes)));
      return;
    }
    case 'cut':
      response.writeHead(200, { 'Content-Length': BLOCK.length });
      response.write(BLOCK.subarray(0, Number(size)), () => request.socket.destroy());
      return;
    default:
      request.resume();
  }
}

export async function soak(t: Test, total: number, seed: number): Promise<void> {
  const { next: chance, below: upTo } = chanceOf(seed);
  const folder = mkdtempSync(join(tmpdir(), 'wrld-soak-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const authority = await createTestAuthority();
  const caFile = join(folder, 'upstreams.pem');
  writeFileSync(caFile, authority.pem);
  const secure = await startHttpOrigin({ tls: { authority, hosts: ['p.test'] }, handler: answer });
  const clear = await startHttpOrigin({ handler: answer });
  const twins = createServer(answer);
  twins.listen(join(folder, 'twins.sock'));
  await once(twins, 'listening');
  const secureHost = `p.test:${secure.port}`;
  const clearHost = `c.test:${clear.port}`;
  const origins = [`https://${secureHost}`, `http://${clearHost}`];
  const proxy = await startProxyProcess({
    folder,
    twins: join(folder, 'twins.sock'),
    // Its inspector is how its garbage is collected and its heap measured.
    env: { SSL_CERT_FILE: caFile, NODE_OPTIONS: '--inspect=127.0.0.1:0' },
    args: ['--log-level', 'fatal'],
    snapshot: document({
      network: { egress: origins, writes: origins, passthrough: [], ownLoopback: true },
      extraHosts: { 'p.test': '127.0.0.1', 'c.test': '127.0.0.1' },
      routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }],
    }),
  });
  const ca = readFileSync(join(proxy.caFolder, 'ca.crt'), 'utf8');
  const atStart = sockets(proxy.pid);
  let asked = 0;
  let aborted = 0;
  const wrong: string[] = [];

  /** One whole request and what it must be answered; false when the connection ends with it. */
  const exchange = async (peer: Peer, base: string, host: string): Promise<boolean> => {
    asked++;
    const kind = upTo(12);
    const head = (method: string, path: string, more = ''): string =>
      `${method} ${base}${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
    const expect = async (what: string, length: number, method = 'GET', status = 200): Promise<boolean> => {
      const response = await peer.readResponse(method);
      if (response.status !== status || (length >= 0 && response.body.length !== length))
        wrong.push(
          `${what}: ${response.status} with ${response.body.length} bytes, not ${status} with ${length}`,
        );
      return !response.headers.some(([name, value]) => name === 'Connection' && value === 'close');
    };
    if (kind < 5) {
      const size = upTo(4_000);
      void peer.send(head('GET', `/down?${size}`));
      return expect('a small download', size);
    }
    if (kind === 5) {
      const size = upTo(BLOCK.length);
      void peer.send(head('GET', `/down?${size}`));
      return expect('a large download', size);
    }
    if (kind === 6) {
      void peer.send(head('HEAD', '/down?100'));
      return expect('a HEAD', 0, 'HEAD');
    }
    if (kind < 9) {
      const size = upTo(60_000);
      void peer.send(head('POST', '/up', `Content-Length: ${size}\r\n`));
      void peer.send(BLOCK.subarray(0, size));
      return expect('an upload', String(size).length, 'POST');
    }
    if (kind === 9) {
      const size = 1 + upTo(20_000);
      void peer.send(head('PUT', '/up', 'Transfer-Encoding: chunked\r\n'));
      void peer.send(`${size.toString(16)}\r\n`);
      void peer.send(BLOCK.subarray(0, size));
      void peer.send('\r\n0\r\n\r\n');
      return expect('a chunked upload', String(size).length, 'PUT');
    }
    if (kind === 10) {
      const path = `/${'refused'.repeat(upTo(5))}\\x`;
      void peer.send(head('GET', path));
      return expect('a refusal', -1, 'GET', 502);
    }
    // Bytes in the middle of which somebody leaves.
    const size = upTo(BLOCK.length - 1);
    const leaving = upTo(4);
    aborted++;
    if (leaving === 0) void peer.send(head('GET', `/cut?${size}`));
    else if (leaving === 1) void peer.send(head('GET', '/stall'));
    else if (leaving === 2) {
      void peer.send(head('POST', '/up', `Content-Length: ${BLOCK.length}\r\n`));
      void peer.send(BLOCK.subarray(0, size));
    } else void peer.send(head('GET', `/down?${size}`));
    if (leaving === 0) await peer.gone('a cut answer to end');
    else if (leaving === 3 && size > 0) await peer.readUntil('\r\n\r\n');
    else await new Promise(resolve => setImmediate(resolve));
    if (chance() < 0.5) peer.reset();
    return false;
  };

  const batch = async (): Promise<void> => {
    const way = upTo(3);
    let peer: Peer;
    if (way === 0) peer = await openWire(proxy.port);
    else
      peer = (
        await connectTunnel(proxy.port, way === 1 ? secureHost : 'tw.test:443', {
          tls: { ca },
          early: chance() < 0.2,
        })
      ).peer;
    const host = [clearHost, secureHost, 'tw.test'][way]!;
    const base = way === 0 ? `http://${host}` : '';
    try {
      for (let i = upTo(BATCH_MAX); i >= 0 && asked < total; i--)
        if (!(await exchange(peer, base, host))) break;
    } finally {
      peer.socket.destroy();
    }
  };

  const streams = async (): Promise<void> => {
    const { peer } = await connectTunnel(proxy.port, 'tw.test:443', { tls: { ca, alpn: ['h2'] } });
    const session: ClientHttp2Session = connectHttp2('https://tw.test', {
      createConnection: () => peer.release() as Socket,
    });
    session.on('error', () => {});
    const one = (): Promise<void> => {
      asked++;
      const size = upTo(30_000);
      const stream = session.request({ ':path': `/down?${size}` });
      const leaves = chance() < 0.15;
      let got = 0;
      stream
        .on('error', () => {})
        .on('data', (bytes: Buffer) => {
          got += bytes.length;
          if (leaves) stream.close(constants.NGHTTP2_CANCEL);
        });
      if (leaves && chance() < 0.5) setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
      return new Promise(resolve =>
        stream.on('close', () => {
          if (leaves) aborted++;
          else if (got !== size && !session.destroyed) wrong.push(`a stream: ${got} bytes, not ${size}`);
          resolve();
        }),
      );
    };
    await within(
      'the streams of a session',
      Promise.all(Array.from({ length: 1 + upTo(SESSION_STREAMS) }, one)),
      30_000,
    );
    if (chance() < 0.5) session.destroy();
    else session.close();
  };

  const rude = async (): Promise<void> => {
    asked++;
    aborted++;
    const peer = await openWire(proxy.port);
    const lines = `CONNECT ${chance() < 0.5 ? secureHost : 'tw.test:443'} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const kind = upTo(5);
    if (kind === 0) void peer.send(lines.slice(0, upTo(lines.length)));
    else {
      void peer.send(lines);
      if (kind > 1) await peer.readHead();
      if (kind === 2) void peer.send(Buffer.from('160301020001000', 'hex'));
      if (kind === 3) void peer.send('SSH-2.0-x\r\n');
      if (kind === 4) void peer.send(`GET / HTTP/1.1\r\nHost: nobody.test\r\n\r\n`);
    }
    if (chance() < 0.5) peer.reset();
    else peer.socket.destroy();
  };

  const worker = async (): Promise<void> => {
    while (asked < goal && wrong.length === 0) {
      const kind = chance();
      try {
        if (kind < 0.75) await batch();
        else if (kind < 0.88) await streams();
        else await rude();
      } catch (error) {
        // A connection that an abort of ours ended is what was asked for; any other is not.
        if (!(error instanceof PeerGone)) wrong.push(String(error));
        else lost++;
      }
    }
  };
  let lost = 0;
  let goal = total * WARM_UP;
  const run = async (): Promise<void> => void (await Promise.all(Array.from({ length: AT_ONCE }, worker)));
  await run();
  const warm = { heap: await heapMb(proxy.said()), resident: residentMb(proxy.pid) };
  goal = total;
  await run();
  const end = { heap: await heapMb(proxy.said()), resident: residentMb(proxy.pid) };

  t.comment(`seed ${seed}: ${asked} requests, ${aborted} left in the middle`);
  t.comment(`heap ${warm.heap.toFixed(1)} MB after warm-up, ${end.heap.toFixed(1)} MB at the end`);
  t.comment(`resident ${warm.resident} MB after warm-up, ${end.resident} MB at the end`);
  t.strictSame(wrong, [], 'every answer that was waited for is the one asked for');
  t.equal(lost, 0, 'no connection was lost that nobody cut');
  t.ok(end.heap - warm.heap <= HEAP_GROWTH_MB_MAX, 'the heap is flat');
  t.ok(end.resident - warm.resident <= RESIDENT_GROWTH_MB_MAX, 'resident memory is flat');

  await Promise.all([secure.stop(), clear.stop()]);
  twins.closeAllConnections();
  const left = async (): Promise<void> => {
    while (sockets(proxy.pid) > atStart) await new Promise(resolve => setTimeout(resolve, 50));
  };
  await within('every connection to be gone', left()).catch(() => {});
  t.ok(
    sockets(proxy.pid) <= atStart,
    `no connection is left: ${sockets(proxy.pid)}, at the start ${atStart}`,
  );
  const asking = performance.now();
  process.kill(proxy.pid, 'SIGTERM');
  t.equal(await within('the proxy to end by itself', proxy.exited, 9_000), 0, 'it ends by itself with 0');
  t.ok(performance.now() - asking < 5_000, 'and at once, for nothing is in flight');
  twins.close();
  await proxy[Symbol.asyncDispose]();
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Math.round(Number(kilobytes) / 1024);
}

/** The heap and the buffers it holds, after a collection. */
async function heapMb(said: string): Promise<number> {
  const address = /Debugger listening on (ws:\S+)/.exec(said)?.[1];
  if (address === undefined) throw new Error(`no inspector: ${said}`);
  const socket = new WebSocket(address);
  await within('the inspector', once(socket, 'open'));
  let asked = 0;
  const call = async (method: string): Promise<{ [name: string]: number }> => {
    const id = ++asked;
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [event] = await within(`an answer to ${method}`, once(socket, 'message'), 30_000);
      const answer = JSON.parse(event.data);
      if (answer.id === id) return answer.result;
    }
  };
  await call('HeapProfiler.collectGarbage');
  const { usedSize = 0, backingStorageSize = 0 } = await call('Runtime.getHeapUsage');
  socket.close();
  await within('the inspector to end', once(socket, 'close'));
  return (usedSize + backingStorageSize) / 2 ** 20;
}

function sockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter(fd => {
    try {
      return readlinkSync(join(folder, fd)).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
