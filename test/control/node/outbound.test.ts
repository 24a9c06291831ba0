import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { openOutbound, type PolicyInForce } from '../../../control/node/outbound.ts';
import type { Outbound, OutboundRequest } from '../../../control/ports/outbound.ts';
import {
  compileSnapshot,
  type Snapshot,
  type SnapshotDocument,
  unreadSnapshot,
} from '../../../policy/snapshot.ts';
import { OUTBOUND_CONTRACT } from '../../contract/outbound.ts';
import { openOutboundPeer } from '../../kit/outbound-peer.ts';
import { runContract } from '../../kit/run-contract.ts';

const NETWORK = { egress: [], writes: [], passthrough: [], ownLoopback: true };
const snapshot = (more: Partial<SnapshotDocument> = {}): Snapshot => {
  const compiled = compileSnapshot({
    epoch: 'e',
    version: 1,
    world: 'acme/shop',
    docsUrl: 'http://127.0.0.1:4000',
    sandbox: false,
    phase: null,
    network: NETWORK,
    parents: [],
    routes: [{ host: 'api.stripe.com', path: '/', vendor: 'stripe' }],
    endpoints: [],
    services: [],
    app: null,
    extraHosts: {},
    runs: [],
    anonymousRuns: true,
    ...more,
  });
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.snapshot;
};

const inForce = (snapshot: Snapshot): PolicyInForce => ({ snapshot, inForce: Promise.resolve() });

async function receiver(respond: RequestListener): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const send = (
  snapshot: Snapshot,
  url: string,
  more: Partial<OutboundRequest> = {},
): ReturnType<Outbound['send']> =>
  openOutbound(inForce(snapshot)).send({
    url,
    method: 'POST',
    headers: [
      ['Content-Type', 'application/json'],
      ['Stripe-Signature', 't=1,v1=x'],
    ],
    body: '{"id":"evt_1","name":"grüße"}',
    timeoutMs: 2_000,
    ...more,
  });

t.test('a webhook to the machine’s own loopback arrives byte for byte', async t => {
  const got = Promise.withResolvers<{ request: IncomingMessage; body: string }>();
  await using hook = await receiver(async (request, response) => {
    got.resolve({ request, body: await text(request) });
    response.writeHead(202).end('thanks');
  });
  const result = await send(snapshot(), `http://127.0.0.1:${hook.port}/hooks/stripe?a=1`);
  t.match(result, { ok: true, status: 202, ms: Number });
  const { request, body } = await got.promise;
  t.equal(body, '{"id":"evt_1","name":"grüße"}');
  t.match(request, { method: 'POST', url: '/hooks/stripe?a=1' });
  t.match(request.headers, {
    host: `127.0.0.1:${hook.port}`,
    'stripe-signature': 't=1,v1=x',
    'content-length': '31',
  });
  const named = await send(snapshot(), `http://localhost:${hook.port}/`);
  t.match(named, { ok: true, status: 202 }, 'by its name too');
});

t.test('it goes only where the world’s policy lets it', async t => {
  let reached = 0;
  await using hook = await receiver((_request, response) => {
    reached += 1;
    response.end();
  });
  const { port } = hook;
  const closed = snapshot({ network: { ...NETWORK, ownLoopback: false } });
  t.match(await send(closed, `http://127.0.0.1:${port}/`), {
    ok: false,
    refused: true,
    why: /^own-loopback-ungranted: /,
  });
  t.match(await send(snapshot(), 'https://e.test/hook'), { ok: false, refused: true, why: /^not-granted: / });
  const reads = snapshot({ network: { ...NETWORK, egress: ['https://e.test'] } });
  t.match(
    await send(reads, 'https://e.test/hook'),
    { refused: true, why: /runtime\.network\.writes/ },
    'a POST is a write',
  );
  t.match(await send(snapshot({ sandbox: true }), 'https://e.test/hook'), {
    refused: true,
    why: /^sealed: /,
  });
  t.match(await send(snapshot(), 'https://api.stripe.com/v1/x'), {
    ok: false,
    refused: false,
    why: /twin stripe/,
  });
  for (const url of ['ftp://e.test/', 'nonsense', 'http://', 'http://a b/'])
    t.match(await send(snapshot(), url), { ok: false, why: 'The address is no http or https URL.' }, url);
  // A granted name that leads into the machine, unless it is pinned there (bad-input, DNS).
  const grant = { ...NETWORK, egress: [`http://hook.test:${port}`], writes: [`http://hook.test:${port}`] };
  const granted = snapshot({ network: grant });
  const asked: string[] = [];
  const resolver = async (host: string) => {
    asked.push(host);
    return ['127.0.0.1', '::1'];
  };
  const request = {
    url: `http://hook.test:${port}/`,
    method: 'POST',
    headers: [],
    body: '',
    timeoutMs: 2_000,
  } as const;
  t.match(await openOutbound(inForce(granted), resolver).send(request), {
    refused: true,
    why: /^not-granted: .*extraHosts/,
  });
  t.strictSame(asked, ['hook.test'], 'one look-up');
  const mixed = await openOutbound(inForce(granted), async () => ['169.254.169.254']).send(request);
  t.match(mixed, { refused: true, why: /169\.254\.169\.254/ }, 'nor to the metadata service');
  const lost = await openOutbound(inForce(granted), () =>
    Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
  ).send(request);
  t.match(lost, { ok: false, refused: false, why: 'ENOTFOUND' });
  t.equal(reached, 0);
  const pinned = snapshot({ network: grant, extraHosts: { 'hook.test': '127.0.0.1' } });
  t.match(await send(pinned, `http://hook.test:${port}/`), { ok: true, status: 200 });
  t.equal(reached, 1);
});

t.test('the app’s own hosts lead to the app, with the host it is known by', async t => {
  let host: string | undefined;
  await using app = await receiver((request, response) => {
    host = request.headers.host;
    response.end();
  });
  const routed = snapshot({ app: { hosts: ['shop.test'], upstream: `http://127.0.0.1:${app.port}` } });
  t.match(await send(routed, 'https://shop.test/hooks'), { ok: true, status: 200 });
  t.equal(host, 'shop.test');
});

t.test('[7.2 policy-unreadable] nothing is sent, and nothing refused, before there is a policy', async t => {
  let reached = 0;
  await using hook = await receiver((_request, response) => {
    reached += 1;
    response.end();
  });
  const start = Promise.withResolvers<void>();
  const policy = { snapshot: unreadSnapshot(''), inForce: start.promise };
  const outbound = openOutbound(policy);
  t.not(outbound.ready(), null);
  const sent = outbound.send({
    url: `http://127.0.0.1:${hook.port}/`,
    method: 'POST',
    headers: [],
    body: '',
    timeoutMs: 2_000,
  });
  await new Promise(setImmediate);
  t.equal(reached, 0);
  policy.snapshot = snapshot();
  start.resolve();
  t.match(await sent, { ok: true, status: 200 });
  t.equal(outbound.ready(), null);
});

t.test('a redirect is an answer, a silent receiver runs into its time, a dead one is told', async t => {
  const paths: (string | undefined)[] = [];
  await using hook = await receiver((request, response) => {
    paths.push(request.url);
    if (request.url === '/moved') response.writeHead(307, { location: '/there' }).end();
  });
  t.match(await send(snapshot(), `http://127.0.0.1:${hook.port}/moved`), { ok: true, status: 307 });
  const silent = await send(snapshot(), `http://127.0.0.1:${hook.port}/silent`, { timeoutMs: 50 });
  t.match(silent, { ok: false, refused: false, why: 'No answer within 50 ms.' });
  t.strictSame(paths, ['/moved', '/silent']);
  const gone = createTcp().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  t.match(await send(snapshot(), `http://127.0.0.1:${port}/`), {
    ok: false,
    refused: false,
    why: 'ECONNREFUSED',
  });
});

t.test('an endless answer that nobody wants is cut', async t => {
  const cut = Promise.withResolvers<void>();
  await using hook = await receiver((_request, response) => {
    response.on('close', () => cut.resolve());
    const more = (): void =>
      void (response.write(Buffer.alloc(64 * 1024)) ? setImmediate(more) : response.once('drain', more));
    more();
  });
  const answer = await send(snapshot(), `http://127.0.0.1:${hook.port}/`);
  t.match(answer, { ok: true, status: 200 });
  if (answer.ok) answer.discard();
  await cut.promise;
});

runContract(t, OUTBOUND_CONTRACT, async t => {
  const peer = await openOutboundPeer();
  t.teardown(() => peer[Symbol.asyncDispose]());
  return {
    outbound: openOutbound(inForce(snapshot())),
    peer: `http://127.0.0.1:${peer.port}`,
    refused: 'https://e.test/hook',
    cuts: peer.cuts,
  };
});

t.test('a CONNECT is no request', async t => {
  t.match(await send(snapshot(), 'http://127.0.0.1:9/', { method: 'CONNECT' }), {
    ok: false,
    refused: false,
  });
});
