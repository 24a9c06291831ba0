import t from 'tap';
import { startProxy } from '../../kit/proxy.ts';
import { startControl } from '../../kit/stand-in-control.ts';
import { connectTunnel, openWire } from '../../kit/wire.ts';

const world = {
  routes: [{ host: 'mail.test', path: '/', vendor: 'mail' }],
  streams: [{ host: 'mail.test', port: 25, vendor: 'mail', stream: 'smtp' }],
};

t.test('[2.4 streams] a TCP twin’s host and port reach its stream, whoever speaks first', async t => {
  await using control = await startControl(async peer => {
    await peer.send('220 mail.test\r\n');
    const said = await peer.readToEnd();
    await peer.send(`heard ${said.length}`);
    peer.end();
  });
  await using proxy = await startProxy({ world, controlSocket: control.path });
  const { peer } = await connectTunnel(proxy.port, 'mail.test:25');
  t.equal((await peer.readUntil('\n')).toString(), '220 mail.test\r\n');
  // What looks like HTTP or TLS is the twin's all the same; and a half-close is passed on.
  await peer.send('GET / HTTP/1.1\r\n\r\n');
  await peer.send(Buffer.alloc(300_000, 22));
  peer.end();
  t.equal((await peer.readToEnd()).toString(), 'heard 300018');
  t.match(control.upgrades[0], { method: 'GET', url: '/acme/shop/mail/streams/smtp' });
  t.match(control.upgrades[0]!.headers, {
    upgrade: 'wrld-stream',
    'x-wrld-host': 'mail.test:25',
    'x-wrld-scheme': 'tcp',
    'x-wrld-run': 'default',
  });
});

t.test('[2.4 streams] bytes in the packet of the CONNECT, and a twin that cuts', async t => {
  await using control = await startControl(async peer => {
    t.equal((await peer.read(4)).toString(), 'EHLO');
    peer.socket.destroy();
  });
  await using proxy = await startProxy({ world, controlSocket: control.path });
  const raw = await connectRaw(proxy.port, 'mail.test:25', 'EHLO');
  await raw.gone();
  raw.socket.destroy();
});

t.test('[2.4 streams] nobody to serve it, or no control: the connection is closed', async () => {
  await using control = await startControl();
  await using proxy = await startProxy({ world, controlSocket: control.path });
  await (await connectTunnel(proxy.port, 'mail.test:25')).peer.closed();
  await control[Symbol.asyncDispose]();
  await (await connectTunnel(proxy.port, 'mail.test:25')).peer.closed();
});

t.test('[7.2 raw-socket-twinned] other ports of a TCP twin’s host are no stream', async t => {
  await using control = await startControl();
  await using proxy = await startProxy({ world, controlSocket: control.path });
  for (const [port, rule] of [
    [443, 'raw-socket-twinned'],
    [26, 'unclaimed-path'],
  ] as const) {
    const { peer } = await connectTunnel(proxy.port, `mail.test:${port}`);
    await peer.send('SSH-2.0-x\r\n');
    await peer.closed();
    t.equal(proxy.refusals.at(-1)?.rule, rule);
  }
  const { peer } = await proxy.tunnel('mail.test:443');
  await peer.send('GET /v1 HTTP/1.1\r\nHost: mail.test\r\n\r\n');
  t.equal((await peer.readResponse()).body.toString(), 'twin GET /acme/shop/mail/v1', 'HTTP goes on as HTTP');
  peer.socket.destroy();
  // A client cannot ask for the stream by itself: the switch goes with headers that only the proxy sets.
  const sly = (await proxy.tunnel('mail.test:443')).peer;
  await sly.send(
    'GET /streams/smtp HTTP/1.1\r\nHost: mail.test\r\nConnection: Upgrade\r\nUpgrade: wrld-stream\r\nX-Wrld-Scheme: tcp\r\n\r\n',
  );
  t.equal((await sly.readResponse()).status, 404);
  t.equal(control.upgrades.at(-1)?.headers['x-wrld-scheme'], 'https');
  sly.socket.destroy();
});

async function connectRaw(port: number, authority: string, rest: string) {
  const wire = await openWire(port);
  await wire.send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${rest}`);
  await wire.readHead();
  return wire;
}
