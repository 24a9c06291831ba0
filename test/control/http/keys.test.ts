// Named keys over the real listener (2.10, 4.8, 5.6, security 13–14, 41–52).
import t from 'tap';
import { KEY_USE_WRITE_MS, KEYS_MAX } from '../../../control/world/limits.ts';
import { hex } from '../../../control/world/store/identifier.ts';
import { type GatedAnswer, type GatedSite, openGatedSite } from '../../kit/gated-site.ts';

const HOUR_MS = 3_600_000;

const by = (credential: string) => [['x-wrld-token', credential]] as const;

const make = (gated: GatedSite, body: object, more: object = {}): Promise<GatedAnswer> =>
  gated.ask({ method: 'POST', path: 'keys', headers: by(gated.site.token), body, ...more });

const list = async (gated: GatedSite) =>
  (await gated.ask({ path: 'keys', headers: by(gated.site.token) })).json.keys;

t.test('a key is made, listed, used and revoked', async t => {
  await using gated = await openGatedSite();
  const { site, ask } = gated;
  const made = await make(gated, { name: 'ci' });
  const { id, key } = made.json;
  await t.test('[4.8] its value is shown once', async t => {
    t.equal(made.status, 200);
    t.match(made.json, {
      id: /^key_[A-Za-z0-9]{16}$/,
      key: /^tok_k_[A-Za-z0-9_-]{43}$/,
      name: 'ci',
      scope: 'write',
    });
    const [row] = site.notes.sql.all<{ hash: Uint8Array }>('SELECT * FROM apikey');
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)));
    t.equal(hex(row!.hash), hex(digest), 'the store has its SHA-256 alone');
    t.notOk(JSON.stringify(row).includes(key));
  });
  await t.test('[2.10, security 47] the list has everything but the value', async t => {
    const answer = await ask({ path: 'keys', headers: by(site.token) });
    t.strictSame(answer.json, {
      keys: [
        {
          id,
          name: 'ci',
          scope: 'write',
          createdAt: new Date(site.notes.wall.at).toISOString(),
          lastUsedAt: null,
          expiresAt: null,
          for: null,
          person: null,
          createdBy: 'token',
        },
      ],
    });
    t.notMatch(answer.text, /tok_/);
  });
  await t.test('[4.8, 5.2] it opens the vendor API and the endpoints in every form of a token', async t => {
    for (const headers of [
      by(key),
      [['x-twins-key', key]],
      [['authorization', `Bearer ${key}`]],
      [['authorization', `token ${key}`]],
      [['authorization', `Basic ${btoa(`u:${key}`)}`]],
    ] as const) {
      t.equal((await ask({ path: 'clock', headers })).status, 200);
      const put = { method: 'PUT', path: '/acme/notes/note/notes/a', body: { tag: 'x' }, headers };
      t.equal((await ask(put)).status, 200);
    }
    const { json } = await ask({ path: 'timeline?limit=1', headers: by(key) });
    t.equal(json.entries[0].caller, 'key:ci');
    t.notMatch(JSON.stringify(json), new RegExp(key), '[security 52] the log names it and never shows it');
  });
  await t.test('its last use is told, and written no more often than a minute', async t => {
    const { wall, sql } = site.notes;
    const written = (): unknown => sql.get('SELECT used FROM apikey')?.['used'];
    const first = written();
    wall.at += KEY_USE_WRITE_MS - 1;
    await ask({ path: 'clock', headers: by(key) });
    t.equal(written(), first);
    t.equal((await list(gated))[0].lastUsedAt, new Date(wall.at).toISOString());
    wall.at += 1;
    await ask({ path: 'clock', headers: by(key) });
    t.equal(written(), wall.at);
  });
  await t.test('revoking ends that key alone', async t => {
    const other = (await make(gated, { name: 'other', scope: 'read' })).json;
    t.equal((await ask({ method: 'DELETE', path: `keys/${id}`, headers: by(site.token) })).status, 204);
    t.equal((await ask({ path: 'clock', headers: by(key) })).status, 401);
    t.equal((await ask({ path: 'clock', headers: by(other.key) })).status, 200);
    t.equal((await ask({ method: 'DELETE', path: `keys/${id}`, headers: by(site.token) })).status, 404);
  });
});

t.test('what a key may not', async t => {
  await using gated = await openGatedSite();
  const { site, ask, fromPage } = gated;
  const write = (await make(gated, { name: 'w' })).json;
  const read = (await make(gated, { name: 'r', scope: 'read' })).json;
  await t.test('[security 46, 5.6] manage keys or rotate', async t => {
    for (const { key } of [write, read])
      for (const [method, path, body] of [
        ['GET', 'keys'],
        ['POST', 'keys', { name: 'mine' }],
        ['DELETE', `keys/${read.id}`],
        ['DELETE', 'keys?person=u1'],
        ['POST', 'rotate'],
      ] as const) {
        const answer = await ask({ method, path, headers: by(key), ...(body && { body }) });
        t.equal(answer.status, 403, `${method} ${path}`);
      }
    t.equal((await list(gated)).length, 2);
  });
  await t.test('[5.1] a read-only one reads, and no more', async t => {
    t.equal((await ask({ path: 'clock', headers: by(read.key) })).status, 200);
    t.equal((await ask({ method: 'PUT', path: 'clock', body: {}, headers: by(read.key) })).status, 403);
    const put = { method: 'PUT', path: '/acme/notes/note/notes/a', body: {}, headers: by(read.key) } as const;
    t.equal((await ask(put)).status, 403);
  });
  await t.test('[5.1] get the world’s token back', async t => {
    const manifest = await ask({ path: '/acme/notes/.well-known/wrld-world', headers: by(write.key) });
    t.equal(manifest.json.env.WRLD_TWINS_KEY, write.key, 'its own, which it holds');
    t.notMatch(manifest.text, new RegExp(`${site.token}|${site.readToken}`));
  });
  await t.test('[security 14] open a session, if it writes', async t => {
    const answer = await ask({ method: 'POST', path: 'session', headers: [...by(write.key), ...fromPage] });
    t.equal(answer.status, 403);
    t.equal(answer.session, null);
  });
});

t.test('[5.3-6, security 13] a read-only key’s session', async t => {
  await using gated = await openGatedSite();
  const { site, ask, fromPage } = gated;
  const { wall } = site.notes;
  const reads = async (session: string): Promise<number> => (await ask({ path: 'clock', session })).status;
  const { id, key } = (await make(gated, { name: 'link', scope: 'read' })).json;
  const session = await gated.open(key);
  t.equal(await reads(session), 200);
  t.equal(
    (await ask({ method: 'PUT', path: 'clock', body: {}, session, headers: fromPage })).status,
    403,
    'reads only',
  );
  await ask({ method: 'DELETE', path: `keys/${id}`, headers: by(site.token) });
  t.equal(await reads(session), 401, 'ends when the key is revoked');
  const expiresAt = new Date(wall.at + HOUR_MS).toISOString();
  const short = (await make(gated, { name: 'hour', scope: 'read', expiresAt })).json;
  const made = await ask({ method: 'POST', path: 'session', headers: by(short.key) });
  t.match(made.headers['set-cookie']![0], /Max-Age=3600$/);
  wall.at += HOUR_MS - 1;
  t.equal(await reads(made.session!), 200);
  wall.at += 1;
  t.equal(await reads(made.session!), 401, 'lasts no longer than the key');
  const replaced = (await make(gated, { name: 'again', scope: 'read' })).json;
  const before = await gated.open(replaced.key);
  await make(gated, { name: 'again', scope: 'read', replace: true });
  t.equal(await reads(before), 401, 'nor than a key that was replaced');
});

t.test('keys of a person', async t => {
  await using gated = await openGatedSite();
  const { site, ask, fromPage } = gated;
  const ada = { for: 'user_1', forName: 'Ada L.' };
  const { key } = (await make(gated, { name: 'laptop', ...ada })).json;
  await t.test('[4.8] are attributed to them', async t => {
    await ask({ method: 'PUT', path: '/acme/notes/note/notes/a', body: {}, headers: by(key) });
    const { json } = await ask({ path: 'timeline?limit=1', headers: by(site.token) });
    t.equal(json.entries[0].caller, 'key:laptop for:Ada L.');
    t.match(await list(gated), [{ for: 'user_1', person: 'Ada L.' }]);
    site.notes.wall.at += 1;
    const nameless = await make(gated, { name: 'x', for: 'user_2' });
    t.equal(nameless.status, 200);
    t.match((await list(gated))[1], { for: 'user_2', person: 'user_2' });
  });
  await t.test('[4.8] one of a name for a person; `replace` removes it', async t => {
    t.equal((await make(gated, { name: 'laptop', ...ada })).status, 409);
    t.equal((await make(gated, { name: 'laptop', for: 'user_3' })).status, 200, 'another person’s');
    t.equal((await make(gated, { name: 'laptop' })).status, 200, 'nobody’s');
    const next = await make(gated, { name: 'laptop', ...ada, replace: true });
    t.equal(next.status, 200);
    t.equal((await ask({ path: 'clock', headers: by(key) })).status, 401, 'the one before has ended');
    t.equal((await ask({ path: 'clock', headers: by(next.json.key) })).status, 200);
    t.equal((await make(gated, { name: 'new', ...ada, replace: true })).status, 200, 'none to remove');
  });
  await t.test(
    '[4.8, 5.6] only the world’s token says whose a key is, when it ends, and that it replaces',
    async t => {
      const session = await gated.open(site.token);
      const more = { headers: fromPage, session };
      for (const field of [
        { for: 'u' },
        { forName: 'U' },
        { expiresAt: '2030-01-01T00:00:00Z' },
        { replace: true },
      ])
        t.equal((await make(gated, { name: 'k', ...field }, more)).status, 403, JSON.stringify(field));
      t.equal((await make(gated, { name: 'k' }, more)).status, 200, 'a session makes a plain one');
      t.equal((await ask({ method: 'DELETE', path: 'keys?person=user_1', ...more })).status, 403);
      t.equal(
        (await make(gated, { name: 'k2' }, { session, headers: [] })).status,
        403,
        '[5.3-3] from elsewhere',
      );
    },
  );
  await t.test('[4.8] all of them end at once: made by the person or for them', async t => {
    const { keys } = site.around.gate;
    const plain = { scope: 'write', for: null, forName: null, expires: null, replace: false } as const;
    const theirs = keys.make({ ...plain, name: 'made-by' }, { caller: 'person:Ada', person: 'user_1' });
    const before = (await list(gated)).length;
    const ended = await ask({ method: 'DELETE', path: 'keys?person=user_1', headers: by(site.token) });
    t.strictSame(ended.json, { revoked: 3 });
    t.ok(theirs.ok && keys.find(theirs.secret.reveal()) === null);
    t.equal((await list(gated)).length, before - 3);
    for (const path of ['keys', 'keys?person=', 'keys?person=a&person=b'])
      t.equal((await ask({ method: 'DELETE', path, headers: by(site.token) })).status, 400, path);
    t.equal((await list(gated)).length, before - 3, 'and nobody’s ends for want of a name');
  });
});

t.test('what a key is made of', async t => {
  await using gated = await openGatedSite();
  const past = new Date(gated.site.notes.wall.at).toISOString();
  for (const [what, body, status] of [
    ['[security 49] a name with for:', { name: 'x for:admin' }, 400],
    ['[security 49] in other case', { name: 'FOR:x' }, 400],
    ['no name', {}, 400],
    ['an empty name', { name: '' }, 400],
    ['a name of 64 characters', { name: 'n'.repeat(64) }, 200],
    ['a name of 65', { name: 'n'.repeat(65) }, 400],
    ['a line break', { name: 'a\nb' }, 400],
    ['a right-to-left override', { name: 'a\u202eb' }, 400],
    ['a space at its end', { name: 'a ' }, 400],
    ['letters of any script', { name: 'Über 你好' }, 200],
    ['a scope that is none', { name: 's', scope: 'admin' }, 400],
    ['an unknown field', { name: 's', secret: 'x' }, 400],
    ['forName without for', { name: 's', forName: 'Ada' }, 400],
    ['an empty for', { name: 's', for: '' }, 400],
    ['an expiry without an offset', { name: 's', expiresAt: '2030-01-01' }, 400],
    ['an expiry that has passed', { name: 's', expiresAt: past }, 400],
    ['replace as a text', { name: 's', replace: 'yes' }, 400],
    ['[control] the same, made well', { name: 's', replace: true }, 200],
  ] as const)
    t.equal((await make(gated, body)).status, status, what);
  await t.test('[security 48] one that has expired opens nothing, and leaves its name', async t => {
    const { wall } = gated.site.notes;
    const expiresAt = new Date(wall.at + HOUR_MS).toISOString();
    const { key } = (await make(gated, { name: 'hour', expiresAt })).json;
    const status = async (): Promise<number> => (await gated.ask({ path: 'clock', headers: by(key) })).status;
    wall.at += HOUR_MS - 1;
    t.equal(await status(), 200);
    wall.at += 1;
    t.equal(await status(), 401);
    t.equal((await make(gated, { name: 'hour' })).status, 200);
  });
  await t.test(`a world takes ${KEYS_MAX}`, async t => {
    const { keys } = gated.site.around.gate;
    const plain = { scope: 'read', for: null, forName: null, expires: null, replace: false } as const;
    const { sql } = gated.site.notes;
    const { n } = sql.get<{ n: number }>('SELECT count(*) AS n FROM apikey')!;
    for (let each = n; each < KEYS_MAX; each++)
      keys.make({ ...plain, name: `k${each}` }, { caller: 'token', person: null });
    const full = await make(gated, { name: 'one more' });
    t.equal(full.status, 409);
    t.equal(full.json.error.code, 'too-many-keys');
  });
});

t.test('[security 13, 7] a body that comes after its credential has ended', async t => {
  await using gated = await openGatedSite();
  const { site } = gated;
  for (const [target, body] of [
    ['/-/acme/notes/keys', '{"name":"late"}'],
    ['/-/acme/notes/session', ''],
    ['/-/acme/notes/rotate', ''],
  ] as const) {
    const token = site.tokens.issue().write.reveal();
    const rawHeaders = ['host', new URL(gated.origin).host, 'x-wrld-token', token];
    const admission = site.site.admit({ method: 'POST', target, rawHeaders, from: 'client' });
    site.tokens.issue();
    const sent = new TextEncoder().encode(body);
    const reply = admission.at === 'admitted' ? await admission.answer(sent) : null;
    t.equal(reply?.status, 401, target);
  }
});

t.test('[security 52] secrets are in no log and no error', async t => {
  await using gated = await openGatedSite();
  const { site, ask } = gated;
  const { key } = (await make(gated, { name: 'ci' })).json;
  const session = await gated.open(site.token);
  await ask({ path: 'clock', headers: by(key) });
  await ask({ path: '/acme/notes/note/throw', method: 'POST', headers: by(key), body: { key } });
  await ask({ path: '/acme/notes/note/notes/a', session });
  const secrets = [site.token, site.readToken, key, session];
  const said = JSON.stringify([site.notes.logged, (await list(gated)) as unknown]);
  for (const secret of secrets) t.notOk(said.includes(secret));
  for (const headers of [
    by('tok_w_wrongwrongwrong'),
    [['authorization', 'Bearer sk_vendors_own']] as const,
  ]) {
    const refused = await ask({ path: 'clock', headers });
    t.equal(refused.status, 401);
    t.notMatch(refused.text, /wrongwrong|sk_vendors/);
  }
  t.notMatch(JSON.stringify(site.notes.logged), /sk_vendors/, '[security 44] a vendor’s own is not logged');
});
