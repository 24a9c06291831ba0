// [4.7] An origin that another process serves, asked over real sockets by the outbound of the host: Stripe's records with
// all that their events quote, there as here.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { openOutbound } from '../../../../control/node/outbound.ts';
import { askOver } from '../../../../control/world/origin/asking.ts';
import { compileSnapshot } from '../../../../policy/snapshot.ts';
import { mountTwin } from '../../../../twins/kit/mount.ts';
import { stripeTwin } from '../../../../twins/stripe/twin.ts';
import { openWorlds, startServe } from '../../../kit/command-line.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';
import { standInSealer } from '../../../kit/stand-in-sealer.ts';

const compiled = compileSnapshot({
  epoch: 'e',
  version: 1,
  world: 'acme/own',
  docsUrl: 'http://127.0.0.1:4000',
  sandbox: false,
  phase: null,
  network: { egress: [], writes: [], passthrough: [], ownLoopback: true },
  parents: [],
  routes: [],
  endpoints: [],
  services: [],
  app: null,
  extraHosts: {},
  runs: [],
  anonymousRuns: true,
});
if (!compiled.ok) throw new Error(compiled.why);
const { snapshot } = compiled;

const KEY = { authorization: 'Bearer sk_test_wrld' };
const worlds = await openWorlds();
t.teardown(() => worlds.remove());

t.test('its history comes whole, and so does what it does later', async t => {
  await using served = await startServe(await worlds.make('origin'));
  const { worldUrl, token } = served.up;
  const stripe = (method: string, path: string, body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const asked = request(`${worldUrl}/stripe${path}`, {
        method,
        agent: false,
        headers: { 'x-wrld-token': token, 'content-type': 'application/x-www-form-urlencoded' },
      });
      asked.on('response', answer => resolve(text(answer)));
      asked.on('error', reject);
      asked.end(body);
    });
  for (let n = 0; n < 30; n++) {
    const customer = JSON.parse(await stripe('POST', '/v1/customers', `name=n${n}`)) as { id: string };
    await stripe('POST', `/v1/customers/${customer.id}`, 'metadata[a]=1');
    if (n % 3 === 0) await stripe('DELETE', `/v1/customers/${customer.id}`);
  }
  const ask = askOver(openOutbound({ snapshot, inForce: Promise.resolve() }));
  await using own = await openNoteWorld({
    name: 'acme/own',
    twins: { stripe: mountTwin(stripeTwin, null) },
    wall: { at: Date.now() },
    sealer: standInSealer().sealer,
    askOrigin: ask,
  });
  const there = async (path: string) => {
    const { pathname, origin } = new URL(worldUrl);
    const answer = await ask(
      { url: worldUrl, origin, world: pathname.slice(1), token },
      { method: 'GET', path },
    );
    if (!answer.ok) throw new Error(answer.why);
    return answer.value as { entries: unknown[] };
  };
  await own.world.origin.name(worldUrl, token);
  t.strictSame(await own.world.pullOrigin(), { pulled: { stripe: 70 }, moved: {} });
  t.strictSame((await own.world.log('stripe', 0))!.entries, (await there('log/stripe')).entries);
  const listed = await own.ask('GET', '/v1/customers', undefined, {
    query: 'limit=100',
    vendor: 'stripe',
    headers: KEY,
  });
  t.strictSame(listed.body.data, JSON.parse(await stripe('GET', '/v1/customers?limit=100')).data);
  await stripe('POST', '/v1/customers', 'name=later');
  await own.ask('POST', '/v1/customers', undefined, { vendor: 'stripe', headers: KEY });
  t.strictSame(await own.world.pullOrigin(), { pulled: { stripe: 1 }, moved: { stripe: 1 } });
  const events = await own.ask('GET', '/v1/events', undefined, {
    query: 'limit=2',
    vendor: 'stripe',
    headers: KEY,
  });
  t.match(events.body.data, [{ data: { object: { name: null } } }, { data: { object: { name: 'later' } } }]);
  await served[Symbol.asyncDispose]();
  await t.rejects(own.world.pullOrigin(), { message: /does not answer/ });
});
