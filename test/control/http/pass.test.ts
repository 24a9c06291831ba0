// Passes of trusted platforms (5.3-7, security 32–40): over the real listener, signed with real keys.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  base64url,
  CompactSign,
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import t from 'tap';
import { ControlError } from '../../../control/node/control-error.ts';
import { issuersIn, trustedIssuers } from '../../../control/node/trusted-issuers.ts';
import type { TrustedIssuer } from '../../../control/ports/trusted-issuer.ts';
import { ISSUER_KEYS_ASKED_MS_MIN, ISSUER_KEYS_KEPT_MS } from '../../../control/world/limits.ts';
import { type GatedAnswer, type GatedSite, openGatedSite } from '../../kit/gated-site.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';

const ISSUER = 'https://platform.test';
const SKEW_S = 60;

type Signer = { readonly kid: string; readonly alg: string; readonly key: CryptoKey; readonly jwk: JWK };

async function signer(kid: string, alg = 'EdDSA'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

const ed = await signer('ed');
const ec = await signer('ec', 'ES256');

/** A platform whose keys a test changes, and that counts how often it is asked. */
function platform(...signers: readonly Signer[]) {
  const state = { asked: 0, keys: signers.map(each => each.jwk) as readonly object[], down: false };
  const issuer: TrustedIssuer = {
    issuer: ISSUER,
    keys: async () => {
      state.asked++;
      if (state.down) throw new Error('down');
      return { keys: state.keys };
    },
  };
  return { ...state, state, issuer };
}

let passes = 0;

const claimsOf = (gated: GatedSite, more: object = {}): { [claim: string]: unknown } => {
  const now = Math.floor(gated.site.notes.wall.at / 1000);
  return {
    iss: ISSUER,
    sub: 'user_1',
    name: 'Ada L.',
    aud: 'wrld',
    world: 'acme/notes',
    origin: gated.origin,
    scope: 'write',
    iat: now,
    exp: now + 300,
    jti: `pass-${++passes}`,
    ...more,
  };
};

const sign = (
  { key, alg, kid }: Signer,
  claims: object,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg, kid, typ: 'wrld-pass+jwt', ...header })
    .sign(key);

const show = (gated: GatedSite, pass: string, more: object = {}): Promise<GatedAnswer> =>
  gated.ask({
    method: 'POST',
    path: 'session',
    headers: [...gated.fromPage, ['x-wrld-pass', pass]],
    ...more,
  });

t.test('a pass opens a session', async t => {
  await using gated = await openGatedSite({ trusted: [platform(ed, ec).issuer] });
  const { ask, fromPage, origin, site } = gated;
  const made = await show(gated, await sign(ed, claimsOf(gated)));
  await t.test('[2.11] with who they are and which platform says so', async t => {
    t.equal(made.status, 200);
    t.strictSame(made.json, { world: 'acme/notes', scope: 'write', who: 'Ada L.', issuer: ISSUER, origin });
    t.match(made.headers['set-cookie']![0], /^__Host-wrld-session=ses_.*; Max-Age=43200$/);
    const nameless = await show(gated, await sign(ec, claimsOf(gated, { name: undefined, scope: 'read' })));
    t.match(nameless.json, { who: 'user_1', scope: 'read' }, 'ES256, a reader without a name');
  });
  await t.test('[4.9, 4.8] that writes as the person, and whose keys end with them', async t => {
    const session = made.session!;
    await ask({ method: 'PUT', path: '/acme/notes/note/notes/a', body: {}, session, headers: fromPage });
    const { json } = await ask({ path: 'timeline?limit=1', session });
    t.equal(json.entries[0].caller, 'person:Ada L.');
    const key = await ask({
      method: 'POST',
      path: 'keys',
      body: { name: 'mine' },
      session,
      headers: fromPage,
    });
    t.equal(key.status, 200);
    const listed = await ask({ path: 'keys', session });
    t.match(listed.json.keys, [{ createdBy: 'person:Ada L.' }]);
    const ended = { method: 'DELETE', path: 'keys?person=user_1' } as const;
    t.strictSame((await ask({ ...ended, headers: [['x-wrld-token', site.token]] })).json, { revoked: 1 });
  });
  await t.test('[8, security 9] that lasts 12 hours on the wall clock', async t => {
    const { wall } = site.notes;
    wall.at += 12 * 3_600_000 - 1;
    t.equal((await ask({ path: 'clock', session: made.session! })).status, 200);
    wall.at += 1;
    t.equal((await ask({ path: 'clock', session: made.session! })).status, 401);
  });
  await t.test('from the world’s own page alone, at its own origin', async t => {
    const pass = await sign(ed, claimsOf(gated));
    for (const site of ['same-site', 'cross-site', 'none', 'Same-Origin']) {
      const headers = [
        ['x-wrld-pass', pass],
        ['sec-fetch-site', site],
      ] as const;
      t.equal((await show(gated, pass, { headers })).status, 403, site);
    }
    t.equal((await show(gated, pass, { headers: [['x-wrld-pass', pass]] })).status, 403);
    t.equal((await show(gated, pass, { host: `127.0.0.1:${gated.listener.port}` })).status, 409);
    const both = [...fromPage, ['x-wrld-pass', pass], ['x-wrld-token', site.token]] as const;
    t.equal((await show(gated, pass, { headers: both })).status, 400, 'not beside a token');
    t.equal((await show(gated, pass)).status, 200, 'none of these has spent it');
    await using plain = await openGatedSite({ ownOrigin: null, trusted: [platform(ed).issuer] });
    t.equal((await show(plain, pass)).status, 409, 'nor where the world has no origin of its own');
  });
});

t.test('a pass that is not taken is 401 with the reason', async t => {
  await using gated = await openGatedSite({ trusted: [platform(ed, ec).issuer] });
  const { wall } = gated.site.notes;
  const now = Math.floor(wall.at / 1000);
  const refused = async (what: string, pass: string, code: string): Promise<void> => {
    const answer = await show(gated, pass);
    t.equal(answer.status, 401, what);
    t.equal(answer.json?.error?.code, code, what);
    t.equal(answer.session, null, what);
  };
  const claims = (more: object = {}) => claimsOf(gated, more);
  await t.test('[security 32] algorithms are pinned, and a key that it brings proves nothing', async () => {
    const stranger = await signer('ed');
    await refused('alg none', new UnsecuredJWT(claims()).encode(), 'pass-forged');
    const parts = (await sign(ed, claims())).split('.');
    const head = (header: object): string => base64url.encode(JSON.stringify(header));
    const none = head({ alg: 'none', kid: 'ed', typ: 'wrld-pass+jwt' });
    await refused('none with a signature', [none, parts[1], parts[2]].join('.'), 'pass-forged');
    await refused('none without', [none, parts[1], ''].join('.'), 'pass-forged');
    const secret = new TextEncoder().encode(await exportSPKI((await generateKeyPair('EdDSA')).publicKey));
    const hmac = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'ed', typ: 'wrld-pass+jwt' })
      .sign(secret);
    await refused('HS256 with the public key', hmac, 'pass-forged');
    const rsa = await signer('ed', 'RS256');
    await refused('RS256', await sign(rsa, claims()), 'pass-forged');
    await refused('embedded jwk', await sign(stranger, claims(), { jwk: stranger.jwk }), 'pass-forged');
    await refused('jku', await sign(ed, claims(), { jku: 'https://evil.test' }), 'pass-forged');
    await refused('another’s signature', await sign(stranger, claims()), 'pass-forged');
    await refused('the key of another algorithm', await sign({ ...ec, kid: 'ed' }, claims()), 'pass-forged');
    const forged = base64url.encode(JSON.stringify(claims({ scope: 'write' })));
    await refused('a changed payload', [parts[0], forged, parts[2]].join('.'), 'pass-forged');
    await refused('no kid', await sign(ed, claims(), { kid: undefined as never }), 'pass-forged');
    for (const text of ['x', 'a.b.c', 'x'.repeat(5000)])
      await refused(text.slice(0, 9), text, 'pass-unreadable');
  });
  await t.test('[security 33] another audience, platform, world or origin', async () => {
    const of = async (more: object): Promise<string> => sign(ed, claims(more));
    await refused('aud', await of({ aud: 'other' }), 'pass-for-another');
    await refused('no aud', await of({ aud: undefined }), 'pass-unreadable');
    await refused('iss', await of({ iss: 'https://other.test' }), 'pass-untrusted');
    await refused('iss with a slash', await of({ iss: `${ISSUER}/` }), 'pass-untrusted');
    await refused('no iss', await of({ iss: undefined }), 'pass-untrusted');
    await refused('world', await of({ world: 'acme/other' }), 'pass-for-another');
    await refused('origin', await of({ origin: 'http://other--acme.localhost' }), 'pass-for-another');
    await refused('no origin', await of({ origin: undefined }), 'pass-for-another');
  });
  await t.test('[security 34] exp, nbf and iat, give or take a minute', async t => {
    const of = async (more: object): Promise<string> => sign(ed, claims(more));
    const taken = async (what: string, more: object): Promise<void> => {
      t.equal((await show(gated, await of(more))).status, 200, what);
    };
    await refused('expired', await of({ iat: now - 300, exp: now - SKEW_S }), 'pass-expired');
    await taken('expired within the skew', { iat: now - 300, exp: now - SKEW_S + 1 });
    await refused('nbf', await of({ nbf: now + SKEW_S + 1 }), 'pass-not-yet');
    await taken('nbf within the skew', { nbf: now + SKEW_S });
    await refused('iat', await of({ iat: now + SKEW_S + 1 }), 'pass-not-yet');
    await taken('iat within the skew', { iat: now + SKEW_S });
    await refused('good for too long', await of({ exp: now + 86_401 }), 'pass-unreadable');
    for (const claim of ['exp', 'iat', 'sub'])
      await refused(`no ${claim}`, await of({ [claim]: undefined }), 'pass-unreadable');
    await refused('exp as a text', await of({ exp: 'tomorrow' }), 'pass-unreadable');
  });
  await t.test('[security 35, security 40] no jti, a bad scope, a name that is none', async () => {
    for (const more of [
      { jti: undefined },
      { jti: '' },
      { jti: 7 },
      { scope: undefined },
      { scope: 'admin' },
      { scope: ['write'] },
      { sub: 'a\nb' },
      { name: '' },
    ])
      await refused(JSON.stringify(more), await sign(ed, claims(more)), 'pass-unreadable');
  });
  await t.test('[security 39] `typ` is a pass’s, and `crit` is refused', async () => {
    await refused('JWT', await sign(ed, claims(), { typ: 'JWT' }), 'pass-unreadable');
    await refused('at+jwt', await sign(ed, claims(), { typ: 'at+jwt' }), 'pass-unreadable');
    await refused('no typ', await sign(ed, claims(), { typ: undefined as never }), 'pass-unreadable');
    const parts = (await sign(ed, claims())).split('.');
    const head = { alg: 'EdDSA', kid: 'ed', typ: 'wrld-pass+jwt', crit: ['x'], x: 1 };
    const crit = base64url.encode(JSON.stringify(head));
    await refused('crit', [crit, parts[1], parts[2]].join('.'), 'pass-unreadable');
  });
});

t.test('a pass is spent once', async t => {
  await using gated = await openGatedSite({ trusted: [platform(ed).issuer] });
  const { wall, sql } = gated.site.notes;
  await t.test('[security 36] of two at once one wins', async t => {
    const pass = await sign(ed, claimsOf(gated));
    const answers = await Promise.all(Array.from({ length: 8 }, () => show(gated, pass)));
    t.strictSame(answers.map(each => each.status).sort(), [200, 401, 401, 401, 401, 401, 401, 401]);
    const spent = answers.find(each => each.status === 401)!;
    t.equal(spent.json.error.code, 'pass-spent');
    t.equal(sql.get('SELECT count(*) AS n FROM session')!['n'], 1, 'one session');
  });
  await t.test('[security 37] it is remembered past its end, and then forgotten', async t => {
    const claims = claimsOf(gated);
    const pass = await sign(ed, claims);
    t.equal((await show(gated, pass)).status, 200);
    wall.at = ((claims['exp'] as number) + SKEW_S) * 1000 - 1;
    t.equal((await show(gated, pass)).json.error.code, 'pass-spent', 'as long as it would be taken');
    wall.at += 2 * SKEW_S * 1000;
    t.equal((await show(gated, await sign(ed, claimsOf(gated)))).status, 200);
    const kept = sql.all('SELECT jti FROM pass_used').map(row => row['jti']);
    t.notOk(kept.includes(claims['jti'] as string));
    t.equal((await show(gated, pass)).json.error.code, 'pass-expired');
  });
});

t.test('[security 38] a platform’s keys', async t => {
  const trusted = platform(ed);
  await using gated = await openGatedSite({ trusted: [trusted.issuer] });
  const { state } = trusted;
  const { wall } = gated.site.notes;
  const next = await signer('next');
  const shown = async (by: Signer): Promise<string> => {
    const answer = await show(gated, await sign(by, claimsOf(gated)));
    return answer.status === 200 ? 'taken' : answer.json.error.code;
  };
  t.equal(state.asked, 0, 'it is not asked before there is a pass');
  await Promise.all([shown(ed), shown(ed), shown(ed)]);
  t.equal(state.asked, 1, 'and once for many');
  for (let each = 0; each < 5; each++) t.equal(await shown(next), 'pass-forged');
  t.equal(state.asked, 1, 'an unknown kid just after does not ask again');
  wall.at += ISSUER_KEYS_ASKED_MS_MIN;
  state.keys = [ed.jwk, next.jwk];
  t.strictSame(await Promise.all([shown(next), shown(next), shown(await signer('other'))]), [
    'taken',
    'taken',
    'pass-forged',
  ]);
  t.equal(state.asked, 2, 'later it asks, once');
  state.keys = [next.jwk];
  wall.at += ISSUER_KEYS_KEPT_MS;
  t.equal(await shown(ed), 'pass-forged', 'one that was withdrawn is good no longer than an hour');
  state.down = true;
  wall.at += ISSUER_KEYS_KEPT_MS;
  t.equal(await shown(next), 'taken', 'an outage does not end those it had');
  await using cold = await openGatedSite({ trusted: [trusted.issuer] });
  const answer = await show(cold, await sign(next, claimsOf(cold)));
  t.equal(answer.status, 401);
  t.equal(answer.json.error.code, 'pass-untrusted');
  for (const keys of [
    [null, 7, { kid: 'next' }, { ...next.jwk, use: 'enc' }, { ...next.jwk, x: 'AA' }],
    [{ kty: 'oct', k: 'AAAA', kid: 'next', alg: 'EdDSA' }],
    [{ ...next.jwk, alg: 'ES256' }],
  ]) {
    const broken = platform();
    broken.state.keys = keys as readonly object[];
    await using other = await openGatedSite({ trusted: [broken.issuer] });
    const refused = await show(other, await sign(next, claimsOf(other)));
    t.equal(refused.json.error.code, 'pass-forged', JSON.stringify(keys).slice(0, 40));
  }
});

t.test('[5.3-7] who is trusted', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-trust-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await t.test('a file of keys with its issuer', async t => {
    const path = join(folder, 'keys.json');
    await writeFile(path, JSON.stringify({ issuer: ISSUER, keys: [ed.jwk] }));
    const [issuer] = await trustedIssuers(['keys.json'], folder);
    t.equal(issuer!.issuer, ISSUER);
    await using gated = await openGatedSite({ trusted: [issuer!] });
    t.equal((await show(gated, await sign(ed, claimsOf(gated)))).status, 200);
  });
  await t.test('an https URL', async t => {
    const ca = await createTestAuthority();
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, ca.pem]);
    t.teardown(() => setDefaultCACertificates(before));
    let answer = { status: 200, body: JSON.stringify({ keys: [ed.jwk] }) };
    const asked: string[] = [];
    const leaf = await ca.leaf(['localhost']);
    const server = createServer(leaf, (request, response) => {
      asked.push(request.url!);
      response.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body);
    });
    server.listen(0);
    await once(server, 'listening');
    t.teardown(() => server.close());
    const url = `https://localhost:${(server.address() as AddressInfo).port}/tenant`;
    const [issuer] = await trustedIssuers([url], folder);
    await using gated = await openGatedSite({ trusted: [issuer!] });
    t.equal((await show(gated, await sign(ed, claimsOf(gated, { iss: url })))).status, 200);
    t.strictSame(asked, ['/tenant/.well-known/jwks.json']);
    for (const bad of [
      { status: 302, body: '' },
      { status: 500, body: '' },
      { status: 200, body: 'no json' },
      { status: 200, body: ' '.repeat(300_000) },
    ]) {
      answer = bad;
      await t.rejects(issuer!.keys(), `${bad.status} ${bad.body.length}`);
    }
  });
  await t.test('and nothing else', async t => {
    await writeFile(join(folder, 'nameless.json'), JSON.stringify({ keys: [ed.jwk] }));
    for (const named of [
      'http://platform.test',
      'https://u@platform.test',
      'https://x?y',
      'missing.json',
      'nameless.json',
    ])
      await t.rejects(trustedIssuers([named], folder), ControlError, named);
    t.strictSame(issuersIn(' https://a.test, b.json,,'), ['https://a.test', 'b.json']);
    t.strictSame(issuersIn(undefined), []);
  });
});
