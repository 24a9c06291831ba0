// What is no request on the edge (4.11-4): a twin's own WebSocket, and the stream of a TCP twin.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { createTransport } from 'nodemailer';
import t from 'tap';
import { createWebSocketStream, WebSocket } from 'ws';
import { within } from '../kit/deadline.ts';
import { edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost } from '../kit/many-worlds.ts';

const edge = await startEdge();
t.teardown(() => edge[Symbol.asyncDispose]());
const place = await edgeWorld(edge, 'acme/shop', { vendors: ['openai', 'smtp'] });
const at = edge.baseUrl.replace('http', 'ws');

/** The status of a handshake that is refused. */
async function refusal(ws: WebSocket): Promise<number> {
  ws.on('error', () => {});
  const [, response] = await within('a refusal', once(ws, 'unexpected-response'));
  response.resume();
  return response.statusCode;
}

async function ended(ws: WebSocket): Promise<readonly [number, string]> {
  const [code, reason] = await within('the end', once(ws, 'close'));
  return [code, String(reason)];
}

t.test('[4.11-4] a twin’s WebSocket is answered, by whoever may ask', async t => {
  const path = '/acme/shop/openai/v1/realtime?model=gpt-realtime';
  const headers = { authorization: `Bearer ${place.token}` };
  const ws = new WebSocket(`${at}${path}`, { headers });
  const said: { type: string }[] = [];
  const next = async (type: string): Promise<void> => {
    while (!said.some(each => each.type === type)) await once(ws, 'message');
  };
  ws.on('message', data => said.push(JSON.parse(String(data))));
  await within('a session', next('session.created'));
  ws.send(
    JSON.stringify({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    }),
  );
  ws.send(JSON.stringify({ type: 'response.create' }));
  await within('an answer', next('response.done'));
  ws.close(1000);
  t.equal((await ended(ws))[0], 1000);
  t.equal(await refusal(new WebSocket(`${at}${path}`)), 401, 'nobody');
  t.equal(await refusal(new WebSocket(`${at}/acme/none/openai/v1/realtime`, { headers })), 404);
  t.equal(await refusal(new WebSocket(`${at}/acme/shop/openai/v1/other`, { headers })), 404);
});

t.test('[4.2] a stream is opened by the token as its first message', async t => {
  const stream = `${at}/-/acme/shop/streams/smtp`;
  for (const token of [place.readToken, 'wrong', edge.admin]) {
    const ws = new WebSocket(stream);
    await once(ws, 'open');
    ws.send(token);
    t.strictSame(await ended(ws), [1008, 'this token opens no stream']);
  }
  t.equal(await refusal(new WebSocket(`${at}/-/acme/shop/streams/none`)), 404);
});

/** A listener on loopback whose connections are the stream's, as the attacher makes one. */
async function listener(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer(socket => {
    const ws = new WebSocket(`${at}/-/acme/shop/streams/smtp`);
    ws.once('open', () => {
      ws.send(place.token);
      const stream = createWebSocketStream(ws);
      pipeline(socket, stream, socket, () => {});
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

t.test('[4.11-4] mails are sent over the stream by a client that knows nothing of it', async t => {
  const { port, close } = await listener();
  t.teardown(close);
  const auth = { user: 'app', pass: 'whatever' };
  const mailer = createTransport({ host: '127.0.0.1', port, auth, ignoreTLS: true });
  const text = ['One.', '.', '..two dots', 'The end.'].join('\r\n');
  const sent = await within(
    'the mail to be taken',
    mailer.sendMail({
      from: 'shop@acme.test',
      to: ['a@acme.test', 'b@acme.test'],
      subject: 'Grüße',
      text,
      attachments: [{ filename: 'a.bin', content: Buffer.alloc(100_000, 7) }],
    }),
  );
  t.strictSame(sent.accepted, ['a@acme.test', 'b@acme.test']);
  const log = await askHost(edge, 'GET', '/-/acme/shop/log/smtp?after=0', place);
  const change = log.json.entries.flatMap(
    (entry: { changes: { type: string; after: object }[] }) => entry.changes,
  );
  const mail = change.find(({ type }: { type: string }) => type !== 'blob').after;
  t.match(JSON.stringify(mail), /Grüße/);
  const whole = JSON.stringify(log.json.entries).replaceAll('\\r\\n', '\\n');
  t.ok(
    whole.includes(JSON.stringify(text.replaceAll('\r\n', '\n')).slice(1, -1)),
    'with its dots as they were',
  );
  t.match(JSON.stringify(mail), /"user":"app"/);
  const large = mailer.sendMail({ from: 'a@b.test', to: 'c@d.test', text: 'x'.repeat(5 * 1024 * 1024) });
  const refused = await within(
    'the refusal',
    large.then(
      () => null,
      (error: { responseCode?: number }) => error,
    ),
    20_000,
  );
  t.equal(refused?.responseCode, 552);
});
