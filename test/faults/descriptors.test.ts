// A process that runs out of file descriptors: told to clients, counted, logged, and over when there are some again.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openWorlds, type Running, startWords, wrldWords } from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import type { Peer } from '../kit/peer.ts';
import { document, granting } from '../kit/proxy.ts';
import { startProxyProcess } from '../kit/proxy-process.ts';
import { connectTunnel, openWire } from '../kit/wire.ts';

t.setTimeout(120_000);

const limited = (descriptors: number): readonly string[] => [
  'bash',
  '-c',
  `ulimit -n ${descriptors} && exec "$@"`,
  'bash',
];

function folder(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'wrld-few-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/-/metrics`)).text();
  return Number(new RegExp(`^wrld_proxy_${RegExp.escape(name)} (\\d+)$`, 'm').exec(text)?.[1]);
}

t.test('the proxy, with more clients than it has descriptors for', async t => {
  await using origin = await startHttpOrigin({ handler: (_request, response) => response.end('ok') });
  const place = folder(t);
  const url = `http://p.test:${origin.port}`;
  const snapshot = document(granting(url));
  const logFile = join(place, 'proxy.log');
  await using proxy = await startProxyProcess({ folder: place, snapshot, logFile, before: limited(128) });
  const request = `GET ${url}/ HTTP/1.1\r\nHost: p.test:${origin.port}\r\n\r\n`;
  const served: Peer[] = [];
  let told = 0;
  for (let nth = 0; nth < 80; nth++) {
    const peer = await openWire(proxy.port);
    await peer.send(request);
    const { status } = await peer.readResponse();
    if (status === 200) served.push(peer);
    else {
      t.equal(status, 503, 'told, and not reset');
      told++;
      await peer.closed();
    }
  }
  t.ok(served.length >= 15, `${served.length} are served`);
  t.equal(served.length + told, 80);
  for (const peer of served) {
    await peer.send(request);
    t.equal((await peer.readResponse()).status, 200, 'and still are');
  }
  served.pop()!.socket.destroy();
  await within('room', roomAgain(proxy.port, request));
  t.equal((await metric(proxy.port, 'client_connections_refused_total')) >= told, true);
  await logged(logFile, 'connections refused: too many at once');
  for (const peer of served) peer.socket.destroy();
});

t.test(
  'the proxy, with a client that asks for more upstream connections than there are descriptors',
  async t => {
    const place = folder(t);
    const waiting = new Set<ServerResponse>();
    const control = createServer((_request, response) => waiting.add(response));
    control.listen(join(place, 'twins.sock'));
    await once(control, 'listening');
    t.teardown(() => {
      control.close();
      control.closeAllConnections();
    });
    const logFile = join(place, 'proxy.log');
    await using proxy = await startProxyProcess({
      folder: place,
      snapshot: document({ routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw' }] }),
      twins: join(place, 'twins.sock'),
      logFile,
      before: limited(128),
    });
    const tls = { ca: readFileSync(join(proxy.caFolder, 'ca.crt'), 'utf8'), alpn: ['h2'] };
    const tunnel = await connectTunnel(proxy.port, 'tw.test:443', { tls });
    const session = connect('https://tw.test', { createConnection: () => tunnel.peer.release() as Socket });
    t.teardown(() => session.destroy());
    const ask = async (): Promise<{ readonly status: number; readonly text: string }> => {
      const stream = session.request({ ':path': '/v1/a' });
      const answered = once(stream, 'response');
      let text = '';
      stream.setEncoding('utf8').on('data', more => (text += more));
      const [headers] = await within('an answer', answered, 20_000);
      if (!stream.closed) await once(stream, 'close');
      return { status: headers[':status'], text };
    };
    const ASKED = 100;
    const answers = Array.from({ length: ASKED }, ask);
    // Each is held by the twin, or told that there was no descriptor for it.
    const told: string[] = [];
    for (const answer of answers)
      void answer.then(({ status, text }) => void (status === 503 && told.push(text)));
    await within(
      'all to be asked or told',
      (async () => {
        while (waiting.size + told.length < ASKED) await turn();
      })(),
    );
    t.ok(waiting.size >= 19 && told.length > 5, `${waiting.size} asked, ${told.length} told`);
    t.match(told[0], /no file descriptors left for it; raise the limit \(ulimit -n\)/);
    for (const response of waiting) response.end('ok');
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    t.equal(statuses.filter(status => status === 200).length, ASKED - told.length, 'those are served on');
    control.on('request', (_request, response) => response.end('ok'));
    t.match(await ask(), { status: 200, text: 'ok' }, 'and so is who asks then');
    t.equal(await metric(proxy.port, 'upstream_failures_total{stage="descriptors"}'), told.length);
    await logged(logFile, 'no file descriptors left for connections');
  },
);

t.test('a world, with more clients than it has descriptors for', async t => {
  const worlds = await openWorlds();
  t.teardown(() => worlds.remove());
  const place = await worlds.make('few');
  const words = [...limited(128), ...wrldWords('world', 'serve', '--json')];
  await using world: Running<{ baseUrl: string; worldUrl: string; token: string }> = await startWords(
    place,
    words,
  );
  const { port, pathname } = new URL(`${world.up.worldUrl}/stripe/v1/customers`);
  const request = `POST ${pathname} HTTP/1.1\r\nHost: a\r\nx-twins-key: ${world.up.token}\r\nContent-Length: 0\r\n\r\n`;
  const served: Peer[] = [];
  let told = 0;
  for (let nth = 0; nth < 60; nth++) {
    const peer = await openWire(Number(port));
    await peer.send(request);
    const { status, headers } = await peer.readResponse('POST');
    if (status === 200) served.push(peer);
    else {
      t.equal(status, 503, 'told, and not reset');
      t.match(Object.fromEntries(headers), { 'retry-after': '1' });
      told++;
      await peer.closed();
    }
  }
  t.ok(served.length >= 8, `${served.length} are served`);
  t.ok(told > 0);
  for (const peer of served) {
    await peer.send(request);
    t.equal((await peer.readResponse('POST')).status, 200, 'and still are, the store too');
  }
  await world.said(/connections refused: too many at once \(ulimit -n\)/);
  served.pop()!.socket.destroy();
  await within('room', roomAgain(Number(port), request));
  for (const peer of served) peer.socket.destroy();
});

/** Until the log says it. */
function logged(file: string, words: string): Promise<void> {
  return within(
    `the log to say: ${words}`,
    (async () => {
      while (!readFileSync(file, 'utf8').includes(words)) await turn();
    })(),
  );
}

async function roomAgain(port: number, request: string): Promise<void> {
  for (;;) {
    await using peer = await openWire(port);
    await peer.send(request);
    if ((await peer.readResponse()).status === 200) return;
  }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
