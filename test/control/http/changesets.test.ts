// Changesets, their rules, push and deploy over the endpoints (4.4, 4.5, 5.6): who may, and who is written down for it.
import t from 'tap';
import { JSON_TYPE, noteTwinWith, verify } from '../../kit/deploy-world.ts';
import { type GatedSite, openGatedSite } from '../../kit/gated-site.ts';
import { noteVendor, rootWith } from '../../kit/note-vendor.ts';
import { openTestSite } from '../../kit/site.ts';

const by = (credential: string) => [['x-wrld-token', credential]] as const;

const withVendor = () => {
  const vendor = noteVendor();
  const vendors = { asks: vendor.asks, root: () => rootWith('manual') };
  return { vendor, vendors, twins: { note: noteTwinWith('once') } };
};

const keyFor = async ({ ask, site }: GatedSite, body: object): Promise<string> =>
  (await ask({ method: 'POST', path: 'keys', headers: by(site.token), body })).json.key;

const note = ({ site }: GatedSite, id: string) => site.notes.ask('PUT', `/notes/${id}`, { n: 1 }, JSON_TYPE);

t.test('[4.5, 2.6] a cut records who made it and whose it is', async t => {
  await using gated = await openGatedSite();
  const { ask, site, fromPage } = gated;
  const cut = (name: string, more: object) =>
    ask({ method: 'POST', path: 'changesets', body: { message: 'why', name }, ...more });
  await note(gated, 'a');
  t.match(await cut('by-token', { headers: by(site.token) }), {
    status: 200,
    json: { name: 'by-token', cutBy: 'token', owner: null, entries: 1 },
  });
  t.match(await cut('again', { headers: by(site.token) }), {
    status: 400,
    json: { error: { code: 'nothing-to-cut' } },
  });
  await note(gated, 'b');
  const key = await keyFor(gated, { name: 'ci', for: 'sub-ann', forName: 'ann' });
  t.match((await cut('by-key', { headers: by(key) })).json, { cutBy: 'key:ci for:ann', owner: 'sub-ann' });
  await note(gated, 'c');
  const session = await gated.open(site.token);
  t.match((await cut('by-session', { session, headers: fromPage })).json, { cutBy: 'token', owner: null });
  t.match(await cut('by-session', { headers: by(site.token) }), { status: 409 });
  t.match(await cut('x', { headers: by(site.readToken) }), { status: 403 });
  t.match(await cut('x', {}), { status: 401 });
  const read = by(site.readToken);
  t.strictSame(
    (await ask({ path: 'changesets', headers: read })).json.changesets.map(
      ({ name }: { name: string }) => name,
    ),
    ['by-session', 'by-key', 'by-token'],
  );
  t.match(await ask({ path: 'changesets/by-key', headers: read }), { status: 200, json: { name: 'by-key' } });
  t.match(await ask({ path: 'changesets/none', headers: read }), { status: 404 });
});

t.test('[4.5] a key signs as its person whatever it says, the token as it says', async t => {
  await using gated = await openGatedSite();
  const { ask, site } = gated;
  await note(gated, 'a');
  await ask({
    method: 'POST',
    path: 'changesets',
    headers: by(site.token),
    body: { message: 'm', name: 'one' },
  });
  const approve = (headers: ReturnType<typeof by>, body: object) =>
    ask({ method: 'POST', path: 'changesets/one/approve', headers, body });
  t.match(await approve(by(site.token), {}), { status: 400, json: { error: { code: 'bad-person' } } });
  t.match((await approve(by(site.token), { as: 'bob', note: 'ok' })).json.approvals, [
    { person: 'bob', via: 'token' },
  ]);
  const key = await keyFor(gated, { name: 'ci', for: 'sub-ann', forName: 'ann' });
  t.match((await approve(by(key), { as: 'somebody' })).json.readiness, { approvers: ['bob', 'sub-ann'] });
  t.match(await approve(by(site.token), { as: 'x', note: 'n'.repeat(10_001) }), { status: 400 });
  t.match(await approve(by(site.token), { as: 7 }), { status: 400 });
  t.match(
    await ask({
      method: 'POST',
      path: 'changesets/none/approve',
      headers: by(site.token),
      body: { as: 'x' },
    }),
    { status: 404 },
  );
});

t.test('[2.13, 5.6] rules are changed by the token and a session, never by a key', async t => {
  await using gated = await openGatedSite();
  const { ask, site, fromPage } = gated;
  const put = (more: object, body: object = { changesets: { approvals: 2 } }) =>
    ask({ method: 'PUT', path: 'rules', body, ...more });
  t.match(await put({ headers: by(await keyFor(gated, { name: 'ci' })) }), { status: 403 });
  t.match(await put({ headers: by(site.token) }), { status: 200, json: { changesets: { approvals: 2 } } });
  t.match(
    await put(
      { session: await gated.open(site.token), headers: fromPage },
      { changesets: { summary: true } },
    ),
    { status: 200 },
  );
  t.strictSame((await ask({ path: 'rules', headers: by(site.readToken) })).json, {
    changesets: { summary: true },
  });
  for (const body of [
    {},
    { changesets: { approvals: -1 } },
    { changesets: { approvals: 1.5 } },
    { changesets: { x: 1 } },
  ])
    t.match(await put({ headers: by(site.token) }, body), { status: 400 });
});

t.test('[4.5] a session says what it deploys; who presents a token need not', async t => {
  const { vendor, ...vendored } = withVendor();
  await using gated = await openGatedSite(vendored);
  const { ask, site, fromPage } = gated;
  const cut = async (name: string): Promise<void> => {
    await site.notes.ask('POST', '/notes', { n: 1 }, JSON_TYPE);
    await ask({ method: 'POST', path: 'changesets', headers: by(site.token), body: { message: 'm', name } });
  };
  const deploy = (path: string, more: object) => ask({ method: 'POST', path, ...more });
  await cut('one');
  t.match(await deploy('deploy/one', { headers: by(site.token) }), {
    status: 409,
    json: { error: { code: 'not-ready', details: { reasons: ['not-verified'] } } },
  });
  verify(site.notes, 'one');
  const session = await gated.open(site.token);
  for (const body of [undefined, {}, { confirm: 'two' }, { confirm: 'acme/notes' }])
    t.match(
      await deploy('deploy/one', { session, headers: fromPage, ...(body && { body }) }),
      { status: 400, json: { error: { code: 'not-confirmed' } } },
      JSON.stringify(body),
    );
  t.match(await deploy('deploy', { session, headers: fromPage, body: { confirm: 'one' } }), { status: 400 });
  t.match(await deploy('deploy/one', { headers: by(site.token), body: { confirm: 'other' } }), {
    status: 400,
  });
  t.match(await deploy('deploy/one', { headers: by(site.readToken) }), { status: 403 });
  t.strictSame(vendor.asked, []);
  const done = await deploy('deploy/one', { session, headers: fromPage, body: { confirm: 'one' } });
  t.match(done, {
    status: 200,
    json: {
      changesets: [
        { name: 'one', stopped: null, deployed: [{ status: 'deployed', externalId: 'note_real00000001' }] },
      ],
    },
  });
  t.match((await ask({ path: 'log/note', headers: by(site.token) })).json.entries[0].receipt, {
    status: 'deployed',
  });
  await cut('two');
  verify(site.notes, 'two');
  t.match(await deploy('deploy', { session, headers: fromPage, body: { confirm: 'acme/notes' } }), {
    status: 200,
    json: { changesets: [{ name: 'two', deployed: [{ status: 'deployed' }] }] },
  });
  t.match(await deploy('deploy/none', { headers: by(site.token) }), { status: 404 });
});

t.test('[4.5] a changeset is read whole and pushed to another world as it is', async t => {
  await using from = await openGatedSite();
  await using to = await openTestSite({ world: 'acme/main' });
  await note(from, 'a');
  await from.ask({
    method: 'PUT',
    path: 'browsers/ann',
    headers: [...by(from.site.token), ['content-type', 'application/json']],
    body: {
      storageState: {
        cookies: [],
        origins: [{ origin: 'https://note.test', localStorage: [{ name: 'k', value: 'v-of-a-browser' }] }],
      },
      context: {},
    },
  });
  await from.ask({
    method: 'POST',
    path: 'changesets',
    headers: by(from.site.token),
    body: { message: 'm', name: 'one' },
  });
  const whole = await from.ask({ path: 'changesets/one?body=1', headers: by(from.site.readToken) });
  t.equal(whole.status, 200);
  await t.test('[storage invariant 13] without what browsers are opened with', async t => {
    t.notMatch(whole.text, /v-of-a-browser/);
    const seen = await from.ask({ path: 'browsers/ann', headers: by(from.site.token) });
    t.match(seen.text, /v-of-a-browser/);
  });
  const push = (body: string, headers: ReturnType<typeof by> = by(to.token)) =>
    to.ask({ method: 'POST', target: '/-/acme/main/push', headers, body });
  t.match(await push('{'), { status: 400 });
  t.match(await push('{}'), { status: 400, json: { error: { code: 'bad-changeset' } } });
  t.match(await push(whole.text.replace('"n":1', '"n":2')), {
    status: 400,
    json: { error: { code: 'bad-hash' } },
  });
  t.match(await push(whole.text, by(to.readToken)), { status: 403 });
  await to.notes.ask('PUT', '/notes/z', {});
  t.match(await push(whole.text), {
    status: 409,
    json: { error: { details: { drift: [{ twin: 'note', head: 1 }] } } },
  });
  await using fresh = await openTestSite({ world: 'acme/main' });
  const landed = await fresh.ask({
    method: 'POST',
    target: '/-/acme/main/push',
    headers: by(fresh.token),
    body: whole.text,
  });
  t.match(landed, {
    status: 200,
    json: {
      name: 'one',
      pushedBy: 'token',
      owner: null,
      applied: 'replayed',
      deployed: [{ status: 'landed' }],
    },
  });
  await using bare = await openTestSite({ world: 'acme/main', twins: { other: noteTwinWith('once') } });
  t.match(
    await bare.ask({
      method: 'POST',
      target: '/-/acme/main/push',
      headers: by(bare.token),
      body: whole.text,
    }),
    { status: 409, json: { error: { code: 'no-such-twin' } } },
  );
});
