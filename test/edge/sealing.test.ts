// Credentials of real vendors on the edge (4.11-2, 4.11-3): sealed by the deployment's key, then by the vault that it names,
// and asked with from there on; what is asked of the vendor goes out, and nothing else does.
import { setTimeout as pause } from 'node:timers/promises';
import { Response } from 'miniflare';
import t from 'tap';
import { bundleEdge } from '../../scripts/edge-bundle.ts';
import { within } from '../kit/deadline.ts';
import { type EdgeHost, edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost, hostDirectory } from '../kit/many-worlds.ts';
import { openStandInVault } from '../kit/stand-in-vault.ts';

const SECRET = 'sk_live_that_nobody_may_see';
const bundle = await bundleEdge({ minify: false });
const folder = await hostDirectory(t);
const vault = await openStandInVault();
t.teardown(() => vault[Symbol.asyncDispose]());
vault.key('transit/wrld-fingerprint');

/** What the worker asked the vendor: the credential, and the path. */
const asked: (readonly [string | null, string])[] = [];
const elsewhere: string[] = [];

/** The internet as the worker has it: the vault, and one vendor. */
const outside = async (request: Request): Promise<Response> => {
  const { host, pathname } = new URL(request.url);
  if (host === 'vault.test') {
    const answer = await fetch(`${vault.address}${pathname}`, {
      method: request.method,
      headers: [...request.headers].filter(([name]) => name.startsWith('x-vault-')) as [string, string][],
      body: await request.text(),
    });
    return new Response(await answer.text(), { status: answer.status });
  }
  if (host !== 'maps.test') {
    elsewhere.push(host);
    return new Response('', { status: 502 });
  }
  asked.push([request.headers.get('authorization'), pathname]);
  return new Response(await request.text(), { headers: { 'x-vendor': 'maps' } });
};

const start = (bindings: { readonly [name: string]: string }): Promise<EdgeHost> =>
  startEdge({ bundle, folder, bindings, outside: outside as never });

const KEY = { SEALING_KEY: Buffer.alloc(32, 7).toString('base64') };
const VAULT = { VAULT_ADDR: 'https://vault.test', VAULT_TOKEN: vault.token, VAULT_TRANSIT_KEY: 'wrld' };

let token = '';
const ask = (edge: EdgeHost, method: string, path: string, body?: object | string) =>
  askHost(edge, method, path, {
    token,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
const sealedBy = async (edge: EdgeHost): Promise<string> =>
  (await ask(edge, 'GET', '/-/acme/shop/twins/maps/credential')).json.sealedBy;
const forward = (edge: EdgeHost) => ask(edge, 'POST', '/acme/shop/maps/v1/places', 'hello');

t.test(
  '[4.11-2] without a key nothing is sealed; with SEALING_KEY it is, and opens for its vendor',
  async t => {
    {
      await using edge = await start({});
      ({ token } = await edgeWorld(edge, 'acme/shop', { vendors: ['stripe'] }));
      t.match(await ask(edge, 'PUT', '/-/acme/shop/links/maps', { origin: 'https://maps.test' }), {
        status: 200,
      });
      const put = await ask(edge, 'PUT', '/-/acme/shop/twins/maps/credential', { credential: SECRET });
      t.ok(put.status >= 400, `${put.status}`);
    }
    await using edge = await start(KEY);
    const put = await ask(edge, 'PUT', '/-/acme/shop/twins/maps/credential', {
      headers: { Authorization: `Bearer ${SECRET}` },
    });
    t.match(put, { status: 200, json: { sealedBy: 'key', boundTo: 'https://maps.test' } });
    t.match(await forward(edge), { status: 200, text: 'hello', headers: { 'x-vendor': 'maps' } });
    t.strictSame(asked.splice(0), [[`Bearer ${SECRET}`, '/v1/places']]);
  },
);

t.test('[4.11-3] the vault seals it again the first time that it opens, and the key can go', async t => {
  {
    await using edge = await start({ ...KEY, ...VAULT });
    t.equal(await sealedBy(edge), 'key');
    t.match(await forward(edge), { status: 200 });
    t.equal(await sealedBy(edge), 'vault');
    t.ok(
      vault.asked.some(({ path }) => path.includes('/encrypt/wrld-org-acme')),
      'by the key of its org',
    );
  }
  await using edge = await start(VAULT);
  t.match(await forward(edge), { status: 200 });
  t.strictSame(asked.splice(0), [
    [`Bearer ${SECRET}`, '/v1/places'],
    [`Bearer ${SECRET}`, '/v1/places'],
  ]);
  vault.rotate('transit/wrld-org-acme');
  t.match(await ask(edge, 'POST', '/-/acme/shop/credentials/rewrap'), {
    status: 200,
    json: { rewrapped: 1 },
  });
});

t.test('[4.11-2] with the vault away what needs a credential says so, and all else goes on', async t => {
  await using edge = await start(VAULT);
  vault.failing = 503;
  const away = await forward(edge);
  t.match(away, { status: 503, json: { error: { message: /cannot be had now/ } } });
  t.ok(away.headers['retry-after']);
  const put = { headers: { Authorization: 'Bearer another' } };
  t.match(await ask(edge, 'PUT', '/-/acme/shop/twins/maps/credential', put), { status: 503 });
  t.match(await ask(edge, 'POST', '/-/acme/shop/credentials/rewrap'), { status: 503 });
  t.match(await ask(edge, 'GET', '/-/acme/shop/twins/maps/credential'), { json: { sealedBy: 'vault' } });
  t.match(await ask(edge, 'POST', '/acme/shop/stripe/v1/customers'), { status: 200 });
  t.match(await edgeWorld(edge, 'acme/made'), { token: /^tok_w_/ });
  t.strictSame(asked, [], 'the vendor was not asked');
  vault.failing = null;
  t.match(await forward(edge), { status: 200 });
  t.strictSame(asked.splice(0), [[`Bearer ${SECRET}`, '/v1/places']]);
});

t.test('[7.2] what no root and no link names is not asked', async t => {
  await using edge = await start(VAULT);
  const hook = await askHost(edge, 'POST', '/acme/shop/stripe/v1/webhook_endpoints', {
    token,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'url=https://app.test/hooks&enabled_events[0]=*',
  });
  t.equal(hook.status, 200);
  await askHost(edge, 'POST', '/acme/shop/stripe/v1/customers', { token });
  for (const origin of ['https://127.0.0.1', 'http://maps.test', 'https://10.0.0.1'])
    t.match(await ask(edge, 'PUT', '/-/acme/shop/links/inside', { origin }), { status: 400 }, origin);
  const isRefused = async (): Promise<boolean> =>
    (await ask(edge, 'GET', '/-/acme/shop/timeline')).json.entries.some(
      ({ entry }: { readonly entry: { readonly kind: string } }) => entry.kind === 'webhook.failed',
    );
  const refused = async (): Promise<void> => {
    while (!(await isRefused())) await pause(20);
  };
  await within('the webhook to be refused', refused());
  t.strictSame(elsewhere, [], 'nobody else was asked');
});
