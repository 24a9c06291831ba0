// A browser's sessions over the real listener (5.3, security 1–20, 25–31).
import { networkInterfaces } from 'node:os';
import t from 'tap';
import { readHeaders } from '../../../control/http/arrived.ts';
import { judgeUpgrade } from '../../../control/http/gate.ts';
import { takeSession } from '../../../control/http/session-cookie.ts';
import { SESSIONS_PER_OPENER_MAX } from '../../../control/world/limits.ts';
import { hex } from '../../../control/world/store/identifier.ts';
import type { Call } from '../../../twins/kit/call.ts';
import type { MountedTwin } from '../../../twins/kit/twin.ts';
import { type GatedAnswer, type GatedSite, openGatedSite } from '../../kit/gated-site.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { replyOf } from '../../kit/site.ts';

const DAY_MS = 86_400_000;
const CLOCK = { method: 'PUT', path: 'clock', body: {} } as const;

/** 400: let in, and told that the body is none. */
const writes = (gated: GatedSite, session: string, headers: GatedSite['fromPage']): Promise<GatedAnswer> =>
  gated.ask({ ...CLOCK, session, headers });

const reads = async (gated: GatedSite, session: string): Promise<number> =>
  (await gated.ask({ path: 'clock', session })).status;

t.test('a session opened with a token', async t => {
  await using gated = await openGatedSite();
  const { site, origin, ask, fromPage } = gated;
  const made = await ask({ method: 'POST', path: 'session', headers: [['x-wrld-token', site.token]] });
  const id = made.session!;
  await t.test('[5.3-1, 2.11] is answered with its scope and origin', async t => {
    t.equal(made.status, 200);
    t.strictSame(made.json, { world: 'acme/notes', scope: 'write', origin });
    const reader = await ask({ method: 'POST', path: 'session', headers: [['x-twins-key', site.readToken]] });
    t.strictSame(reader.json, { world: 'acme/notes', scope: 'read', origin });
  });
  await t.test('[security 1, security 2] is a __Host- cookie, Secure on loopback http too', async t => {
    const [cookie] = made.headers['set-cookie']!;
    const [pair, ...attributes] = cookie!.split('; ');
    t.equal(pair, `__Host-wrld-session=${id}`);
    t.strictSame(attributes.sort(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
    t.equal(made.headers['cache-control'], 'no-store');
  });
  await t.test('[security 5] has 256 random bits, of which the store has the SHA-256', async t => {
    t.match(id, /^ses_[A-Za-z0-9_-]{43}$/);
    const rows = site.notes.sql.all<{ hash: Uint8Array }>('SELECT * FROM session');
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id)));
    t.ok(rows.some(row => hex(row.hash) === hex(digest)));
    t.notOk(JSON.stringify(rows).includes(id));
  });
  await t.test('[security 6] is no token, and a token is no session', async t => {
    t.not(id, site.token);
    t.equal((await ask({ path: 'clock', headers: [['x-wrld-token', id]] })).status, 401);
    t.equal((await ask({ path: 'clock', headers: [['authorization', `Bearer ${id}`]] })).status, 401);
    t.equal(await reads(gated, site.token), 401);
  });
  await t.test('tells its page what it is', async t => {
    t.strictSame((await ask({ path: 'session', session: id })).json, {
      world: 'acme/notes',
      scope: 'write',
      origin,
    });
    t.equal((await ask({ path: 'session' })).status, 401);
  });
  await t.test('[5.3-1] opens the endpoints and the vendor API as the token does', async t => {
    t.equal(await reads(gated, id), 200);
    const put = { method: 'PUT', path: '/acme/notes/note/notes/a', body: { tag: 'x' }, session: id } as const;
    t.equal((await ask({ ...put, headers: fromPage })).status, 200);
    t.equal((await ask({ path: '/acme/notes/note/notes/a', session: id })).json.tag, 'x');
    const [entry] = (await ask({ path: 'log/note', session: id })).json.entries;
    t.equal(entry.caller, 'token');
  });
  await t.test('[security 3] a tossed cookie of another name is ignored', async t => {
    for (const name of [
      'wrld-session',
      '__host-wrld-session',
      '__Secure-wrld-session',
      '__Host-wrld-session2',
    ]) {
      t.equal((await ask({ path: 'clock', headers: [['cookie', `${name}=${id}`]] })).status, 401, name);
      const both = [['cookie', `${name}=ses_x; __Host-wrld-session=${id}; a=b`]] as const;
      t.equal((await ask({ path: 'clock', headers: both })).status, 200, `${name} beside the real one`);
    }
  });
  await t.test('[security 4] two session cookies are refused, in one field or two', async t => {
    const pair = `__Host-wrld-session=${id}`;
    for (const fields of [[`${pair}; ${pair}`], [pair, pair], [`a=b; ${pair}; c=d; __Host-wrld-session=x`]]) {
      const headers = fields.map(field => ['cookie', field] as const);
      const answer = await ask({ path: 'clock', headers });
      t.equal(answer.status, 400, fields.join(' | '));
      t.equal(answer.json.error.code, 'doubled-header');
    }
  });
  await t.test(
    '[5.2, security 42] counts after every other credential, but a vendor’s own is none',
    async t => {
      const wrong = [['x-wrld-token', 'tok_w_wrong']] as const;
      t.equal((await ask({ path: 'clock', session: id, headers: wrong })).status, 401);
      const revoked = [['authorization', 'Bearer tok_k_revoked']] as const;
      t.equal((await ask({ path: 'clock', session: id, headers: revoked })).status, 401);
      const read = [['x-wrld-token', site.readToken]] as const;
      t.equal((await ask({ ...CLOCK, session: id, headers: [...read, ...fromPage] })).status, 403);
      const vendors = [['authorization', 'Bearer pk_test_1']] as const;
      t.equal((await ask({ path: 'clock', session: id, headers: vendors })).status, 200);
    },
  );
  await t.test('[security 9] lasts 30 days on the wall clock, whatever the world’s says', async t => {
    const { wall, world } = site.notes;
    await world.setClock('2030-01-01T00:00:00Z');
    t.equal(await reads(gated, id), 200, 'the world’s clock is years ahead');
    const began = wall.at;
    wall.at = began + 30 * DAY_MS - 1;
    t.equal(await reads(gated, id), 200);
    wall.at = began + 30 * DAY_MS;
    t.equal(await reads(gated, id), 401);
  });
});

t.test('where a session lives', async t => {
  await using gated = await openGatedSite();
  const { site, origin, ask } = gated;
  const { port } = gated.listener;
  const token = [['x-wrld-token', site.token]] as const;
  await t.test('[security 10, 7.3] asked for elsewhere it is 409 with the origin', async t => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'evil.test']) {
      for (const headers of [[], token]) {
        const answer = await ask({ method: 'POST', path: 'session', host, headers });
        t.equal(answer.status, 409, host);
        t.match(answer.json, { error: { code: 'wrong-origin' }, origin });
        t.equal(answer.session, null);
      }
    }
  });
  await t.test('[5.3-2] counts at the world’s own origin alone', async t => {
    const id = await gated.open(site.token);
    t.equal(await reads(gated, id), 200);
    t.equal((await ask({ path: 'clock', session: id, host: `127.0.0.1:${port}` })).status, 401);
    t.equal(
      (await ask({ path: '/acme/notes/note/writes', session: id, host: `localhost:${port}` })).status,
      401,
    );
  });
  await t.test('[security 11] one of world A is none at B', async t => {
    await using other = await openGatedSite();
    t.equal(await reads(other, await gated.open(site.token)), 401);
  });
  await t.test('[security 7] rotation ends all; [security 8] DELETE ends one only', async t => {
    const [first, second] = [await gated.open(site.token), await gated.open(site.token)];
    t.equal(
      (await ask({ method: 'DELETE', path: 'session', session: first })).status,
      403,
      'held to 5.3-3 too',
    );
    const ended = await ask({ method: 'DELETE', path: 'session', session: first, headers: gated.fromPage });
    t.equal(ended.status, 204);
    t.match(ended.headers['set-cookie']![0], /^__Host-wrld-session=; Path=\/; Secure; .*Max-Age=0$/);
    t.equal(await reads(gated, first), 401);
    t.equal(await reads(gated, second), 200);
    const again = { method: 'DELETE', path: 'session', session: first, headers: gated.fromPage } as const;
    t.equal((await ask(again)).status, 401, 'one that is over ends nothing');
    const byToken = await ask({ method: 'DELETE', path: 'session', headers: token });
    t.equal(byToken.status, 403, 'a token carries no session');
    site.tokens.issue();
    t.equal(await reads(gated, second), 401);
  });
  t.test('without an origin of its own it lives where it was asked for', async t => {
    await using plain = await openGatedSite({ ownOrigin: null });
    const made = await plain.ask({
      method: 'POST',
      path: 'session',
      headers: [['x-wrld-token', plain.site.token]],
    });
    t.strictSame(made.json, { world: 'acme/notes', scope: 'write' });
    t.equal(await reads(plain, made.session!), 200);
    t.equal((await plain.ask({ method: 'POST', path: 'session', headers: plain.fromPage })).status, 401);
  });
  t.test('who opens without end crowds out their own and nobody else’s', async t => {
    await using crowd = await openGatedSite();
    const { sessions } = crowd.site.around.gate;
    const mine = await crowd.open(crowd.site.token);
    const expires = crowd.site.notes.wall.at + DAY_MS;
    const one = { scope: 'read', caller: 'token:read', person: null, opener: 'token:read' } as const;
    const ids = Array.from({ length: SESSIONS_PER_OPENER_MAX + 2 }, (_, n) =>
      sessions.open({ ...one, expires: expires + n }).reveal(),
    );
    t.equal(ids.filter(id => sessions.find(id) !== null).length, SESSIONS_PER_OPENER_MAX);
    t.equal(sessions.find(ids[0]!), null, 'the oldest went');
    t.ok(sessions.find(mine));
  });
  t.end();
});

t.test('a session that reads', async t => {
  const calls: Call[] = [];
  const spied = (options: Parameters<typeof noteTwin>[0]): MountedTwin => {
    const { twin, respond } = noteTwin(options);
    return {
      twin,
      respond: (call, tx) => {
        calls.push(call);
        return respond(call, tx);
      },
    };
  };
  await using gated = await openGatedSite({
    twins: { note: spied({}), strict: spied({ vendor: 'strict', requestScopes: ['read'] }) },
  });
  const { site, ask, fromPage } = gated;
  const id = await gated.open(site.readToken);
  const note = { method: 'PUT', path: '/acme/notes/note/notes/a', body: { tag: 'x' } } as const;
  await ask({ ...note, headers: [['x-wrld-token', site.token]] });
  await t.test('[security 12] its GET passes, its POST is refused', async t => {
    t.equal(await reads(gated, id), 200);
    t.equal((await writes(gated, id, fromPage)).status, 403);
    t.equal((await ask({ method: 'HEAD', path: 'clock', session: id })).status, 200, 'HEAD as GET');
  });
  await t.test(
    '[5.3-5] at vendors: reads pass, and a twin that enforces the scope refuses its writes',
    async t => {
      t.equal((await ask({ path: '/acme/notes/note/notes/a', session: id })).status, 200);
      const post = { method: 'POST', body: { limit: 1 }, session: id, headers: fromPage } as const;
      t.equal((await ask({ ...post, path: '/acme/notes/note/list' })).status, 403, 'at any other twin');
      calls.length = 0;
      t.equal((await ask({ ...post, path: '/acme/notes/strict/list' })).status, 200);
      t.match(calls[0], { scope: 'read', headers: { 'x-wrld-read-only': '1' } });
      const put = { ...post, method: 'PUT', path: '/acme/notes/strict/notes/a' } as const;
      t.equal((await ask(put)).status, 403, 'the twin refuses what writes');
      t.equal(
        (await ask({ ...post, path: '/acme/notes/strict/list', headers: [] })).status,
        403,
        '5.3-3 holds',
      );
    },
  );
  await t.test('[5.1] reaches no twin, nor does a token', async t => {
    calls.length = 0;
    await ask({
      path: '/acme/notes/note/notes/a',
      headers: [['cookie', `a=b; __Host-wrld-session=${id}; c=d`]],
    });
    t.equal(calls[0]!.headers['cookie'], 'a=b; c=d');
    await ask({ path: '/acme/notes/note/notes/a', session: id });
    t.equal(calls[1]!.headers['cookie'], undefined);
    await ask({ path: '/acme/notes/note/notes/a', headers: [['authorization', `Bearer ${site.token}`]] });
    await ask({
      path: '/acme/notes/note/notes/a',
      headers: [['authorization', `Basic ${btoa(`u:${site.token}`)}`]],
    });
    const both = [
      ['x-twins-key', site.token],
      ['authorization', `token ${site.readToken}`],
    ] as const;
    await ask({ path: '/acme/notes/note/notes/a', headers: both });
    t.strictSame(
      calls.slice(2).map(call => call.headers['authorization']),
      ['Bearer tok_wrld', `Basic ${btoa(':tok_wrld')}`, 'token tok_wrld'],
    );
    await ask({
      path: '/acme/notes/note/notes/a',
      headers: [
        ['x-twins-key', site.token],
        ['authorization', 'Bearer sk_1'],
      ],
    });
    t.equal(calls.at(-1)!.headers['authorization'], 'Bearer sk_1', 'a vendor’s own is left alone');
    for (const call of calls)
      t.notMatch(JSON.stringify(call), new RegExp(`${id}|${site.token}|${site.readToken}`));
  });
});

t.test('fetch metadata (5.3-3)', async t => {
  const open: MountedTwin = {
    ...noteTwin(),
    respond: () => ({ status: 200, headers: [['Access-Control-Allow-Origin', '*']], body: 'x' }),
  };
  const note = noteTwin();
  const told: object[] = [];
  const asks: MountedTwin = {
    twin: { ...note.twin },
    respond: ({ scope, may }) => {
      told.push({ scope, may });
      return { status: 200, headers: [], body: '' };
    },
  };
  await using gated = await openGatedSite({
    twins: { note, open: { twin: { ...note.twin }, respond: open.respond }, told: asks },
  });
  const { site, ask, fromPage } = gated;
  const id = await gated.open(site.token);
  const sent = (...values: string[]) => values.map(value => ['sec-fetch-site', value] as const);
  await t.test('[security 16] what is no read is refused without the header', async t => {
    const refused = await writes(gated, id, []);
    t.equal(refused.status, 403);
    t.equal(refused.json.error.code, 'not-same-origin');
    t.equal((await writes(gated, id, sent('same-origin'))).status, 400, 'let in');
  });
  await t.test('[security 17] same-site, none and cross-site are refused', async t => {
    for (const value of ['same-site', 'none', 'cross-site', ''])
      t.equal((await writes(gated, id, sent(value))).status, 403, value);
  });
  await t.test('[security 18] upper case and a doubled value are refused', async t => {
    for (const values of [
      ['Same-Origin'],
      ['SAME-ORIGIN'],
      ['same-origin', 'same-origin'],
      ['same-origin, x'],
    ])
      t.equal((await writes(gated, id, sent(...values))).status, 403, values.join(' | '));
  });
  await t.test('[security 19] what a token carries needs none', async t => {
    t.equal((await ask({ ...CLOCK, headers: [['x-wrld-token', site.token]] })).status, 400);
  });
  await t.test('on a vendor’s path it holds too, and a read from elsewhere changes nothing', async t => {
    const put = { method: 'PUT', path: '/acme/notes/note/notes/a', body: {}, session: id } as const;
    t.equal((await ask({ ...put, headers: sent('cross-site') })).status, 403);
    t.equal((await ask({ ...put, headers: fromPage })).status, 200);
  });
  await t.test('[5.4] a twin is told what whoever asks may do, wherever the link was', async t => {
    const read = { path: '/acme/notes/told/notes/a', session: id } as const;
    await ask({ ...read, headers: sent('none') });
    await ask({ ...read, headers: sent('same-origin') });
    await ask({ ...read, session: await gated.open(site.readToken), headers: sent('same-origin') });
    t.strictSame(told, [
      { scope: 'read', may: 'write' },
      { scope: 'write', may: 'write' },
      { scope: 'read', may: 'read' },
    ]);
  });
  await t.test('no answer lets another origin read', async t => {
    const asked = { path: '/acme/notes/open/x', headers: [['origin', 'http://evil.test']] } as const;
    const carried = await ask({ ...asked, session: id });
    t.equal(carried.status, 200);
    t.equal(carried.headers['access-control-allow-origin'], undefined);
    const own = await ask({ path: 'clock', session: id, headers: [['origin', 'http://evil.test']] });
    t.equal(own.headers['access-control-allow-origin'], undefined);
    const preflight = await ask({
      method: 'OPTIONS',
      path: 'clock',
      headers: [['origin', 'http://evil.test']],
    });
    t.equal(preflight.status, 405);
  });
  await t.test('[security 20] a WebSocket by cookie needs the world’s own Origin', async t => {
    const { gate } = site.around;
    const head = (origins: readonly string[]) =>
      readHeaders(
        [
          ['host', new URL(gated.origin).host],
          ['cookie', `__Host-wrld-session=${id}`],
        ]
          .concat(origins.map(value => ['origin', value]))
          .flat(),
      );
    const verdict = (origins: readonly string[]): boolean => {
      const read = head(origins);
      return judgeUpgrade(gate.identify(read, 'client', gated.origin).asker, read, gated.origin).ok;
    };
    t.ok(verdict([gated.origin]));
    for (const origins of [
      [],
      ['null'],
      ['http://evil.test'],
      [gated.origin, gated.origin],
      [`${gated.origin}/`],
    ])
      t.notOk(verdict(origins), origins.join());
    const token = readHeaders(['x-wrld-token', site.token]);
    t.ok(judgeUpgrade(gate.identify(token, 'client', gated.origin).asker, token, gated.origin).ok);
    t.notOk(judgeUpgrade(null, token, gated.origin).ok);
  });
});

t.test('a GET that writes, carried by a session', async t => {
  const note = noteTwin();
  const writer: MountedTwin = {
    twin: note.twin,
    respond: (call, tx) => {
      tx.put('note', 'seen', { tag: 'seen' });
      return note.respond({ ...call, path: '/notes/seen' }, tx);
    },
  };
  await using gated = await openGatedSite({ twins: { note: writer } });
  const id = await gated.open(gated.site.token);
  const get = { path: '/acme/notes/note/anything', session: id } as const;
  t.equal(
    (await gated.ask({ ...get, headers: [['sec-fetch-site', 'cross-site']] })).status,
    403,
    'from a link',
  );
  t.equal((await gated.ask({ ...get, headers: gated.fromPage })).status, 200, 'from the world’s own page');
});

t.test('a session without a token, on loopback (5.3-4)', async t => {
  await using gated = await openGatedSite();
  const { origin, ask, fromPage, listener } = gated;
  const { port } = listener;
  const host = new URL(origin).host;
  const asked = { method: 'POST', path: 'session' } as const;
  await t.test('opens a write session for the world’s own page', async t => {
    const made = await ask({ ...asked, headers: fromPage });
    t.equal(made.status, 200);
    t.strictSame(made.json, { world: 'acme/notes', scope: 'write', local: true, origin });
    t.equal((await writes(gated, made.session!, fromPage)).status, 400, 'it writes');
    const keys = await ask({ path: 'keys', session: made.session! });
    t.equal(keys.status, 200, 'and manages keys');
  });
  const refused = async (what: string, more: Parameters<typeof ask>[0]): Promise<void> => {
    const answer = await ask(more);
    t.ok([401, 409].includes(answer.status), `${what}: ${answer.status}`);
    t.equal(answer.session, null, `${what}: no cookie`);
  };
  const at = (from: string, site = 'same-origin') =>
    [
      ['origin', from],
      ['sec-fetch-site', site],
    ] as const;
  await t.test('[security 25] Host evil.com that leads to 127.0.0.1', async () => {
    await refused('rebinding', {
      ...asked,
      host: `evil.com:${port}`,
      headers: at(`http://evil.com:${port}`),
    });
    await refused('with our origin', { ...asked, host: `evil.com:${port}`, headers: fromPage });
  });
  await t.test('[5.3-4] what the proxy passed on, whose connection is from here', async () => {
    await refused('through the proxy', { ...asked, headers: [...fromPage, ['x-wrld-through', 'proxy']] });
  });
  await t.test('[security 26] Origin null, absent, of another port, of https, twice', async () => {
    for (const from of [
      'null',
      '',
      `http://notes--acme.localhost:${port + 1}`,
      `https://${host}`,
      `${origin}/`,
    ])
      await refused(`Origin ${from}`, { ...asked, headers: at(from) });
    await refused('no Origin', { ...asked, headers: [['sec-fetch-site', 'same-origin']] });
    await refused('two', { ...asked, headers: [...fromPage, ['origin', origin]] });
    for (const site of ['same-site', 'cross-site', 'none', 'Same-Origin'])
      await refused(`Sec-Fetch-Site ${site}`, { ...asked, headers: at(origin, site) });
    await refused('no Sec-Fetch-Site', { ...asked, headers: [['origin', origin]] });
  });
  await t.test('[security 28] what only looks like the host', async () => {
    for (const name of [
      '127.0.0.1.nip.io',
      'localhost.evil.com',
      `notes--acme.localhost.`,
      'Notes--Acme.LOCALHOST',
    ])
      await refused(name, { ...asked, host: `${name}:${port}`, headers: fromPage });
    await refused('[::1]', { ...asked, host: `[::1]:${port}`, headers: at(`http://[::1]:${port}`) });
    await refused('without the port', { ...asked, host: 'notes--acme.localhost', headers: fromPage });
  });
  await t.test('[security 29] X-Forwarded-Host is ignored', async t => {
    const forwarded = ['x-forwarded-host', host] as const;
    await refused('as our host', { ...asked, host: `evil.com:${port}`, headers: [...fromPage, forwarded] });
    const evil = await ask({ ...asked, headers: [...fromPage, ['x-forwarded-host', 'evil.com']] });
    t.equal(evil.status, 200);
    for (const name of ['via', 'forwarded', 'x-forwarded-for'])
      await refused(`passed on (${name})`, { ...asked, headers: [...fromPage, [name, 'for=1.2.3.4']] });
  });
  await t.test('[security 30] never at bare localhost', async () => {
    for (const bare of [`localhost:${port}`, `127.0.0.1:${port}`])
      await refused(bare, { ...asked, host: bare, headers: at(`http://${bare}`) });
  });
  await t.test('what presents something is judged by that', async () => {
    for (const header of [
      ['x-wrld-token', 'tok_w_wrong'],
      ['x-twins-key', 'x'],
      ['authorization', 'Bearer sk_1'],
    ] as const)
      await refused(header[0], { ...asked, headers: [...fromPage, header] });
  });
  await t.test('[security 27] a peer that is not of this machine’s loopback', async t => {
    const { site } = gated.site;
    const rawHeaders = [['host', host], ...fromPage].flat();
    for (const [local, status] of [
      [true, 200],
      [false, 401],
    ] as const) {
      const admission = site.admit({
        method: 'POST',
        target: '/-/acme/notes/session',
        rawHeaders,
        from: 'client',
        local,
      });
      const reply = await replyOf(admission);
      t.equal(reply.status, status);
    }
    const proxied = site.admit({
      method: 'POST',
      target: '/-/acme/notes/session',
      rawHeaders,
      from: 'proxy',
      local: true,
    });
    const reply = await replyOf(proxied);
    t.equal(reply.status, 409, 'nor what an app sends through the proxy');
  });
});

t.test('[security 31] binding 0.0.0.0 turns the session without a token off', async t => {
  await using gated = await openGatedSite({ host: '0.0.0.0' });
  const { ask, fromPage, site } = gated;
  const own = await ask({ method: 'POST', path: 'session', headers: fromPage });
  t.equal(own.status, 401, 'even from loopback');
  const address = Object.values(networkInterfaces())
    .flatMap(each => each ?? [])
    .find(each => each.family === 'IPv4' && !each.internal)?.address;
  if (address !== undefined) {
    const forged = await ask({ method: 'POST', path: 'session', headers: fromPage, address });
    t.equal(forged.status, 401, '[security 27] a forged Host from elsewhere');
  }
  t.ok(await gated.open(site.token), 'a token opens one as ever');
});

t.test('the session’s cookie among others', t => {
  for (const [field, ids, rest] of [
    ['__Host-wrld-session=a', ['a'], null],
    ['x=1; __Host-wrld-session=a;y=2', ['a'], 'x=1; y=2'],
    ['__Host-wrld-session=a; __Host-wrld-session=b', ['a', 'b'], null],
    ['x=__Host-wrld-session=a', [], 'x=__Host-wrld-session=a'],
    [' __Host-wrld-session = a ;', ['a'], null],
    ['__Host-wrld-session; x=1', [], '__Host-wrld-session; x=1'],
    ['__Host-wrld-session=', [''], null],
  ] as const)
    t.strictSame(takeSession(field), { ids, state: null, rest }, field);
  t.strictSame(takeSession('a=b; __Host-wrld-state=v1'), { ids: [], state: 'v1', rest: 'a=b' });
  t.end();
});
