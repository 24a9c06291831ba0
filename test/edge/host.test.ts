// The host's own endpoints on the edge (4.11), on real workerd: what 4.10 answers, and what the edge has besides.
import t from 'tap';
import { within } from '../kit/deadline.ts';
import { edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost, type HostAsk } from '../kit/many-worlds.ts';

const edge = await startEdge();
t.teardown(() => edge[Symbol.asyncDispose]());

const token = edge.admin;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const ask = (method: string, path: string, more: HostAsk = {}) => askHost(edge, method, path, more);
const admin = (method: string, path: string, body?: object) =>
  ask(method, path, { token, ...(body && { body }) });
const customer = (name: string, place: { readonly token: string }, email = 'a@acme.test') =>
  ask('POST', `/${name}/stripe/v1/customers`, { token: place.token, headers: form, body: `email=${email}` });

async function emails(name: string, place: { readonly token: string }): Promise<readonly string[]> {
  const { json } = await ask('GET', `/${name}/stripe/v1/customers`, { token: place.token });
  return json.data.map(({ email }: { readonly email: string }) => email);
}

t.test(
  '[4.11] ping, inventory, making, owner, vendors, rotation and removal, as on the other host',
  async t => {
    t.strictSame((await ask('GET', '/-/ping')).json, { worlds: [] });
    t.strictSame((await admin('GET', '/-/vendors')).json, {
      vendors: ['anthropic', 'openai', 'smtp', 'stripe'],
    });
    const shop = await edgeWorld(edge, 'acme/shop', { vendors: ['stripe', 'smtp'] });
    const row = {
      org: 'acme',
      world: 'shop',
      name: 'acme/shop',
      base: `${edge.baseUrl}/acme/shop`,
      token: shop.token,
      readToken: shop.readToken,
      twins: [
        { vendor: 'smtp', protocol: 'smtp', root: null },
        { vendor: 'stripe', protocol: 'http', root: null },
      ],
    };
    t.strictSame((await admin('GET', '/-/worlds')).json, { worlds: [row] });
    t.strictSame((await ask('GET', '/-/ping')).json, { worlds: ['acme/shop'] });
    t.match(await ask('GET', '/-/health'), { status: 200, json: { status: 'up', worlds: 1 } });
    t.match(await ask('GET', '/-/acme/shop/map', { token: shop.token }), { status: 200 });
    // A world tells what it answered by itself.
    const counted = async (): Promise<string> => {
      for (;;) {
        const { text } = await admin('GET', '/-/metrics');
        if (text.includes('world="acme/shop"')) return text;
      }
    };
    const text = await within('its answers are counted', counted());
    t.match(text, 'wrld_host_worlds 1\n');
    t.match(text, 'wrld_host_worlds_opened_total 1\n');
    t.match(text, 'wrld_host_world_requests_total{world="acme/shop",class="2xx"} 1\n');
    t.equal((await ask('GET', '/-/metrics', { token: shop.token })).status, 401);

    const body = { org: 'other', world: 'crm', vendors: ['openai'], owner: 'other-inc' };
    const made = await admin('POST', '/-/worlds', body);
    t.match(made, {
      status: 201,
      json: { name: 'other/crm', owner: 'other-inc', token: /^tok_w_/, readToken: /^tok_r_/ },
    });
    t.match(await admin('POST', '/-/worlds', body), { status: 409, json: { error: { code: 'taken' } } });

    const own = (name: string, owner: string) => admin('PUT', `/-/worlds/${name}/owner`, { owner });
    t.match(await own('acme/shop', 'acme-inc'), { status: 200, json: { owner: 'acme-inc' } });
    t.match(await own('acme/shop', 'acme-inc'), { status: 200 }, 'the same once more');
    t.match(await own('acme/shop', 'thieves'), { status: 409, json: { error: { code: 'owned' } } });
    t.match(await own('acme/none', 'acme-inc'), { status: 404 });

    const rotated = await admin('POST', '/-/worlds/acme/shop/rotate');
    t.match(rotated, { status: 200, json: { name: 'acme/shop', token: /^tok_w_/, readToken: /^tok_r_/ } });
    t.match(await ask('GET', '/-/acme/shop/map', { token: shop.token }), { status: 401 });
    t.match(await ask('GET', '/-/acme/shop/map', { token: rotated.json.token }), { status: 200 });
    const again = await ask('POST', '/-/acme/shop/rotate', { token: rotated.json.token });
    t.match(
      (await admin('GET', '/-/worlds')).json.worlds[0],
      { token: again.json.token },
      'by the world itself',
    );
    t.match(await admin('POST', '/-/worlds/acme/none/rotate'), { status: 404 });

    t.match(await admin('DELETE', '/-/worlds/other/crm'), { status: 204 });
    t.match(await admin('DELETE', '/-/worlds/other/crm'), { status: 404 });
    t.match(await ask('GET', '/-/other/crm/map', { token: made.json.token }), {
      status: 404,
      json: { error: { code: 'no-such-world' } },
    });
    t.match(await admin('DELETE', '/-/worlds/acme/shop'), { status: 204 });
  },
);

t.test('[4.11] a world of a name that was taken before has nothing of the one before it', async t => {
  const first = await edgeWorld(edge, 'acme/again');
  t.equal((await customer('acme/again', first)).status, 200);
  const large = 'z'.repeat(600_000);
  const put = await ask('PUT', '/-/acme/again/browsers/one', {
    token: first.token,
    headers: { 'content-type': 'application/json' },
    body: {
      cookies: [],
      origins: [{ origin: 'https://a.test', localStorage: [{ name: 'n', value: large }] }],
    },
  });
  t.equal(put.status, 200);
  t.match(await admin('DELETE', '/-/worlds/acme/again'), { status: 204 });
  const second = await edgeWorld(edge, 'acme/again');
  t.match(await ask('GET', '/-/acme/again/map', { token: first.token }), { status: 401 });
  t.strictSame(await emails('acme/again', second), []);
  t.strictSame((await ask('GET', '/-/acme/again/browsers', { token: second.token })).json, { browsers: [] });
  const { objects } = await (await edge.miniflare.getR2Bucket('BLOBS')).list();
  t.strictSame(objects, [], 'nor does the bucket');
});

t.test('[4.11] what cannot be made is refused with the reason', async t => {
  const good = { org: 'acme', world: 'bad', vendors: ['stripe'] };
  const fits = 'a'.repeat(24);
  for (const [change, status, why] of [
    [{ org: 'worlds' }, 400, /need “worlds” for themselves/],
    [{ world: 'x'.repeat(58) }, 400, /longer than 61 characters/],
    [{ vendors: ['stipe'] }, 400, /no twin “stipe”; there are anthropic/],
    [{ vendors: ['stripe', 'stripe'] }, 400, /twice/],
    [{ token: 'short', readToken: fits }, 400, /24 to 256/],
    [{ token: `${fits}!`, readToken: fits }, 400, /24 to 256/],
    [{ token: 'a'.repeat(257) }, 400, /24 to 256/],
    [{ token: fits, readToken: fits }, 400, /the same/],
    [{ token: 7 }, 400, /texts/],
    [{ token }, 400, /the admin token of this host/],
    [{ readToken: token }, 400, /the admin token of this host/],
    [{ from: 'acme/again', token }, 400, /the admin token of this host/],
    [{ from: 7 }, 400, /`from` is a text/],
    [{ from: 'acme/none' }, 404, /no world of this host/],
    [{ from: '../..' }, 404, /no world of this host/],
    [{ form: 'acme/none' }, 400, /unknown field/],
  ] as const) {
    const answer = await admin('POST', '/-/worlds', { ...good, ...change });
    t.equal(answer.status, status, JSON.stringify(change));
    t.match(answer.json.error.message, why);
  }
  t.strictSame((await ask('GET', '/-/ping')).json, { worlds: ['acme/again'] });
});

t.test('[4.11] credentials that the callers hold already are adopted', async t => {
  const held = { token: 'held_already-0123456789abcdef', readToken: 'held_to_read-0123456789abcdef' };
  const made = await edgeWorld(edge, 'acme/adopts', held);
  t.match(made, held);
  t.equal((await customer('acme/adopts', made)).status, 200);
  t.match(await ask('GET', '/-/acme/adopts/map', { token: held.readToken }), { status: 200 });
  t.match(await ask('GET', '/-/acme/adopts/keys', { token: held.readToken }), { status: 403 });
  const bearer = { authorization: `Bearer ${held.token}` };
  t.match(await ask('GET', '/acme/adopts/stripe/v1/customers', { headers: bearer }), { status: 200 });
  const one = await edgeWorld(edge, 'acme/adopts-one', { token: 'held_by_writers-0123456789' });
  t.match(one, { token: 'held_by_writers-0123456789', readToken: /^tok_r_/ });
  t.match(await ask('GET', '/-/acme/adopts-one/map', { token: one.readToken }), { status: 200 });
});

t.test('[4.11] a branch begins where its parent is, reads its past, and holds it', async t => {
  const parent = await edgeWorld(edge, 'acme/parent');
  await customer('acme/parent', parent, 'before@acme.test');
  const named = await edgeWorld(edge, 'acme/named', { from: 'acme/parent', owner: 'acme-inc' });
  await customer('acme/parent', parent, 'after@acme.test');
  t.strictSame(await emails('acme/named', named), ['before@acme.test']);
  await customer('acme/named', named, 'own@acme.test');
  t.strictSame(await emails('acme/named', named), ['own@acme.test', 'before@acme.test']);
  t.strictSame(await emails('acme/parent', parent), ['after@acme.test', 'before@acme.test']);
  const positions: number[] = [];
  for (let after = '0'; after !== null; ) {
    const page = await ask('GET', `/-/acme/named/log/stripe?after=${after}`, { token: named.token });
    positions.push(...page.json.entries.map(({ position }: { readonly position: number }) => position));
    after = page.json.next;
  }
  t.strictSame(positions, [1, 2], 'its log has its parent’s, and goes on from there');
  const listed = await ask('GET', '/-/acme/parent/branches', { token: parent.token });
  t.match(listed.json.branches, [{ name: 'acme/named', from: 'acme/parent' }]);
  t.match(await ask('GET', '/-/acme/parent/map', { token: named.token }), { status: 401 });
  t.match(await ask('GET', '/-/acme/named/map', { token: parent.token }), { status: 401 });

  const child = await ask('POST', '/-/acme/named/branches', { token: named.token, body: { label: 'try' } });
  t.match(child, { status: 201, json: { name: /^acme\/parent-try-[0-9a-f]{4}$/ } });
  t.strictSame(await emails(child.json.name, child.json), ['own@acme.test', 'before@acme.test']);

  for (const held of ['acme/parent', 'acme/named'])
    t.match(await admin('DELETE', `/-/worlds/${held}`), {
      status: 409,
      json: { error: { code: 'has-branches' } },
    });
  t.match(await ask('DELETE', `/-/acme/parent/branches/${child.json.name}`, { token: parent.token }), {
    status: 404,
  });
  t.match(await ask('DELETE', `/-/acme/named/branches/${child.json.name}`, { token: named.token }), {
    status: 204,
  });
  t.match(await ask('GET', `/-/${child.json.name}/map`, { token: child.json.token }), { status: 404 });
  t.match(await admin('PUT', '/-/worlds/acme/named/owner', { owner: 'x' }), { status: 409 });
  t.match(
    await admin('POST', '/-/worlds', { org: 'acme', world: 'named', vendors: [], from: 'acme/parent' }),
    {
      status: 409,
    },
  );
  t.match(await admin('DELETE', '/-/worlds/acme/named'), { status: 204 });
  t.strictSame((await ask('GET', '/-/acme/parent/branches', { token: parent.token })).json, { branches: [] });
  t.match(await admin('DELETE', '/-/worlds/acme/parent'), { status: 204 });
});

t.test(
  '[4.11] [4.7] a world comes back to its savepoint, an instant or nothing, and its checks judge',
  async t => {
    const name = 'acme/back';
    const { token } = await edgeWorld(edge, name, { vendors: ['stripe', 'openai'] });
    const own = (method: string, path: string, body?: object) =>
      ask(method, `/-/${name}/${path}`, { token, ...(body && { body }) });
    const toSavepoint = { to: { savepoint: true } };
    t.match(await own('POST', 'reset', toSavepoint), {
      status: 409,
      json: { error: { code: 'no-savepoint' } },
    });
    await customer(name, { token }, 'ada@acme.test');
    const handlers = { version: 1, handlers: [{ id: 'a', match: {}, reply: { text: 'x' } }] };
    t.equal((await own('PUT', 'twins/openai/scenario', handlers)).status, 204);
    t.equal((await own('PUT', 'savepoint')).status, 204);
    const { at } = (await own('GET', 'clock')).json;
    for (let round = 0; round < 2; round += 1) {
      await customer(name, { token }, 'bob@acme.test');
      t.equal((await own('DELETE', 'twins/openai/scenario')).status, 204);
      await own('PUT', 'clock', { at: '2100-01-01T00:00:00Z' });
      t.match(await own('POST', 'reset', toSavepoint), {
        status: 200,
        json: { to: 'savepoint', positions: { stripe: 1 } },
      });
      t.strictSame(await emails(name, { token }), ['ada@acme.test']);
      t.match((await own('GET', 'clock')).json, { frozen: false }, 'it runs again');
      t.strictSame((await own('GET', 'twins/openai/scenario')).json, handlers);
    }
    const branch = (await own('POST', 'branches', {})).json;
    t.match(await own('POST', 'reset', toSavepoint), {
      status: 409,
      json: { error: { code: 'has-branches' } },
    });
    t.equal((await ask('PUT', `/-/${branch.name}/savepoint`, { token: branch.token })).status, 404);
    t.match(await ask('POST', `/-/${branch.name}/reset`, { token: branch.token }), {
      status: 409,
      json: { error: { code: 'is-branch' } },
    });
    t.equal((await own('DELETE', `branches/${branch.name}`)).status, 204);

    const source = `let seen = 0; export const check = { name: 'known', run(entry, tree) {
    const all = tree.list('customer');
    const last = all.at(-1);
    return { ok: false, message: [++seen, all.length, tree.get('customer', last.id).email].join() };
  } };`;
    const asText = (text: string) => ({
      token,
      headers: { 'content-type': 'application/javascript' },
      body: text,
    });
    t.equal((await ask('PUT', `/-/${name}/checks/known`, asText(source))).status, 200);
    t.match(await ask('PUT', `/-/${name}/checks/bad`, asText('export const check = 1')), { status: 400 });
    await customer(name, { token }, 'eve@acme.test');
    const cut = (await own('POST', 'changesets', { message: 'two', name: 'two' })).json;
    const verified = await own('POST', `changesets/${cut.name}/verify`);
    t.match(
      verified.json.verification.failures.map(({ message }: { readonly message: string }) => message),
      ['1,1,ada@acme.test', '2,2,eve@acme.test'],
    );

    t.match(await own('POST', 'reset', { to: { instant: '2400-01-01T00:00:00Z' } }), { status: 400 });
    t.match(await own('POST', 'reset', { to: { instant: at } }), {
      status: 200,
      json: { positions: { stripe: 1 } },
    });
    t.strictSame(await emails(name, { token }), ['ada@acme.test']);
    t.match(await own('POST', 'reset'), { status: 200, json: { to: 'nothing' } });
    t.strictSame(await emails(name, { token }), []);
    t.match((await own('GET', 'checks')).json, { checks: [{ name: 'known' }] }, 'how it is set up stays');
    t.match(await own('POST', 'reset', toSavepoint), { status: 200 }, 'and the savepoint is still there');
    t.strictSame(await emails(name, { token }), ['ada@acme.test']);
    t.equal((await admin('DELETE', `/-/worlds/${name}`)).status, 204);
  },
);

t.test('[4.11] a twin’s state is brought from another world, whole, and once', async t => {
  const from = await edgeWorld(edge, 'acme/from');
  await customer('acme/from', from, 'one@acme.test');
  await customer('acme/from', from, 'two@acme.test');
  const checkpoint = await ask('GET', '/-/acme/from/checkpoint/stripe', { token: from.token });
  const to = await edgeWorld(edge, 'acme/to', { vendors: ['stripe', 'openai'] });
  const bring = (body: object, name = 'acme/to') => admin('PUT', `/-/worlds/${name}/import`, body);
  const files = { '.wrld/world/stripe/checkpoint.json': checkpoint.text };
  for (const [body, status, why] of [
    [{ twin: 'stripe' }, 400, /`files` is an object/],
    [{ twin: 'stripe', files: {} }, 400, /`files` is an object/],
    [{ twin: 'github', files }, 404, /no twin “github”/],
    [{ twin: 'openai', files }, 400, /no records of the type/],
    [{ twin: 'stripe', files: { '../../etc/passwd': '' } }, 400, /is no \.wrld\/world/],
    [{ twin: 'stripe', files: { '.wrld/world/stripe/state.db': '' } }, 400, /is no state file/],
    [{ twin: 'stripe', files: { '.wrld/world/stripe/checkpoint.json': '{' } }, 400, /checkpoint\.json is/],
    [
      { twin: 'stripe', files: { ...files, [`.wrld/world/stripe/blobs/${'0'.repeat(64)}`]: 'AAAA' } },
      400,
      /another SHA-256/,
    ],
  ] as const) {
    const answer = await bring(body);
    t.equal(answer.status, status, JSON.stringify(body).slice(0, 80));
    t.match(answer.json.error.message, why);
  }
  t.strictSame(await emails('acme/to', to), [], 'nothing of those was placed');
  t.match(await bring({ twin: 'stripe', files }, 'acme/none'), { status: 404 });
  const brought = await bring({ twin: 'stripe', files });
  t.match(brought, { status: 200, json: { name: 'acme/to', twin: 'stripe', position: 1 } });
  t.strictSame(await emails('acme/to', to), ['two@acme.test', 'one@acme.test']);
  const there = await ask('GET', '/-/acme/to/checkpoint/stripe', { token: to.token });
  t.strictSame(there.json.records, checkpoint.json.records, 'record for record');
  t.match(await bring({ twin: 'stripe', files }), { status: 409, json: { error: { code: 'has-history' } } });
  const cut = await ask('POST', '/-/acme/to/changesets', { token: to.token, body: { message: 'all of it' } });
  t.equal(cut.status, 400, 'and nobody deploys what was brought');
});

t.test('[4.11-5] a world names its code on its answers', async t => {
  const world = await edgeWorld(edge, 'acme/coded');
  for (const [path, status] of [
    ['/acme/coded/stripe/v1/customers', 200],
    ['/-/acme/coded/map', 200],
    ['/-/acme/coded/nothing', 404],
  ] as const) {
    const answer = await ask('GET', path, { token: world.token });
    t.match(answer, { status, headers: { 'x-wrld-world-code': edge.code } }, path);
  }
});
