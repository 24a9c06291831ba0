// The endpoints of roots (4.6), and what a root changes of a twin's answers (2.2, 2.7, 2.13, 5.5).
import t from 'tap';
import { answer, type NotePage, noteVendor, put, rootedNote } from '../../kit/rooted-note.ts';
import { openTestSite, type TestSite } from '../../kit/site.ts';

const OWN = '/-/acme/notes/twins/note';
const PAGE: NotePage = { anew: true, put: [put('a', { text: 'A' })], cursor: 'x' };

const open = (said: () => NotePage | ReturnType<typeof answer> = () => PAGE): Promise<TestSite> =>
  openTestSite({ twins: { note: rootedNote() }, vendors: { asks: noteVendor(said) } });

const asker =
  (site: TestSite, token: string = site.token) =>
  (method: string, target: string, body?: unknown) =>
    site.ask({
      method,
      target,
      headers: [['x-wrld-token', token]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

t.test('[4.6] PUT and GET …/root', async t => {
  await using site = await open();
  const ask = asker(site);
  t.match(await ask('GET', `${OWN}/root`), { status: 200, json: null });
  const root = { url: 'https://notes.test', deploy: 'manual', refresh: { every: null, atMost: '1m' } };
  t.match(await ask('PUT', `${OWN}/root`, { url: 'https://notes.test/' }), { status: 200, json: root });
  t.strictSame((await ask('GET', `${OWN}/root`)).json, root);
  t.strictSame((await ask('GET', '/-/acme/notes/map')).json.twins[0].root, root);
  t.match(await ask('PUT', `${OWN}/root`, { url: 'http://notes.test' }), {
    status: 400,
    json: { error: { code: 'bad-root', message: /is not https/ } },
  });
  t.match(
    await site.ask({
      method: 'PUT',
      target: `${OWN}/root`,
      headers: [['x-wrld-token', site.token]],
      body: '{',
    }),
    {
      status: 400,
      json: { error: { code: 'bad-body' } },
    },
  );
  t.strictSame((await ask('GET', `${OWN}/root`)).json, root, 'what is refused changes nothing');
  t.match(await ask('PUT', `${OWN}/root`, null), { status: 200, json: null });
  t.equal((await ask('PUT', '/-/acme/notes/twins/none/root', root)).status, 404);
  t.equal((await asker(site, site.readToken)('PUT', `${OWN}/root`, root)).status, 403);
});

t.test('[5.6] a key sets no root', async t => {
  await using site = await open();
  const made = await asker(site)('POST', '/-/acme/notes/keys', { name: 'ci', scope: 'write' });
  const put = await asker(site, made.json.secret ?? made.json.key)('PUT', `${OWN}/root`, {
    url: 'https://notes.test',
  });
  t.equal(put.status, 403);
});

t.test('[5.5] [2.2] [2.7] a rooted twin says so, and when its vendor was last seen whole', async t => {
  await using site = await open();
  const ask = asker(site);
  const seen = async (target: string): Promise<string | undefined> =>
    (await ask('GET', target)).headers['x-wrld-observed-at'];
  t.equal((await ask('GET', '/acme/notes/note/twin')).json.root, false);
  await ask('PUT', `${OWN}/root`, { url: 'https://notes.test' });
  t.equal((await ask('GET', '/acme/notes/note/twin')).json.root, true);
  t.equal(await seen('/acme/notes/note/notes/a'), undefined, 'not before the first whole pass');
  t.match(await ask('POST', `${OWN}/refresh`), { status: 202, json: { started: true, nextAt: null } });
  await site.notes.world.roots.settled();
  const at = new Date(site.notes.wall.at).toISOString();
  t.equal(await seen('/acme/notes/note/notes/a'), at);
  t.equal(await seen('/acme/notes/note/notes/none'), at, 'on every answer of the vendor’s API');
  t.equal(await seen('/acme/notes/note/twin'), at);
  t.equal(await seen(`${OWN}/status`), undefined, 'and on none of the world’s own');
  t.equal(
    (await site.ask({ target: '/acme/notes/note/notes/a' })).headers['x-wrld-observed-at'],
    at,
    'of a refusal too',
  );
  t.match((await ask('GET', `${OWN}/status`)).json, {
    execution: { rootConnected: true, deploy: 'manual' },
    dataOrigin: 'vendor-refresh',
    root: { url: 'https://notes.test' },
    credential: { sealed: false },
    refresh: { lastAt: at, nextAt: null, progress: null, fault: null, conflicts: [] },
    receipt: null,
  });
  t.match(await ask('POST', `${OWN}/refresh`), {
    status: 202,
    json: { started: false, nextAt: new Date(site.notes.wall.at + 60_000).toISOString() },
  });
  t.match(await ask('POST', `${OWN}/refresh?force=1`), { status: 202, json: { started: true } });
  await site.notes.world.roots.settled();
});

t.test('[2.7] the receipt of the last action that was performed', async t => {
  await using site = await open();
  const rows = [
    ['gold', 'a1', 'deployed', 'note_9', 'https://notes.test/9', null, 10],
    ['gold', 'a2', 'refused', null, null, 'no such plan', 20],
    ['gold', 'a3', 'landed', null, null, null, 30],
  ] as const;
  for (const [name, action, status, external, url, reason, at] of rows)
    site.notes.sql.run(
      'INSERT INTO receipt(name, action, service, status, external, url, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      name,
      action,
      'note',
      status,
      external,
      url,
      reason,
      at,
    );
  t.strictSame((await asker(site)('GET', `${OWN}/status`)).json.receipt, {
    changeset: 'gold',
    actionId: 'a2',
    status: 'refused',
    at: '1970-01-01T00:00:00.020Z',
    reason: 'no such plan',
  });
});

t.test('[4.6] POST …/refresh of what has no root, and of one that fails', async t => {
  await using site = await open(() => answer(200, '<html>', [['Content-Type', 'text/html']]));
  const ask = asker(site);
  t.match(await ask('POST', `${OWN}/refresh`), {
    status: 409,
    json: { error: { code: 'no-root', message: /PUT/ } },
  });
  t.equal((await ask('POST', '/-/acme/notes/twins/none/refresh')).status, 404);
  await ask('PUT', `${OWN}/root`, { url: 'https://notes.test' });
  await ask('POST', `${OWN}/refresh`);
  await site.notes.world.roots.settled();
  t.match((await ask('GET', `${OWN}/status`)).json.refresh, { lastAt: null, fault: { message: /no JSON/ } });
});

t.test('[4.7] POST …/conflicts', async t => {
  let text = 'A';
  await using site = await open(() => ({ put: [put('a', { text })], cursor: 'x' }));
  const ask = asker(site);
  t.equal((await ask('POST', `${OWN}/conflicts`, { take: 'ours' })).status, 409);
  await ask('PUT', `${OWN}/root`, { url: 'https://notes.test' });
  const refresh = async () => {
    await ask('POST', `${OWN}/refresh?force=1`);
    await site.notes.world.roots.settled();
  };
  await refresh();
  await ask('PUT', '/acme/notes/note/notes/a', { text: 'here' });
  text = 'there';
  await refresh();
  t.strictSame((await ask('GET', `${OWN}/status`)).json.refresh.conflicts, [
    { type: 'note', id: 'a', field: '/text', base: 'A', ours: 'here', theirs: 'there' },
  ]);
  for (const body of [{}, { take: 'both' }, { take: 'ours', type: 'note' }, { take: 'ours', id: 7 }])
    t.equal((await ask('POST', `${OWN}/conflicts`, body)).status, 400, JSON.stringify(body));
  t.equal((await ask('POST', `${OWN}/conflicts`, { take: 'ours', type: 'note', id: 'b' })).status, 404);
  t.match(await ask('POST', `${OWN}/conflicts`, { take: 'theirs' }), { status: 200, json: { resolved: 1 } });
  t.match((await ask('GET', '/acme/notes/note/notes/a')).json, { text: 'there' });
});

t.test('[2.8] a reset keeps the root, and copies it from its beginning', async t => {
  const asked: string[] = [];
  const vendor = noteVendor(after => {
    asked.push(after);
    return PAGE;
  });
  await using site = await openTestSite({ twins: { note: rootedNote() }, vendors: { asks: vendor } });
  const ask = asker(site);
  await ask('PUT', `${OWN}/root`, { url: 'https://notes.test' });
  await ask('POST', `${OWN}/refresh`);
  const { world, sql } = site.notes;
  await world.roots.settled();
  const { emptyWorld } = await import('../../../control/world/past/rewind.ts');
  await world.rewrite(() => sql.durable(() => emptyWorld(sql)));
  t.match((await ask('GET', `${OWN}/root`)).json, { url: 'https://notes.test' });
  t.equal(world.roots.observedAt('note'), null);
  await ask('POST', `${OWN}/refresh`);
  await world.roots.settled();
  t.strictSame(asked, ['', '']);
  t.match((await ask('GET', '/acme/notes/note/notes/a')).json, { text: 'A' });
});
