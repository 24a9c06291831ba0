import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Workers } from '../../proxy/workers.ts';
import { within } from '../kit/deadline.ts';
import type { Peer } from '../kit/peer.ts';
import { document } from '../kit/proxy.ts';
import { startProxyProcess } from '../kit/proxy-process.ts';
import { openWire } from '../kit/wire.ts';

/** So many that the kernel gives some to each of two workers, but for one chance in a million. */
const CONNECTIONS = 22;

function folder(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'wrld-workers-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function ruleOf(peer: Peer): Promise<string | undefined> {
  await peer.send('GET http://p.test/ HTTP/1.1\r\nHost: p.test\r\n\r\n');
  return /"rule":"([^"]+)"/.exec((await peer.readResponse()).body.toString())?.[1];
}

const open = (port: number): Promise<Peer[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => openWire(port)));

t.test(
  '[issue 3: --workers] one port and one pid; a push is in force in each before it is acknowledged',
  async t => {
    await using proxy = await startProxyProcess({
      folder: folder(t),
      snapshot: null,
      args: ['--workers', '2'],
    });
    const peers = await open(proxy.port);
    t.strictSame(new Set(await Promise.all(peers.map(ruleOf))), new Set(['policy-unreadable']));
    for (let version = 1; version <= 10; version++) {
      await proxy.push(document({ version, sandbox: version % 2 === 0 }));
      const rules = new Set(await Promise.all(peers.map(ruleOf)));
      t.strictSame(rules, new Set([version % 2 === 0 ? 'sealed' : 'not-granted']), `version ${version}`);
    }
    await t.rejects(
      proxy.push({ ...document({ version: 11 }), docsUrl: 'no' }),
      /docsUrl/,
      'refused once, by one',
    );
    const asked = await openWire(proxy.port);
    await asked.send(`GET /-/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const metrics = (await asked.readResponse()).body.toString();
    await asked.closed();
    t.match(
      metrics,
      `\nwrld_proxy_requests_total{decision="refuse"} ${CONNECTIONS * 11}\n`,
      'whichever is asked, all',
    );
    t.match(metrics, `\nwrld_proxy_client_connections ${CONNECTIONS + 1}\n`);
    t.match(metrics, '\nwrld_proxy_snapshot_version 10\n');
    t.match(metrics, '\nwrld_proxy_pushes_total 10\n');
    t.match(metrics, '\nwrld_proxy_pushes_rejected_total 1\n');
    t.equal(proxy.messages.filter(message => message.type === 'hello').length, 1);
    proxy.send({ type: 'drain' });
    for (const peer of peers) await peer.closed();
    t.equal(await proxy.exited, 0);
    t.equal(
      proxy.messages.filter(message => message.type === 'refused').length,
      CONNECTIONS * 11,
      'each told once',
    );
    const seen = new Set(
      [...proxy.said().matchAll(/"worker":(\d),.*"msg":"request"/g)].map(([, nth]) => nth),
    );
    t.strictSame(seen, new Set(['0', '1']), 'both answered');
  },
);

t.test(
  'a worker that ends is replaced by one that judges by the newest policy, on the same port',
  async t => {
    const place = folder(t);
    const control = ['--ipc', join(place, 'c'), '--twins', join(place, 't'), '--ca', join(place, 'ca')];
    const ended: number[] = [];
    const workers = await Workers.start({
      count: 2,
      args: [...control, '--log-level', 'silent'],
      host: '127.0.0.1',
      port: 0,
      guestPort: null,
      onRefused: () => {},
      onHopeless: why => t.fail(why),
      log: { info: () => {}, error: fields => ended.push((fields as { worker: number }).worker) },
    });
    await workers.push(document({ version: 1 }));
    const [first] = workers.threads;
    const exited = once(first!, 'exit');
    void first!.terminate();
    // While one is gone: what it owes is in force when its successor listens.
    const pushed = workers.push(document({ version: 2, sandbox: true }));
    await within('the thread to end', exited);
    await within('the push', pushed);
    t.strictSame(ended, [0]);
    t.not(workers.threads[0], first);
    const peers = await open(workers.address.port);
    t.strictSame(new Set(await Promise.all(peers.map(ruleOf))), new Set(['sealed']));
    const drained = workers.drain();
    for (const peer of peers) await peer.closed();
    await within('every worker to end', drained);
    await t.rejects(openWire(workers.address.port), /ECONNREFUSED/);
  },
);

t.test('at a level above info no worker writes lines of requests, and all answer', async t => {
  await using proxy = await startProxyProcess({
    folder: folder(t),
    snapshot: null,
    args: ['--workers', '2', '--log-level', 'warn'],
  });
  const peers = await open(proxy.port);
  t.strictSame(new Set(await Promise.all(peers.map(ruleOf))), new Set(['policy-unreadable']));
  proxy.send({ type: 'drain' });
  for (const peer of peers) await peer.closed();
  t.equal(await proxy.exited, 0);
  t.notMatch(proxy.said(), /"msg":"request"/);
});

t.test('a port that another process has is not shared with it', async t => {
  await using taken = await startProxyProcess({
    folder: folder(t),
    snapshot: null,
    args: ['--workers', '2'],
  });
  const args = ['--workers', '2', '--port', String(taken.port)];
  await t.rejects(startProxyProcess({ folder: folder(t), snapshot: null, args }), /ended \(1\).*EADDRINUSE/s);
  await t.rejects(
    startProxyProcess({ folder: folder(t), snapshot: null, args: ['--workers', '0'] }),
    /ended \(2\).*--workers takes a number from 1 to 64/s,
  );
});
