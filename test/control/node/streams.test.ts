// The control side of TCP twins, with the proxy's own asker on the other end of the socket.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import t from 'tap';
import type { StreamServers } from '../../../control/node/streams.ts';
import { listenForTwins } from '../../../control/node/twins-listener.ts';
import { parseAuthority } from '../../../policy/authority.ts';
import { dialStream } from '../../../proxy/upstream/stream.ts';
import { within } from '../../kit/deadline.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { Peer } from '../../kit/peer.ts';
import { openTestSite } from '../../kit/site.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
t.teardown(() => rm(folder, { recursive: true }));
const path = join(folder, 'twins.sock');
const { manifest } = noteTwin().twin;
const warned: string[] = [];

async function open(servers: StreamServers) {
  const site = await openTestSite();
  const log = { ...site.around.log, warn: (_fields: object, message: string) => void warned.push(message) };
  const listener = await listenForTwins(
    path,
    { site: site.site, log },
    {
      world: 'acme/notes',
      manifest: twin =>
        twin === 'mine' ? { ...manifest, vendor: 'mail', stream: { id: 'smtp', env: [] } } : undefined,
      servers,
    },
  );
  return {
    listener,
    [Symbol.asyncDispose]: async () => {
      await listener.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

const authority = parseAuthority('mail.test:25', null);
if (!authority.ok) throw new Error();

function dial(vendor: string, stream: string, world = 'acme/notes') {
  if (!authority.ok) throw new Error();
  return dialStream(path, { world, vendor, stream, authority, run: 'default' });
}

t.test('[2.4 streams] the twin’s server gets the connection, and may speak first', async t => {
  const mail = (socket: Duplex): void => {
    socket.write('220 hello\r\n');
    socket.on('data', (bytes: Buffer) => socket.end(`bye ${bytes.length}`));
  };
  await using _control = await open({ mail });
  const dialled = await dial('mine', 'smtp');
  if (!dialled.ok) throw new Error(JSON.stringify(dialled));
  const peer = new Peer(dialled.socket);
  peer.resume();
  t.equal((await peer.readUntil('\n')).toString(), '220 hello\r\n');
  await peer.send('QUIT');
  t.equal((await peer.readToEnd()).toString(), 'bye 4');
  await peer.closed();
});

t.test('[2.4 streams] nobody to serve it: 404, and the log says why', async t => {
  await using _control = await open({});
  for (const [asked, why] of [
    [dial('mine', 'smtp'), /nothing here speaks the protocol of the twin mine/],
    [dial('mine', 'imap'), /the twin mine has no stream of this name/],
    [dial('other', 'smtp'), /the twin other has no stream of this name/],
    [dial('mine', 'smtp', 'acme/another'), /a path that has none/],
    [dial('constructor', 'smtp'), /has no stream/],
  ] as const) {
    t.match(await asked, { ok: false, failure: { stage: 'closed', why: 'control answered 404' } });
    t.match(warned.at(-1), why);
  }
});

t.test('[2.4 streams] a server that throws costs its connection; closing cuts what is open', async t => {
  await using control = await open({
    mail: socket => {
      if (warned.length === 0) throw new Error('broken on purpose');
      socket.write('220\n');
    },
  });
  warned.length = 0;
  const broken = await dial('mine', 'smtp');
  if (!broken.ok) throw new Error(JSON.stringify(broken));
  const cut = new Peer(broken.socket);
  cut.resume();
  await cut.closed();
  warned.push('whole from here on');
  const dialled = await dial('mine', 'smtp');
  if (!dialled.ok) throw new Error(JSON.stringify(dialled));
  const peer = new Peer(dialled.socket);
  peer.resume();
  await peer.readUntil('\n');
  await within('the listener to close', control.listener.close());
  await peer.closed();
  t.pass();
});

t.test('any other upgrade is a request like others, whoever asks', async t => {
  await using _control = await open({ mail: () => t.fail('not a stream') });
  for (const headers of [
    { connection: 'Upgrade', upgrade: 'websocket', 'x-wrld-scheme': 'tcp' },
    { connection: 'Upgrade', upgrade: 'wrld-stream', 'x-wrld-scheme': 'https' },
    { connection: 'Upgrade', upgrade: 'wrld-stream' },
  ]) {
    const socket = connect(path);
    const outgoing = request({
      path: '/acme/notes/mine/streams/smtp',
      headers,
      createConnection: () => socket,
    }).end();
    const [response] = await within('an answer', once(outgoing, 'response'));
    t.not(response.statusCode, 101);
    socket.destroy();
  }
});
