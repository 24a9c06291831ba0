import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Peer } from '../kit/peer.ts';
import { document, startProxy } from '../kit/proxy.ts';
import { startProxyProcess } from '../kit/proxy-process.ts';
import { connectTunnel, openWire } from '../kit/wire.ts';

async function ask(port: number, target: string, host = `127.0.0.1:${port}`, method = 'GET') {
  await using peer = await openWire(port);
  await peer.send(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const response = await peer.readResponse(method);
  return { status: response.status, body: response.body.toString() };
}

t.test('[issue 3: health and readiness] alive at once, ready when a snapshot is in force', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-pages-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  await using proxy = await startProxyProcess({ folder, snapshot: null });
  t.match(await ask(proxy.port, '/-/health'), { status: 200, body: 'alive\n' });
  t.match(await ask(proxy.port, '/-/ready'), { status: 503, body: /^not ready: / });
  await proxy.push(document({ version: 4 }));
  t.match(await ask(proxy.port, '/-/ready'), { status: 200, body: 'ready\n' });
  await t.rejects(proxy.push({ ...document({ version: 5 }), docsUrl: 'no' }));
  const { body } = await ask(proxy.port, '/-/metrics', `localhost:${proxy.port}`);
  t.match(body, '\nwrld_proxy_snapshot_version 4\n');
  t.match(body, '\nwrld_proxy_pushes_total 1\n');
  t.match(body, '\nwrld_proxy_pushes_rejected_total 1\n');
  t.match(body, '\nwrld_proxy_client_connections 1\n', 'this one');
  t.match(body, '\nwrld_proxy_snapshot_info{epoch="test"} 1\n');
});

t.test('they are pages of the proxy’s own port alone', async t => {
  await using proxy = await startProxy();
  const own = `127.0.0.1:${proxy.port}`;
  t.match(await ask(proxy.port, '/'), { status: 400, body: /this is a proxy/ });
  t.match(await ask(proxy.port, '/-/other'), { status: 400 });
  t.match(await ask(proxy.port, '/-/metrics', own, 'POST'), { status: 400 });
  t.match(await ask(proxy.port, '/-/health', own, 'HEAD'), { status: 200, body: '' });
  t.match(
    await ask(proxy.port, '/-/metrics', 'evil.test'),
    { status: 400 },
    'a name that DNS made lead here',
  );
  t.match(
    await ask(proxy.port, `http://${own}/-/metrics`),
    { status: 502 },
    'in absolute form: judged, a loop',
  );
  t.match(await ask(proxy.server.guestPort!, '/-/health'), { status: 400 }, 'a guest');
  const { peer } = await connectTunnel(proxy.port, own);
  await peer.send(`GET /-/metrics HTTP/1.1\r\nHost: ${own}\r\n\r\n`);
  const inside = await peer.readResponse();
  t.equal(inside.status, 502);
  t.notMatch(inside.body.toString(), 'wrld_proxy_');
  peer.socket.destroy();
});

t.test('on another bind than loopback they are for peers of this machine', async t => {
  await using proxy = await startProxy({ host: '0.0.0.0' });
  t.match(await ask(proxy.port, '/-/health'), { status: 200 }, 'without credentials');
  t.match(await ask(proxy.port, '/'), { status: 407 }, 'anything else still needs them');
  const address = Object.values(networkInterfaces())
    .flat()
    .find(one => one !== undefined && !one.internal && one.family === 'IPv4')?.address;
  if (address === undefined) return;
  const outside = new Peer(connect({ host: address, port: proxy.port }));
  await outside.send(`GET /-/metrics HTTP/1.1\r\nHost: ${address}\r\n\r\n`);
  t.equal((await outside.readResponse()).status, 407);
});
