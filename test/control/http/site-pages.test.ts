// The way into a site (4.3): who gets a pass, where it is good, and where one lands.
import t from 'tap';
import { admits, landAt } from '../../../control/http/site-pages.ts';
import { SITE_PASS_MS } from '../../../control/world/limits.ts';
import { openGatedSite } from '../../kit/gated-site.ts';
import { EMPTY_PROFILE, openSites } from '../../kit/opened-sites.ts';

const APP = 'app-acme-test';
const DAY_MS = 86_400_000;

t.test('[4.3] a site is opened by a pass, and the session is there alone', async t => {
  for (const suffix of [undefined, '.worlds.test']) {
    await using sites = await openSites(suffix === undefined ? {} : { suffix });
    const { gated, hostOf, at, go } = sites;
    const own = await gated.open(gated.site.token);
    await sites.put('ada', EMPTY_PROFILE);
    const sent = await go('host=app.acme.test&browser=ada&land=%2Fapi%2Fme%3Fa%3Db', own);
    t.equal(sent.status, 303);
    const host = hostOf(`ada--${APP}`);
    t.match(sent.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const url = new URL(sent.headers.location!);
    t.equal(url.host, host, '[4.3-1] at the address of the copy');
    t.match(url.pathname + url.search, /^\/\.well-known\/wrld-site\/enter\?pass=[\w-]{43}$/);
    const path = url.pathname + url.search;
    t.equal(
      (await at(`bob--${APP}`, { path, from: 'same-site' })).session,
      null,
      'at another’s it is none, and spent',
    );
    const next = new URL(
      (await go('host=app.acme.test&browser=ada&land=%2Fapi%2Fme%3Fa%3Db', own)).headers.location!,
    );
    const entered = await at(`ada--${APP}`, { path: next.pathname + next.search, from: 'same-site' });
    t.equal(entered.status, 303);
    t.equal(entered.headers.location, `http://${host}/api/me?a=b`);
    t.match(entered.headers['set-cookie'], [
      /^__Host-wrld-session=ses_[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
    ]);
    const again = await at(`ada--${APP}`, { path: next.pathname + next.search, from: 'same-site' });
    t.match(again, { status: 401, session: null, text: /used already/ }, 'a pass is spent once');
    const session = entered.session!;
    t.equal((await at(`ada--${APP}`, { session })).status, 200);
    t.equal((await at(APP, { session })).status, 401, 'not at the plain copy');
    t.equal((await at('ada--docs-acme-test', { session })).status, 401, 'nor at another site');
    t.equal((await gated.ask({ path: 'clock', session })).status, 401, 'nor at the world’s own origin');
    t.equal((await at(`ada--${APP}`, { session: own })).status, 401, 'and the world’s own is none here');
  }
});

t.test('[4.3-8, security 23] who may open one', async t => {
  await using sites = await openSites();
  const { gated, go } = sites;
  await sites.put('ada', EMPTY_PROFILE);
  const own = await gated.open(gated.site.token);
  const status = async (query: string, from: string | null): Promise<number> =>
    (await go(query, own, from)).status;
  for (const [from, browser, plain] of [
    ['same-origin', 303, 303],
    ['none', 303, 303],
    ['same-site', 403, 303],
    ['cross-site', 403, 403],
    [null, 403, 403],
    ['Same-Origin', 403, 403],
  ] as const) {
    t.equal(await status('host=app.acme.test&browser=ada', from), browser, `a browser’s, from ${from}`);
    t.equal(await status('host=app.acme.test', from), plain, `the plain one, from ${from}`);
  }
  t.equal(admits(['none', 'none'], true), false);
  const by = async (token: string) =>
    (await gated.ask({ path: 'sites/go?host=app.acme.test', headers: [['x-wrld-token', token]] })).status;
  t.equal(await by(gated.site.token), 303, '[security 19] a token says so itself');
  t.equal(await by(gated.site.readToken), 303);
  const { keys } = gated.site.around.gate;
  for (const [scope, expected] of [
    ['write', 403],
    ['read', 303],
  ] as const) {
    const key = keys.make(
      { name: scope, scope, for: null, forName: null, expires: null, replace: false },
      { caller: 'token', person: null },
    );
    t.equal(await by(key.ok ? key.secret.reveal() : ''), expected, `[5.3-6] a key that may ${scope}`);
  }
});

t.test('[4.3] what cannot be opened', async t => {
  await using sites = await openSites();
  const { gated, go } = sites;
  const own = await gated.open(gated.site.token);
  for (const [query, status, code] of [
    ['', 404, 'no-such-site'],
    ['host=nobody.test', 404, 'no-such-site'],
    ['host=app.acme.test&browser=ada', 404, 'no-such-browser'],
    ['host=app.acme.test&browser=A', 400, 'bad-name'],
    ['host=app.acme.test&browser=', 400, 'bad-name'],
    ['host=app.acme.test&land=x', 400, 'bad-land'],
  ] as const)
    t.match(await go(query, own), { status, json: { error: { code } } }, query);
  await using none = await openGatedSite({ ownOrigin: null });
  const noOrigin = { path: 'sites/go?host=note.test', headers: [['x-wrld-token', none.site.token]] } as const;
  t.match(await none.ask(noOrigin), { status: 409, json: { error: { code: 'no-own-origin' } } });
});

t.test('[security 24] `land` leads nowhere else', t => {
  const origin = 'http://ada--x.notes--acme.localhost:4000';
  for (const [land, path] of [
    ['/', '/'],
    ['/a/b?c=d#e', '/a/b?c=d#e'],
    ['/a/../b', '/b'],
    ['/%2F%2Fevil.test', '/%2F%2Fevil.test'],
    ['/a?to=//evil.test', '/a?to=//evil.test'],
  ] as const)
    t.equal(landAt(land, origin), path, land);
  for (const land of [
    '',
    'a',
    '//evil.test',
    '/\\evil.test',
    '\\evil.test',
    '/\t/evil.test',
    '/a b',
    'http://evil.test/',
    '/\n',
    `/${'a'.repeat(3000)}`,
  ])
    t.equal(landAt(land, origin), null, JSON.stringify(land.slice(0, 20)));
  // What is left is put behind the site's origin, so that it is a path however it begins.
  t.equal(new URL(`${origin}${landAt('/.//evil.test', origin)}`).origin, origin);
  t.end();
});

t.test('[4.3, 5.3] a session at a site lasts no longer than what opened it', async t => {
  await using sites = await openSites();
  const { gated, at, go } = sites;
  const { wall } = gated.site.notes;
  const reads = async (session: string): Promise<number> => (await at(APP, { session })).status;
  const own = await gated.open(gated.site.token);
  const one = await sites.enter('host=app.acme.test', own);
  const two = await sites.enter('host=app.acme.test', own);
  t.equal(await reads(one.session), 200, 'two tabs that open it at once are both in');
  t.equal(await reads(two.session), 200);
  const passed = new URL((await go('host=app.acme.test', own)).headers.location!);
  const kept = await at(APP, {
    path: passed.pathname + passed.search,
    from: 'same-site',
    session: two.session,
  });
  t.match(kept, { status: 303, session: null }, 'who has one that is as good goes on with it');
  t.equal(
    (await gated.ask({ method: 'DELETE', path: 'session', session: own, headers: gated.fromPage })).status,
    204,
  );
  t.equal(await reads(two.session), 401, '[security 8] it ends with its page’s');

  const late = await gated.open(gated.site.token);
  const sent = new URL((await go('host=app.acme.test', late)).headers.location!);
  wall.at += SITE_PASS_MS;
  t.equal(
    (await at(APP, { path: sent.pathname + sent.search, from: 'same-site' })).session,
    null,
    'a late pass',
  );
  const third = await sites.enter('host=app.acme.test', late);
  wall.at += 30 * DAY_MS - SITE_PASS_MS - 1;
  t.equal(await reads(third.session), 200);
  wall.at += 1;
  t.equal(await reads(third.session), 401, '[security 9] nor longer than thirty days of that');

  const { keys } = gated.site.around.gate;
  const key = keys.make(
    { name: 'guest', scope: 'read', for: null, forName: null, expires: null, replace: false },
    { caller: 'token', person: null },
  );
  const guest = await sites.enter('host=app.acme.test', await gated.open(key.ok ? key.secret.reveal() : ''));
  t.equal(await reads(guest.session), 200);
  if (key.ok) keys.revoke(key.id);
  t.equal(await reads(guest.session), 401, '[5.3-6] a guest’s ends with the key');

  const again = await gated.open(gated.site.token);
  const last = await sites.enter('host=app.acme.test', again);
  const made = new URL((await go('host=app.acme.test', again)).headers.location!);
  gated.site.tokens.issue();
  t.equal(await reads(last.session), 401, '[security 7] rotation ends all');
  t.equal(
    (await at(APP, { path: made.pathname + made.search, from: 'same-site' })).session,
    null,
    'and every pass',
  );
});

t.test('[4.3] who opens a page of the world’s without a session gets one, and comes back', async t => {
  await using sites = await openSites();
  const { gated } = sites;
  const opened = (path: string, mode = 'navigate') =>
    gated.ask({
      path,
      headers: [
        ['sec-fetch-mode', mode],
        ['sec-fetch-site', 'none'],
      ],
    });
  const board = await opened('board');
  t.match(board, { status: 303, headers: { location: `${gated.origin}/-/acme/notes/#then=board` } });
  const go = await opened('sites/go?host=app.acme.test&browser=ada&land=%2Fx');
  const then = new URL(go.headers.location!).hash.slice('#then='.length);
  t.equal(decodeURIComponent(then), 'board?browser=ada&land=%2Fx&open=app.acme.test', 'the board asks first');
  t.equal((await opened('board', 'cors')).status, 401);
  t.equal((await opened('clock')).status, 401, 'what is no page stays shut');
});
