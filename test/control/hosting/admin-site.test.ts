// The host's own endpoints (4.10): what each answers, and whom they open to.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { adminRoutes } from '../../../control/hosting/routes.ts';
import { routes } from '../../../control/http/routes.ts';
import { startHost } from '../../../control/node/host/host.ts';
import { openLog } from '../../../control/node/log.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../kit/many-worlds.ts';

t.test('[4.10] ping, inventory, making, owner, vendors, rotation and removal', async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp']);
  await using host = await startHostQuietly(directory);
  const token = host.adminToken.secret.reveal();
  t.strictSame((await askHost(host, 'GET', '/-/ping')).json, { worlds: ['acme/shop'] });
  t.strictSame((await askHost(host, 'GET', '/-/vendors', { token })).json, {
    vendors: ['anthropic', 'openai', 'smtp', 'stripe'],
  });
  const row = {
    org: 'acme',
    world: 'shop',
    name: 'acme/shop',
    base: `${host.baseUrl}/acme/shop`,
    ...shop,
    twins: [
      { vendor: 'smtp', protocol: 'smtp', root: null },
      { vendor: 'stripe', protocol: 'http', root: null },
    ],
  };
  t.strictSame((await askHost(host, 'GET', '/-/worlds', { token })).json, { worlds: [row] });

  const body = { org: 'other', world: 'crm', vendors: ['openai'], owner: 'other-inc' };
  const made = await askHost(host, 'POST', '/-/worlds', { token, body });
  t.match(made, {
    status: 201,
    json: { name: 'other/crm', owner: 'other-inc', token: /^tok_w_/, readToken: /^tok_r_/ },
  });
  t.match(await askHost(host, 'GET', '/-/other/crm/map', { token: made.json.token }), {
    status: 200,
    json: { twins: [{ twin: 'openai' }] },
  });
  t.match(await askHost(host, 'POST', '/-/worlds', { token, body }), {
    status: 409,
    json: { error: { code: 'taken' } },
  });

  const put = (name: string, owner: unknown) =>
    askHost(host, 'PUT', `/-/worlds/${name}/owner`, { token, body: { owner } });
  t.match(await put('acme/shop', 'acme-inc'), {
    status: 200,
    json: { name: 'acme/shop', owner: 'acme-inc' },
  });
  t.match(await put('acme/shop', 'acme-inc'), { status: 200 }, 'the same once more');
  t.match(await put('acme/shop', 'thieves'), { status: 409, json: { error: { code: 'owned' } } });
  t.match(await put('other/crm', 'thieves'), { status: 409 });
  t.match(await put('acme/none', 'acme-inc'), { status: 404 });
  for (const wrong of ['', 7, 'a\nb', 'x'.repeat(129)])
    t.match(await put('acme/shop', wrong), { status: 400 });
  t.match((await askHost(host, 'GET', '/-/worlds', { token })).json.worlds[0], { owner: 'acme-inc' });

  const rotated = await askHost(host, 'POST', '/-/worlds/acme/shop/rotate', { token });
  t.match(rotated, { status: 200, json: { name: 'acme/shop', token: /^tok_w_/, readToken: /^tok_r_/ } });
  t.match(
    await askHost(host, 'GET', '/-/acme/shop/map', { token: shop.token }),
    { status: 401 },
    'the old one is dead',
  );
  t.match(await askHost(host, 'GET', '/-/acme/shop/map', { token: rotated.json.token }), { status: 200 });
  t.match((await askHost(host, 'GET', '/-/worlds', { token })).json.worlds[0], { token: rotated.json.token });
  t.match(await askHost(host, 'POST', '/-/worlds/acme/none/rotate', { token }), { status: 404 });

  t.match(await askHost(host, 'DELETE', '/-/worlds/other/crm', { token }), { status: 204 });
  t.match(await askHost(host, 'DELETE', '/-/worlds/other/crm', { token }), { status: 404 });
  t.match(await askHost(host, 'GET', '/-/other/crm/map', { token: made.json.token }), { status: 404 });
  t.notOk(existsSync(join(directory, 'other')), 'its tree is gone, and with its last world the org');
  t.strictSame(readdirSync(join(directory, 'acme')), ['shop']);
});

t.test('[4.10] what cannot be made is refused with the reason', async t => {
  await using host = await startHostQuietly(await hostDirectory(t));
  const token = host.adminToken.secret.reveal();
  const good = { org: 'acme', world: 'shop', vendors: ['stripe'] };
  for (const [change, why] of [
    [{ org: 'worlds' }, /need “worlds” for themselves/],
    [{ world: 'console' }, /need “console” for themselves/],
    [{ world: 'x'.repeat(58) }, /longer than 61 characters/],
    [{ org: 'Acme' }, /lower-case/],
    [{ org: '..' }, /lower-case/],
    [{ org: 'a/b' }, /lower-case/],
    [{ vendors: ['stipe'] }, /no twin “stipe”; there are anthropic/],
    [{ vendors: ['stripe', 'stripe'] }, /twice/],
    [{ vendors: 'stripe' }, /list of texts/],
    [{ vendors: undefined }, /list of texts/],
    [{ org: 7 }, /texts/],
    [{ token: 'tok' }, /unknown field/],
    [{ owner: '' }, /1 to 128 characters/],
  ] as const) {
    const answer = await askHost(host, 'POST', '/-/worlds', { token, body: { ...good, ...change } });
    t.equal(answer.status, 400, JSON.stringify(change));
    t.match(answer.json.error.message, why);
  }
  t.match(await askHost(host, 'POST', '/-/worlds', { token, body: '{' }), { status: 400 });
  t.strictSame((await askHost(host, 'GET', '/-/ping')).json, { worlds: [] });
});

/** A path of a route, with the names that there are. */
const pathOf = (template: string): string =>
  template.replace('<org>/<world>', 'acme/shop').replace(/<[a-z]+(?:\.\.\.)?>/g, 'x');

t.test(
  '[5.1] the admin token opens the host’s endpoints and nothing under a world, and the reverse',
  async t => {
    const directory = await hostDirectory(t);
    const { token, readToken } = await bareWorld(directory, 'acme/shop');
    const other = await bareWorld(directory, 'other/shop');
    await using host = await startHostQuietly(directory);
    const admin = host.adminToken.secret.reveal();
    const key = await askHost(host, 'POST', '/-/acme/shop/keys', { token, body: { name: 'ci' } });
    const credentials = {
      token,
      readToken,
      key: key.json.key,
      other: other.token,
      none: undefined,
      wrong: 'tok_a_wrong',
    };
    t.match(credentials.key, /^tok_k_/);

    const forms: readonly (readonly [string, (credential: string) => { [name: string]: string }])[] = [
      ['x-wrld-token', credential => ({ 'x-wrld-token': credential })],
      ['x-twins-key', credential => ({ 'x-twins-key': credential })],
      ['bearer', credential => ({ authorization: `Bearer ${credential}` })],
      ['token', credential => ({ authorization: `token ${credential}` })],
      ['basic', credential => ({ authorization: `Basic ${btoa(`u:${credential}`)}` })],
    ];
    for (const { method, path, access } of adminRoutes.filter(each => each.access === 'admin')) {
      for (const [who, credential] of Object.entries(credentials)) {
        for (const [form, headers] of credential === undefined ? forms.slice(0, 1) : forms) {
          const sent = credential === undefined ? {} : headers(credential);
          const answer = await askHost(host, method, pathOf(path), { headers: sent, body: {} });
          t.equal(answer.status, 401, `${access}: ${method} ${path} by ${who} as ${form}`);
        }
      }
      // 5.2-4: these two forms and no other.
      const opening = new Set(['x-wrld-token', 'bearer']);
      for (const [form, headers] of forms) {
        if (method === 'DELETE' || path.endsWith('/rotate')) continue;
        const answer = await askHost(host, method, pathOf(path), { headers: headers(admin), body: {} });
        if (opening.has(form)) t.not(answer.status, 401, `${method} ${path} by the admin as ${form}`);
        else t.equal(answer.status, 401, `${method} ${path} by the admin as ${form}`);
      }
    }
    let tried = 0;
    for (const { method, path, access } of routes) {
      if (access === 'open' || access === 'sign-in' || access === 'keyless') continue;
      if (!path.includes('<org>/<world>')) continue;
      for (const [form, headers] of forms) {
        const wanted = method === 'ANY' ? 'POST' : method;
        const answer = await askHost(host, wanted, pathOf(path), { headers: headers(admin), body: {} });
        t.equal(answer.status, 401, `${wanted} ${path} by the admin as ${form}`);
        tried += 1;
      }
    }
    t.ok(tried > 100, 'every endpoint of a world was tried');
    const session = await askHost(host, 'POST', '/-/acme/shop/session', { token: admin });
    t.ok(session.status === 401 || session.status === 409, 'and it opens no session');
    t.match(
      await askHost(host, 'GET', '/-/acme/shop/map', { token }),
      { status: 200 },
      'the world is as it was',
    );
    t.match(
      await askHost(host, 'GET', '/-/other/shop/map', { token }),
      { status: 401 },
      'nor does one world’s another',
    );
  },
);

t.test('[4.10, 5.3-2] at a world’s own origin that world alone answers', async t => {
  const directory = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop');
  for (const [suffix, origin] of [
    [undefined, 'shop--acme.localhost'],
    ['.worlds.example.com', 'shop--acme.worlds.example.com'],
  ] as const) {
    await using host = await startHostQuietly(directory, suffix === undefined ? {} : { suffix });
    const admin = host.adminToken.secret.reveal();
    const named = suffix === undefined ? `${origin}:${new URL(host.baseUrl).port}` : origin;
    const at = { host: named };
    t.match(await askHost(host, 'GET', '/-/worlds', { token: admin, headers: at }), { status: 404 });
    t.match(await askHost(host, 'GET', '/-/acme/shop/map', { token, headers: at }), { status: 200 });
    const ghost = { host: named.replace('shop--', 'ghost--') };
    t.match(await askHost(host, 'GET', '/-/worlds', { token: admin, headers: ghost }), {
      status: 404,
      json: { error: { code: 'no-such-world' } },
    });
    const scheme = suffix === undefined ? 'http' : 'https';
    t.match(await askHost(host, 'POST', '/-/acme/shop/session', { token }), {
      status: 409,
      json: { origin: `${scheme}://${named}` },
    });
    const opened = await askHost(host, 'POST', '/-/acme/shop/session', { token, headers: at });
    t.match(opened, { status: 200, json: { scope: 'write', origin: `${scheme}://${named}` } });
    // 5.3-4: what ends TLS in front is on this machine too; a page elsewhere is let in by nothing.
    const page = { ...at, origin: `${scheme}://${named}`, 'sec-fetch-site': 'same-origin' };
    const local = await askHost(host, 'POST', '/-/acme/shop/session', { headers: page });
    t.equal(local.status, suffix === undefined ? 200 : 401, 'with nothing presented');
  }
});

t.test('[5.3-4] behind something in front, a local name lets nobody in', async t => {
  const directory = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop');
  await using host = await startHost({
    directory,
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'https://worlds.example.com',
    budget: null,
    log: openLog('silent'),
  });
  t.equal(host.baseUrl, 'https://worlds.example.com');
  const at = { baseUrl: host.listensAt };
  const named = `shop--acme.localhost:${new URL(host.listensAt).port}`;
  const page = { host: named, origin: `http://${named}`, 'sec-fetch-site': 'same-origin' };
  t.match(await askHost(at, 'POST', '/-/acme/shop/session', { headers: page }), { status: 401 });
  const { host: _, ...elsewhere } = page;
  t.match(await askHost(at, 'POST', '/-/acme/shop/session', { headers: elsewhere }), { status: 401 });
  const manifest = await askHost(at, 'GET', '/acme/shop/.well-known/wrld-world', { token });
  t.match(manifest.json.vendors, { stripe: 'https://worlds.example.com/acme/shop/stripe' });
});

t.test('[4.10] what is none of its endpoints', async t => {
  await using host = await startHostQuietly(await hostDirectory(t));
  const admin = host.adminToken.secret.reveal();
  for (const [method, path, status, code] of [
    ['GET', '/acme/none/stripe/v1/customers', 404, 'no-such-world'],
    ['GET', '/-/acme/none/map', 404, 'no-such-world'],
    ['GET', '/-/worlds/acme', 404, 'no-such-endpoint'],
    ['GET', '/-/console/x', 404, 'no-such-endpoint'],
    ['DELETE', '/-/worlds', 405, 'other-method'],
    ['GET', 'ftp://host/', 400, 'bad-target'],
  ] as const)
    t.match(await askHost(host, method, path, { token: admin }), { status, json: { error: { code } } }, path);
  t.match(await askHost(host, 'GET', '/'), { status: 200, text: /Worlds are served here/ });
  t.match(await askHost(host, 'GET', '/reference/refusals'), { status: 200, text: /not-granted/ });
  t.match(await askHost(host, 'GET', '/-/openapi.json'), { status: 200, json: { openapi: '3.1.1' } });
  t.match(await askHost(host, 'GET', '/-/health'), {
    status: 200,
    json: { status: 'up', worlds: 0, open: 0 },
  });
});
