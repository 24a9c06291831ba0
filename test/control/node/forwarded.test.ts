import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import t, { type Test } from 'tap';
import { listen } from '../../../control/node/listener.ts';
import { Secret } from '../../../control/world/access/secret.ts';
import { within } from '../../kit/deadline.ts';
import { vendorPorts } from '../../kit/rooted-world.ts';
import { openTestSite } from '../../kit/site.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';

const authority = await createTestAuthority();
const before = getCACertificates();
setDefaultCACertificates([...before, authority.pem]);
t.teardown(() => setDefaultCACertificates(before));
const leaf = await authority.leaf(['maps.test']);

/** A world with a link `maps` to a vendor over TLS, behind the real listener. */
const linked = async (t: Test, answer: RequestListener) => {
  const vendor = createServer(leaf, answer);
  vendor.listen(0, '127.0.0.1');
  await once(vendor, 'listening');
  const { port } = vendor.address() as AddressInfo;
  // The config says where the name leads; without that it would have to lead out of this machine.
  const { vault: _, ...ports } = vendorPorts('acme/notes', { extraHosts: { 'maps.test': '127.0.0.1' } });
  const site = await openTestSite({ ports });
  const listener = await listen({
    site: site.site,
    from: 'client',
    log: site.around.log,
    host: '127.0.0.1',
    port: 0,
  });
  t.teardown(async () => {
    vendor.closeAllConnections();
    vendor.close();
    await listener.close();
    await site[Symbol.asyncDispose]();
  });
  const { world } = site.notes;
  const put = await world.putLink('maps', `https://maps.test:${port}`);
  if (!put.ok) throw new Error(put.message);
  const headers = [
    ['Authorization', new Secret('Bearer real')],
    ['X-Key', new Secret('k')],
  ] as const;
  await world.real.credentials.put('maps', { shown: { as: 'headers', headers }, signingSecret: null });
  const begin = (
    path: string,
    options: { method?: string; headers?: { [name: string]: string | string[] } } = {},
  ) =>
    httpRequest({
      port: listener.port,
      path: `/acme/notes/maps${path}`,
      agent: false,
      ...options,
      headers: { 'x-wrld-token': site.token, ...options.headers },
    });
  const answerTo = async (outgoing: ReturnType<typeof begin>): Promise<IncomingMessage> =>
    (await within('an answer', once(outgoing, 'response')))[0] as IncomingMessage;
  return { site, world, port, begin, answerTo };
};

t.test(
  '[4.7] a link forwards with its own credential, and nothing of the world’s or of the connection’s',
  async t => {
    const got = Promise.withResolvers<{ request: IncomingMessage; body: string }>();
    const { site, world, begin, answerTo, port } = await linked(t, async (request, response) => {
      got.resolve({ request, body: await text(request) });
      response.writeHead(
        207,
        [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['Connection', 'x-hop, close'],
          ['X-Hop', '1'],
          ['X-Wrld-World-Refusal', 'grant'],
          ['Alt-Svc', 'h3=":443"'],
          ['X-Kept', 'yes'],
        ].flat(),
      );
      response.end('thanks');
    });
    const outgoing = begin('/v1/a%2Fb/../c?key=1&b=%20', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${site.token}`,
        'x-key': 'of the app',
        'x-twins-key': site.token,
        'x-wrld-caller': 'somebody',
        cookie: '__Host-wrld-session=abc; vendor=1',
        connection: 'x-mine',
        'x-mine': '1',
        te: 'trailers',
        'proxy-authorization': 'Basic x',
        'x-app': 'kept',
      },
    });
    outgoing.end('{"a":1}');
    const response = await answerTo(outgoing);
    t.equal(await text(response), 'thanks');
    t.equal(response.statusCode, 207);
    t.strictSame(response.headers['set-cookie'], ['a=1', 'b=2']);
    t.match(response.headers, { 'x-kept': 'yes' });
    for (const name of ['x-hop', 'x-wrld-world-refusal', 'alt-svc'])
      t.equal(response.headers[name], undefined, name);
    const { request, body } = await got.promise;
    t.strictSame([request.method, request.url, body], ['POST', '/v1/c?key=1&b=%20', '{"a":1}']);
    t.match(request.headers, {
      host: `maps.test:${port}`,
      authorization: 'Bearer real',
      'x-key': 'k',
      cookie: 'vendor=1',
      'x-app': 'kept',
      'content-length': '7',
    });
    const arrived = JSON.stringify(request.rawHeaders).toLowerCase();
    for (const none of [site.token, 'x-wrld', 'x-twins', 'x-mine', 'trailers', 'proxy-', 'session'])
      t.notOk(arrived.includes(none.toLowerCase()), none);
    const report = await world.requests(1);
    t.match(report.links, [{ name: 'maps', requests: 1, status: { '2xx': 1 } }]);
    t.strictSame(report.twins, []);
  },
);

t.test('[5.6] a link opens to the world’s token and to nothing less', async t => {
  let asked = 0;
  const { site, begin, answerTo } = await linked(t, (_request, response) => {
    asked += 1;
    response.end();
  });
  const key = await site.ask({
    method: 'POST',
    target: '/-/acme/notes/keys',
    headers: [['x-wrld-token', site.token]],
    body: JSON.stringify({ name: 'ci', scope: 'write' }),
  });
  for (const [presented, status] of [
    [site.readToken, 403],
    [key.json.key, 403],
    ['tok_w_of_nobody', 401],
    ['', 401],
  ] as const) {
    const outgoing = begin('/', { headers: { 'x-wrld-token': presented } });
    outgoing.end();
    const response = await answerTo(outgoing);
    t.equal(response.statusCode, status, presented.slice(0, 6));
    response.resume();
  }
  t.equal(asked, 0);
  const outgoing = begin('/', { headers: { 'x-wrld-token': site.token } });
  outgoing.end();
  t.equal((await answerTo(outgoing)).statusCode, 200);
});

t.test(
  '[4.7] it streams both ways at once, and holds back whoever is faster than the other side',
  async t => {
    const { begin, answerTo } = await linked(t, async (request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.flushHeaders();
      // An answer before the question is whole.
      for await (const chunk of request) if (!response.write(chunk)) await once(response, 'drain');
      response.end();
    });
    const outgoing = begin('/echo', { method: 'POST' });
    outgoing.write('first');
    const response = await answerTo(outgoing);
    const chunks = response[Symbol.asyncIterator]();
    t.equal(String((await chunks.next()).value), 'first', 'the answer is here while the request goes on');
    const WHOLE = 48 * 1024 * 1024;
    // The system gives a socket up to 32 MB, by what it learns of who reads there; four are on the way there and back.
    const ENDLESS = 1024 * 1024 * 1024;
    let size = ENDLESS;
    const slice = Buffer.alloc(256 * 1024, 7);
    let written = 0;
    const upload = async (): Promise<void> => {
      for (; written < size; written += slice.length)
        if (!outgoing.write(slice)) await once(outgoing, 'drain');
      outgoing.end();
    };
    const uploading = upload();
    // Nobody reads: what fits in the sockets and buffers on the way goes out, and no more.
    let seen = -1;
    await within(
      'the upload to stand still',
      (async () => {
        while (seen !== written || written === 0) {
          seen = written;
          await new Promise(resolve => setTimeout(resolve, 300));
        }
      })(),
    );
    t.ok(written < ENDLESS, `held back at ${written} bytes`);
    size = Math.max(written, WHOLE);
    let read = 0;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) read += next.value.length;
    await uploading;
    t.equal(read, written);
    t.ok(read >= WHOLE, 'a body over every limit of the world’s own');
  },
);

t.test('[4.7] a client that goes away ends the vendor’s side, before the head and after', async t => {
  const ended = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const began = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { begin, answerTo } = await linked(t, (request, response) => {
    const n = request.url === '/silent' ? 0 : 1;
    response.on('close', () => ended[n]!.resolve());
    began[n]!.resolve();
    if (n === 1) response.write('one of many');
  });
  const silent = begin('/silent');
  silent.on('error', () => {});
  silent.end();
  await within('the vendor to be asked', began[0]!.promise);
  silent.destroy();
  await within('the silent one to end', ended[0]!.promise);
  const stream = begin('/stream');
  stream.end();
  const response = await answerTo(stream);
  await once(response, 'data');
  response.destroy();
  await within('the stream to end', ended[1]!.promise);
});

t.test('[4.7] what breaks off at the vendor is cut, and what does not answer is said so', async t => {
  const { begin, answerTo, world, site } = await linked(t, (request, response) => {
    if (request.url === '/half') response.write('half', () => response.destroy());
    else if (request.url === '/early') response.writeHead(413).end('too much');
    else if (request.url === '/head') response.writeHead(200, { 'content-length': '5' }).end();
    else if (request.url === '/redirect') response.writeHead(302, { location: 'https://e.test/' }).end();
    else request.socket.destroy();
  });
  const half = begin('/half');
  half.end();
  await t.rejects(text(await answerTo(half)), { code: 'ECONNRESET' });
  const none = begin('/none');
  none.end();
  const answered = await answerTo(none);
  t.match([answered.statusCode, JSON.parse(await text(answered))], [502, { error: { code: 'no-answer' } }]);
  const early = begin('/early', { method: 'POST', headers: { 'content-length': '1000' } });
  early.on('error', () => {});
  early.write('some of it');
  const refused = await answerTo(early);
  t.strictSame([refused.statusCode, await text(refused)], [413, 'too much']);
  const head = begin('/head', { method: 'HEAD' });
  head.end();
  t.match((await answerTo(head)).headers, { 'content-length': '5' });
  const redirect = begin('/redirect');
  redirect.end();
  t.match((await answerTo(redirect)).headers, { location: 'https://e.test/' });
  await world.putLink('maps', 'https://maps.test:1');
  const moved = begin('/');
  moved.end();
  const pointed = await answerTo(moved);
  t.match([pointed.statusCode, await text(pointed)], [409, /another origin/]);
  t.equal(await world.removeLink('maps'), true);
  t.strictSame(site.notes.sql.all('SELECT * FROM seal'), [], 'nothing stays sealed for it');
  const gone = begin('/');
  gone.end();
  t.equal((await answerTo(gone)).statusCode, 404);
});
