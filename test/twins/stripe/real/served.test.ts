// A root over real sockets: a world that is served by another process, in the place of Stripe, which knows nothing of the one
// that copies it; and servers that answer as no vendor should.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import Stripe from 'stripe';
import t from 'tap';
import { asksByFetch } from '../../../kit/asks-by-fetch.ts';
import { openWorlds, startServe } from '../../../kit/command-line.ts';
import { openStripeWorld, type StripeWorld } from '../../../kit/stripe-world.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

async function copy({ world }: StripeWorld): Promise<void> {
  await world.roots.refresh('stripe', { force: true });
  await world.roots.settled();
}

t.test('[4.6] a served world in another process is copied as Stripe is', async t => {
  const folder = await worlds.make('vendor', { name: 'real/stripe' });
  await using served = await startServe(folder);
  const { worldUrl, token } = served.up;
  const { hostname, port, pathname } = new URL(`${worldUrl}/stripe`);
  const there = new Stripe(token, {
    host: hostname,
    port,
    protocol: 'http',
    httpClient: Stripe.createFetchHttpClient((input: string | URL | Request, init?: RequestInit) => {
      const url = new URL(input as string | URL);
      url.pathname = pathname + url.pathname;
      return fetch(url, init);
    }),
    telemetry: false,
  });
  const made: Stripe.Customer[] = [];
  for (let n = 0; n < 5; n++) made.push(await there.customers.create({ name: `C${n}` }));
  const url = `${worldUrl}/stripe`;
  const vendorAsks = asksByFetch(() => url, [['Authorization', `Bearer ${token}`]]);
  await using here = await openStripeWorld({ vendors: { asks: vendorAsks } });
  t.match(await here.world.roots.put('stripe', { url, refresh: { every: null } }), { ok: true });
  await copy(here);
  t.equal(here.world.roots.standing('stripe').fault, null);
  const names = (await here.stripe.customers.list()).data.map(({ name }) => name);
  t.strictSame(names, ['C4', 'C3', 'C2', 'C1', 'C0']);
  await there.customers.update(made[2]!.id, { name: 'Changed' });
  await there.customers.del(made[0]!.id);
  await copy(here);
  const later = (await here.stripe.customers.list()).data.map(({ name }) => name);
  t.strictSame(later, ['C4', 'C3', 'Changed', 'C1']);
});

/** A server in Stripe's place, and a world that has it as root. */
async function openOdd(answer: (response: ServerResponse, url: string) => void) {
  await using opened = new AsyncDisposableStack();
  const server: Server = createServer((request, response) => answer(response, request.url!));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const here = opened.use(await openStripeWorld({ vendors: { asks: asksByFetch(() => url, []) } }));
  const put = await here.world.roots.put('stripe', { url, refresh: { every: null } });
  if (!put.ok) throw new Error(put.message);
  const kept = opened.move();
  return { here, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

t.test('[bad input] a root that is no vendor’s API ends the pass in words, and changes nothing', async t => {
  const rows: readonly (readonly [string, (response: ServerResponse) => void, RegExp])[] = [
    [
      'a redirect',
      response => response.writeHead(301, { location: 'https://stripe.com/' }).end(),
      /redirect to https:\/\/stripe\.com/,
    ],
    [
      'a page',
      response => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /text\/html that are no JSON/,
    ],
    [
      'half of its JSON',
      response => response.writeHead(200).end('{"object":"list","data":[{"id"'),
      /no JSON/,
    ],
    ['other JSON', response => response.writeHead(200).end('{"hello":1}'), /no list of Stripe/],
    [
      'a list of nothing of Stripe’s',
      response => response.writeHead(200).end('{"data":[7]}'),
      /no list of Stripe/,
    ],
    ['no leave', response => response.writeHead(401).end('{"error":{"code":"x"}}'), /refuses the credential/],
    ['two gigabytes', response => void flood(response), /answers too much/],
    ['deep JSON', response => response.writeHead(200).end('['.repeat(100_000)), /no JSON/],
  ];
  for (const [what, answer, why] of rows) {
    await using odd = await openOdd(answer);
    const { world } = odd.here;
    await copy(odd.here);
    const { fault, lastAt } = world.roots.standing('stripe');
    t.match(fault?.message, why, what);
    t.equal(lastAt, null);
    const resources = (await world.map())[0]!.resources.filter(({ type }) => type !== 'observed_mark');
    t.strictSame(resources, [], `${what}: nothing of it is in the world`);
  }
});

/** As much as the other side takes. */
async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200);
  const part = Buffer.alloc(1024 * 1024, 0x20);
  const parts = function* () {
    for (let n = 0; n < 2048; n++) yield part;
  };
  await pipeline(parts, response).catch(() => {});
}
