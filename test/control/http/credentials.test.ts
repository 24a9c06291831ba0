import t from 'tap';
import type { Root } from '../../../control/world/roots/root.ts';
import { openTestSite, type TestSite } from '../../kit/site.ts';
import { standInSealer } from '../../kit/stand-in-sealer.ts';

const ROOT: Root = {
  url: 'https://api.note.test/base',
  deploy: 'never',
  refresh: { every: null, atMost: '1m' },
};
const CREDENTIAL = '/-/acme/notes/twins/note/credential';
const SECRET = 'sk_live_of_nobody';
const WEBHOOK = 'whsec_of_nobody';

const rooted = ({ notes }: TestSite, root: Root = ROOT) => notes.world.roots.put('note', root);

t.test('[2.9] [4.6] a credential is sealed for where its vendor is, and never read back', async t => {
  const { sealer } = standInSealer();
  await using site = await openTestSite({ ports: { sealer } });
  const { token } = site;
  const ask = (method: string, target: string, body?: unknown, presented = token) =>
    site.ask({
      method,
      target,
      headers: [['x-wrld-token', presented]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  t.match(await ask('GET', CREDENTIAL), { status: 200, json: { sealed: false } });
  const none = await ask('PUT', CREDENTIAL, { credential: SECRET });
  t.match(none, {
    status: 409,
    json: { error: { code: 'no-vendor', message: /neither a root nor a link/ } },
  });

  await rooted(site);
  const put = await ask('PUT', CREDENTIAL, { credential: SECRET, signingSecret: WEBHOOK });
  const state = {
    sealed: true,
    sealedBy: 'vault',
    boundTo: 'https://api.note.test',
    at: '2026-01-31T00:00:00.000Z',
  };
  t.strictSame([put.status, put.json], [200, state]);
  const got = await ask('GET', CREDENTIAL);
  t.strictSame([got.status, got.json], [200, state]);

  const opened = await site.notes.world.real.credentials.open('note');
  t.ok(opened.ok && opened.credential.shown.as === 'key' && opened.credential.shown.key.reveal() === SECRET);
  t.ok(opened.ok && opened.credential.signingSecret?.reveal() === WEBHOOK);
  t.equal(JSON.stringify(opened).includes(SECRET), false, 'and does not print');

  const rows = JSON.stringify(site.notes.sql.all('SELECT * FROM seal'));
  const bytes = site.notes.sql.all<{ sealed: Uint8Array }>('SELECT sealed FROM seal');
  const plain = rows + bytes.map(({ sealed }) => Buffer.from(sealed).toString('latin1')).join('');
  for (const secret of [SECRET, WEBHOOK]) t.notMatch(plain, secret, 'nothing of it lies in the store');

  await rooted(site, { ...ROOT, url: 'https://api.elsewhere.test' });
  t.match(await site.notes.world.real.credentials.open('note'), { ok: false, why: 'other-origin' });
  await ask('PUT', CREDENTIAL, { credential: SECRET });
  t.match(await site.notes.world.real.credentials.open('note'), {
    ok: true,
    origin: 'https://api.elsewhere.test',
  });
  t.match(site.notes.logged, [], 'and the log says nothing');
});

t.test('[5.6] a key seals nothing and wraps nothing; the read token sees nothing of it', async t => {
  await using site = await openTestSite({ ports: { sealer: standInSealer().sealer } });
  await rooted(site);
  const keyed = await site.ask({
    method: 'POST',
    target: '/-/acme/notes/keys',
    headers: [['x-wrld-token', site.token]],
    body: JSON.stringify({ name: 'ci', scope: 'write' }),
  });
  const headers = [['x-wrld-token', keyed.json.key]] as const;
  const body = JSON.stringify({ credential: SECRET });
  t.equal((await site.ask({ method: 'PUT', target: CREDENTIAL, headers, body })).status, 403);
  t.equal(
    (await site.ask({ method: 'POST', target: '/-/acme/notes/credentials/rewrap', headers })).status,
    403,
  );
  t.equal((await site.ask({ target: CREDENTIAL, headers })).status, 200);
  const read = [['x-wrld-token', site.readToken]] as const;
  t.equal((await site.ask({ target: CREDENTIAL, headers: read })).status, 403);
  t.equal((await site.ask({ method: 'PUT', target: CREDENTIAL, body })).status, 401);
});

t.test('[4.6] what is no credential is refused, and nothing of it is repeated', async t => {
  await using site = await openTestSite({ ports: { sealer: standInSealer().sealer } });
  await rooted(site);
  const bad: readonly unknown[] = [
    {},
    [],
    null,
    'sk_live_1',
    { credential: '' },
    { credential: 7 },
    { credential: 'sk_live_secret\nX-Evil: 1' },
    { credential: 'sk_live_secretü' },
    { credential: ' sk_live_secret' },
    { credential: 'a', headers: { Authorization: 'b' } },
    { credential: 'a', more: 'sk_live_secret' },
    { headers: {} },
    { headers: { Host: 'sk_live_secret' } },
    { headers: { 'sk_live_secret\r\n': 'a' } },
    { headers: { Authorization: 'sk_live_secret\r\nX: 1' } },
    { headers: { 'Content-Length': '5' } },
    { headers: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`X-${n}`, 'a'])) },
    { credential: 'a', signingSecret: '' },
    { credential: 'a', signingSecret: null },
    { credential: 'x'.repeat(16_385) },
  ];
  for (const value of bad) {
    const answer = await site.ask({
      method: 'PUT',
      target: CREDENTIAL,
      headers: [['x-wrld-token', site.token]],
      body: JSON.stringify(value),
    });
    t.match(
      answer,
      { status: 400, json: { error: { code: 'bad-credential' } } },
      JSON.stringify(value)?.slice(0, 60),
    );
    t.notMatch(answer.text, /sk_live/);
  }
  const noJson = await site.ask({
    method: 'PUT',
    target: CREDENTIAL,
    headers: [['x-wrld-token', site.token]],
    body: 'credential=sk_live_secret',
  });
  t.match(noJson, { status: 400, json: { error: { code: 'bad-body' } } });
  t.notMatch(noJson.text, /sk_live/);
});

t.test('[4.6] a rotation: what was wrapped again, what was current, and what is left', async t => {
  const vault = standInSealer();
  await using site = await openTestSite({ ports: { sealer: vault.sealer } });
  await rooted(site);
  const rewrap = async () => {
    const headers = [['x-wrld-token', site.token]] as const;
    return await site.ask({ method: 'POST', target: '/-/acme/notes/credentials/rewrap', headers });
  };
  const headers = [['x-wrld-token', site.token]] as const;
  await site.ask({
    method: 'PUT',
    target: CREDENTIAL,
    headers,
    body: JSON.stringify({ credential: SECRET }),
  });
  t.strictSame((await rewrap()).json, { rewrapped: 0, current: 1, left: [] });
  vault.rotate();
  t.strictSame((await rewrap()).json, { rewrapped: 1, current: 0, left: [] });
  t.strictSame((await rewrap()).json, { rewrapped: 0, current: 1, left: [] });
  t.equal((await site.notes.world.real.credentials.open('note')).ok, true);
  vault.setAway(true);
  const away = await rewrap();
  t.match([away.status, away.headers['retry-after']], [503, /\d/]);
  const put = await site.ask({
    method: 'PUT',
    target: CREDENTIAL,
    headers,
    body: JSON.stringify({ credential: 'another' }),
  });
  t.equal(put.status, 503);
  vault.setAway(false);
  const opened = await site.notes.world.real.credentials.open('note');
  t.ok(opened.ok && opened.credential.shown.as === 'key' && opened.credential.shown.key.reveal() === SECRET);
});
