import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { within } from '../kit/deadline.ts';
import { startOrigin } from '../kit/origin.ts';
import type { Peer } from '../kit/peer.ts';
import { document, granting } from '../kit/proxy.ts';
import { type ProxyProcess, startProxyProcess } from '../kit/proxy-process.ts';
import { createTestAuthority } from '../kit/test-ca.ts';
import { connectTunnel, openWire } from '../kit/wire.ts';

const upstreams = await createTestAuthority();
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

function folder(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'wrld-main-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function tunnel(proxy: ProxyProcess, host: string) {
  const ca = readFileSync(join(proxy.caFolder, 'ca.crt'), 'utf8');
  return (await connectTunnel(proxy.port, host, { tls: { ca } })).peer;
}

t.test(
  '[design: before the first snapshot everything is refused] and each snapshot is acknowledged or rejected whole',
  async t => {
    await using proxy = await startProxyProcess({ folder: folder(t), snapshot: null });
    await using peer = await openWire(proxy.port);
    const ask = async (): Promise<string> => {
      await peer.send('GET http://p.test/ HTTP/1.1\r\nHost: p.test\r\n\r\n');
      return (await peer.readResponse()).body.toString();
    };
    t.match(await ask(), /"rule":"policy-unreadable"/);
    await proxy.push(document({ version: 1 }));
    t.match(await ask(), /"rule":"not-granted"/);
    await t.rejects(
      proxy.push(
        document({
          version: 2,
          network: { egress: ['https://*.p.test'], writes: [], passthrough: [], ownLoopback: true },
        }),
      ),
      /snapshot 2 rejected: .*egress/,
    );
    t.match(await ask(), /"rule":"not-granted"/, 'the last good one stays');
    await proxy.push(document({ version: 3, sandbox: true }));
    t.match(await ask(), /"rule":"sealed"/);
    t.match(
      proxy.messages.filter(message => message.type === 'refused').map(message => message.record.rule),
      ['policy-unreadable', 'not-granted', 'not-granted', 'sealed'],
    );
  },
);

t.test('a push while requests run: each is judged by one snapshot and none is dropped', async t => {
  await using origin = await startOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    script: async peer => {
      for (;;) {
        await peer.readRequest();
        await peer.send(OK);
      }
    },
  });
  const host = `p.test:${origin.port}`;
  const place = folder(t);
  const caFile = join(place, 'upstreams.pem');
  writeFileSync(caFile, upstreams.pem);
  const open = granting(`https://${host}`);
  // The same addresses stay pinned, so that only the grants differ.
  const closed = { ...open, network: { egress: [], writes: [], passthrough: [], ownLoopback: true } };
  await using proxy = await startProxyProcess({
    folder: place,
    snapshot: document(open),
    env: { SSL_CERT_FILE: caFile },
  });
  const CLIENTS = 8;
  const PUSHES = 40;
  let done = false;
  const seen = { granted: 0, refused: 0 };
  const clients = Array.from({ length: CLIENTS }, async () => {
    const peer = await tunnel(proxy, host);
    while (!done) {
      await peer.send(`GET /v1/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const response = await peer.readResponse();
      const body = response.body.toString();
      if (response.status === 200 && body === 'ok') seen.granted++;
      else if (response.status === 502 && body.includes('"rule":"not-granted"')) seen.refused++;
      else throw new Error(`neither snapshot answers like this: ${response.text}${body}`);
    }
    peer.socket.destroy();
  });
  for (let version = 2; version < 2 + PUSHES; version++)
    await proxy.push(document({ ...(version % 2 ? open : closed), version }));
  done = true;
  await within('every client to finish', Promise.all(clients));
  t.ok(
    seen.granted > 0 && seen.refused > 0,
    `both snapshots were in force (${seen.granted} and ${seen.refused} requests)`,
  );
});

t.test('SIGTERM: no new connections, what is in flight finishes, then it exits with 0', async t => {
  const asked = Promise.withResolvers<Peer>();
  await using origin = await startOrigin({
    script: async peer => {
      await peer.readRequest();
      asked.resolve(peer);
      await peer.gone();
    },
  });
  const host = `p.test:${origin.port}`;
  await using proxy = await startProxyProcess({
    folder: folder(t),
    snapshot: document(granting(`http://${host}`)),
  });
  await using idle = await openWire(proxy.port);
  await using busy = await openWire(proxy.port);
  await busy.send(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const upstream = await asked.promise;
  process.kill(proxy.pid, 'SIGTERM');
  t.equal(await idle.closed('the idle connection to be closed'), 'ended');
  await t.rejects(openWire(proxy.port), /ECONNREFUSED/);
  await upstream.send(OK);
  t.equal((await busy.readResponse()).body.toString(), 'ok');
  await busy.closed();
  t.equal(await proxy.exited, 0);
});

for (const workers of ['1', '3']) {
  t.test(`SIGTERM: the lines of the last requests are in the log (${workers} threads)`, async t => {
    const place = folder(t);
    const logFile = join(place, 'proxy.log');
    await using proxy = await startProxyProcess({
      folder: place,
      snapshot: document(),
      logFile,
      args: ['--workers', workers],
    });
    const REQUESTS = 40;
    for (let nth = 0; nth < REQUESTS; nth++) {
      await using peer = await openWire(proxy.port);
      await peer.send(`GET http://p.test/${nth} HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\n\r\n`);
      await peer.readToEnd();
    }
    process.kill(proxy.pid, 'SIGTERM');
    t.equal(await within('the end', proxy.exited, 15_000), 0);
    const lines = readFileSync(logFile, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const paths = lines.filter(({ msg }) => msg === 'request').map(({ path }) => path);
    t.strictSame(new Set(paths), new Set(Array.from({ length: REQUESTS }, (_, nth) => `/${nth}`)));
    t.equal(paths.length, REQUESTS, 'each once');
    t.equal(
      lines.some(({ msg }) => msg === 'ended'),
      true,
    );
  });
}

t.test('a command line that cannot be used ends with 2 and says what is taken', async t => {
  await t.rejects(
    startProxyProcess({ folder: folder(t), snapshot: null, args: ['--port', '70000'] }),
    /ended \(2\).*--port takes a number/s,
  );
  await t.rejects(
    startProxyProcess({ folder: folder(t), snapshot: null, args: ['--no-such-flag'] }),
    /ended \(2\).*no-such-flag/s,
  );
});
