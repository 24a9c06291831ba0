// A process that runs out of file descriptors: told to clients, counted, logged, and over when there are some again.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { within } from '../kit/deadline.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import type { Peer } from '../kit/peer.ts';
import { document, granting } from '../kit/proxy.ts';
import { startProxyProcess } from '../kit/proxy-process.ts';
import { openWire } from '../kit/wire.ts';

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
  return Number(new RegExp(`^wrld_proxy_${name} (\\d+)$`, 'm').exec(text)?.[1]);
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
  await within(
    'a line in the log',
    (async () => {
      while (!readFileSync(logFile, 'utf8').includes('connections refused: too many at once')) await turn();
    })(),
  );
  for (const peer of served) peer.socket.destroy();
});

async function roomAgain(port: number, request: string): Promise<void> {
  for (;;) {
    await using peer = await openWire(port);
    await peer.send(request);
    if ((await peer.readResponse()).status === 200) return;
  }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
