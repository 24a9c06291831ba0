import t from 'tap';
import {
  type Access,
  type Asker,
  judge,
  judgeCarried,
  judgeVendorCall,
  MAY,
  scopeOf,
} from '../../../control/http/access.ts';
import { routes } from '../../../control/http/routes.ts';
import { openEntropy } from '../../../control/node/entropy.ts';
import { Secret } from '../../../control/world/access/secret.ts';
import { mintToken } from '../../../control/world/access/token.ts';
import { openTestSite } from '../../kit/site.ts';

const asker = (by: Asker['by'], scope: Asker['scope']): Asker => ({
  by,
  scope,
  caller: `${by}:${scope}`,
  person: null,
});
const ASKERS = {
  nobody: null,
  'the token': asker('token', 'write'),
  'the read token': asker('token', 'read'),
  'a key': asker('key', 'write'),
  'a read-only key': asker('key', 'read'),
  'a session': asker('session', 'write'),
  'a read session': asker('session', 'read'),
} as const;

// Columns in the order of ASKERS; 0 passes.
const TABLE: { readonly [access in Access]: readonly number[] } = {
  open: [0, 0, 0, 0, 0, 0, 0],
  keyless: [0, 0, 0, 0, 0, 0, 0],
  'sign-in': [0, 0, 0, 0, 0, 0, 0],
  session: [401, 403, 403, 403, 403, 0, 0],
  vendor: [401, 0, 0, 0, 0, 0, 0],
  read: [401, 0, 0, 0, 0, 0, 0],
  write: [401, 0, 403, 0, 403, 0, 403],
  rules: [401, 0, 403, 403, 403, 0, 403],
  seal: [401, 0, 403, 403, 403, 0, 403],
  keys: [401, 0, 403, 403, 403, 0, 403],
  page: [401, 403, 403, 403, 403, 0, 403],
  token: [401, 0, 403, 403, 403, 403, 403],
  admin: [401, 403, 403, 403, 403, 403, 403],
};

t.test('[5.1, 5.6] who may do what', t => {
  t.strictSame(Object.keys(TABLE).sort(), Object.keys(MAY).sort(), 'every access has a row');
  for (const [access, row] of Object.entries(TABLE)) {
    for (const [index, [who, asker]] of Object.entries(ASKERS).entries()) {
      const verdict = judge(access as Access, asker);
      t.equal(verdict.ok ? 0 : verdict.status, row[index], `${who} at ${access}`);
    }
  }
  t.end();
});

t.test('[5.4] the read token on the vendor wire', t => {
  const read = ASKERS['the read token'];
  for (const [method, enforces, status] of [
    ['GET', false, 0],
    ['HEAD', false, 0],
    ['OPTIONS', false, 403],
    ['POST', false, 403],
    ['DELETE', false, 403],
    ['POST', true, 0],
  ] as const) {
    const verdict = judgeVendorCall(read, method, enforces);
    t.equal(
      verdict.ok ? 0 : verdict.status,
      status,
      `${method}${enforces ? ' at a twin that enforces it' : ''}`,
    );
  }
  t.ok(judgeVendorCall(ASKERS['the token'], 'POST', false).ok, 'the token writes');
  t.notOk(judgeVendorCall(null, 'GET', true).ok, 'nobody reads nothing');
  t.end();
});

t.test('[5.3-3] what a session carries', t => {
  for (const [who, method, site, status] of [
    ['a session', 'GET', undefined, 0],
    ['a session', 'HEAD', 'cross-site', 0],
    ['a session', 'POST', 'same-origin', 0],
    ['a session', 'POST', 'same-site', 403],
    ['a session', 'OPTIONS', undefined, 403],
    ['a session', 'DELETE', ['same-origin', 'same-origin'], 403],
    ['the token', 'POST', 'cross-site', 0],
    ['a key', 'POST', undefined, 0],
  ] as const) {
    const verdict = judgeCarried(ASKERS[who], method, site);
    t.equal(verdict.ok ? 0 : verdict.status, status, `${who}: ${method} from ${site}`);
  }
  t.equal(scopeOf(ASKERS['a session'], 'GET', 'cross-site'), 'read', 'a read from elsewhere changes nothing');
  t.equal(scopeOf(ASKERS['a session'], 'GET', 'same-origin'), 'write');
  t.equal(scopeOf(ASKERS['the token'], 'GET', 'cross-site'), 'write');
  t.equal(scopeOf(null, 'GET', 'same-origin'), 'read');
  t.end();
});

t.test('[5.6] who manages what, route by route', t => {
  const accesses: readonly Access[] = ['keyless', 'sign-in', 'session', 'rules', 'seal', 'keys', 'token'];
  const listed = routes
    .filter(({ access }) => accesses.includes(access))
    .map(({ method, path, access }) => `${access}: ${method} ${path.replace('/-/<org>/<world>', '…')}`);
  t.strictSame(
    listed.sort(),
    [
      'keys: DELETE …/keys/<id>',
      'keys: GET …/keys',
      'keys: POST …/keys',
      'rules: PUT …/rules',
      'seal: PUT …/twins/<vendor>/root',
      'keyless: POST …/twins/<vendor>/ingest',
      'seal: DELETE …/links/<name>',
      'seal: POST …/credentials/rewrap',
      'seal: PUT …/links/<name>',
      'seal: PUT …/twins/<vendor>/credential',
      'seal: DELETE …/checks/<name>',
      'seal: PUT …/checks/<name>',
      'seal: PUT …/origin',
      'seal: DELETE …/twins/<vendor>/recording',
      'seal: PUT …/twins/<vendor>/recording',
      'session: DELETE …/session',
      // Ours, beside the specification.
      'session: GET …/session',
      'sign-in: POST …/session',
      'token: DELETE …/keys',
      'token: POST …/rotate',
    ].sort(),
  );
  t.end();
});

t.test('[5.1, security 45] the admin token opens no world', async t => {
  await using site = await openTestSite();
  const admin = mintToken(openEntropy(), 'admin').reveal();
  for (const header of [
    ['x-wrld-token', admin],
    ['x-twins-key', admin],
    ['authorization', `Bearer ${admin}`],
  ] as const) {
    t.equal((await site.ask({ target: '/-/acme/notes/clock', headers: [header] })).status, 401, header[0]);
    const call = { target: '/acme/notes/note/notes/a', headers: [header] } as const;
    t.equal((await site.ask(call)).status, 401);
  }
  const through = [
    ['x-wrld-host', 'api.note.test'],
    ['authorization', `Bearer ${admin}`],
  ] as const;
  const intercepted = { target: '/acme/notes/note/notes/a', headers: through, from: 'proxy' } as const;
  t.equal((await site.ask(intercepted)).status, 401, 'nor through the proxy');
});

t.test(
  '[security 44] through the proxy a vendor’s own key is left alone, and a dead one of ours opens nothing',
  async t => {
    await using site = await openTestSite();
    const ask = async (authorization: string): Promise<number> => {
      const headers = [
        ['x-wrld-host', 'api.note.test'],
        ['authorization', authorization],
      ] as const;
      const put = {
        method: 'PUT',
        target: '/acme/notes/note/notes/a',
        headers,
        body: '{}',
        from: 'proxy',
      } as const;
      return (await site.ask(put)).status;
    };
    t.equal(await ask('Bearer sk_test_1'), 200);
    t.equal(await ask(`Basic ${btoa('sk_test_1:')}`), 200);
    t.equal(await ask(`Bearer ${site.readToken}`), 403, 'ours is judged as ours');
    const key = site.around.gate.keys.make(
      { name: 'r', scope: 'read', for: null, forName: null, expires: null, replace: false },
      { caller: 'token', person: null },
    );
    const secret = key.ok ? key.secret.reveal() : '';
    t.equal(await ask(`Bearer ${secret}`), 403);
    if (key.ok) site.around.gate.keys.revoke(key.id);
    t.equal(await ask(`Bearer ${secret}`), 401, 'a revoked read-only key does not come back as write access');
    t.equal(await ask(`Basic ${btoa(`u:${secret}`)}`), 401);
    const cookie = [
      ['x-wrld-host', 'api.note.test'],
      ['cookie', '__Host-wrld-session=ses_x; a=b'],
    ] as const;
    const get = { target: '/acme/notes/note/notes/a', headers: cookie, from: 'proxy' } as const;
    t.equal((await site.ask(get)).status, 200, 'an app’s cookies are the vendor’s');
  },
);

t.test('[4.11, 5.2] a world whose tokens were adopted opens to them', async t => {
  await using site = await openTestSite();
  const write = 'an-adopted-token-of-the-callers';
  const read = 'another-one-which-only-reads';
  t.ok(site.tokens.adopt({ write: new Secret(write), read: new Secret(read) }).ok);
  const status = async (token: string, method = 'GET'): Promise<number> =>
    (
      await site.ask({
        method,
        target: '/-/acme/notes/clock',
        headers: [['x-wrld-token', token]],
        body: '{}',
      })
    ).status;
  t.equal(await status(write), 200);
  t.equal(await status(read), 200);
  t.equal(await status(read, 'PUT'), 403);
  t.equal(await status(site.token), 401, 'those before have ended');
});

t.test('[4, read-token columns] every route opens to whom the specification says', async t => {
  const read: string[] = [];
  const write: string[] = [];
  const open: string[] = [];
  for (const { method, path, access } of routes) {
    const list = access === 'read' ? read : access === 'write' ? write : access === 'open' ? open : null;
    list?.push(`${method} ${path.replace('/-/<org>/<world>', '…')}`);
  }
  t.strictSame(
    read.sort(),
    [
      'GET …/board',
      'GET …/branches',
      'GET …/browsers',
      'GET …/browsers/<name>',
      'GET …/changesets',
      'GET …/changesets/<name>',
      'GET …/checkpoint/<twin>',
      'GET …/clock',
      'GET …/diff',
      'GET …/history',
      'GET …/log/<twin>',
      'GET …/log/<twin>/<position>',
      'GET …/map',
      'GET …/checks',
      'GET …/origin',
      'GET …/requests',
      'GET …/rules',
      'GET …/sites/go',
      'GET …/tab',
      'GET …/timeline',
      'GET …/twins',
      'GET /<org>/<world>/.well-known/wrld-world',
      // Ours, beside the specification.
      'GET …/blobs/<sha>',
      'GET …/calls',
      'GET …/find/entries',
      'GET …/find/records',
      'GET …/due',
      'GET …/events',
      'GET …/refusals',
      'GET …/requests/lines',
      'GET …/requests/lines/<id>',
      'GET …/requests/minutes',
      'GET …/story',
      'GET …/story/<twin>/<type>',
      'GET …/story/<twin>/<type>/<id>',
      'GET …/story/<twin>/<type>/<id>/answer',
      'GET …/conversations',
      'GET …/conversations/<twin>/<position>',
      'GET …/webhooks',
      'GET …/webhooks/<twin>/<number>',
      'GET …/report',
      'GET …/records/<twin>/<type>',
      'GET …/records/<twin>/<type>/<id>',
      'GET …/twins/<vendor>/coverage',
      'GET …/runs',
      'GET …/sites',
    ].sort(),
  );
  t.strictSame(
    write.sort(),
    [
      'GET …/twins/<vendor>/root',
      'POST …/twins/<vendor>/refresh',
      'GET …/twins/<vendor>/status',
      'GET …/twins/<vendor>/scenario',
      'GET …/twins/<vendor>/credential',
      'GET …/links',
      'POST …/changesets',
      'POST …/changesets/<name>/approve',
      'POST …/changesets/<name>/verify',
      'POST …/origin/pull',
      'POST …/origin/push',
      'PUT …/twins/<vendor>/scenario',
      'DELETE …/twins/<vendor>/scenario',
      'POST …/clock/advance',
      'POST …/deploy',
      'POST …/deploy/<name>',
      'POST …/push',
      'PUT …/clock',
      'POST …/branches',
      'DELETE …/branches/<branchorg>/<branch>',
      'DELETE …/browsers/<name>',
      // Ours, beside the specification.
      'POST …/twins/<vendor>/conflicts',
      'GET …/recordings',
      'POST …/webhooks/<twin>/<number>/resend',
      'GET …/refusals/<nth>/grant',
      'POST …/runs',
      'POST …/reset',
      'PUT …/savepoint',
      'PUT …/browsers/<name>',
      'DELETE …/runs/<name>',
    ].sort(),
  );
  t.strictSame(
    open.sort(),
    [
      'GET /',
      'GET /<org>/<world>',
      'GET /<org>/<world>/',
      'GET /reference/refusals',
      'GET …/',
      'GET …/openapi.json',
      'GET …/page/<folder>/<file>',
      'GET …/tab/<file>',
    ].sort(),
  );

  await using site = await openTestSite();
  for (const { method, path, access } of routes) {
    if (access !== 'read' && access !== 'write') continue;
    const target = path.replace('<org>/<world>', 'acme/notes').replace(/<(twin|vendor)>/, 'note');
    const ask = async (token: string | null) =>
      (await site.ask({ method, target, headers: token === null ? [] : [['x-wrld-token', token]] })).status;
    t.equal(await ask(null), 401, `nobody: ${method} ${path}`);
    t.equal(await ask('tok_w_wrong'), 401, `a wrong token: ${method} ${path}`);
    t.equal((await ask(site.readToken)) === 403, access === 'write', `the read token: ${method} ${path}`);
    t.not(await ask(site.token), 403, `the token: ${method} ${path}`);
  }
});

t.test('[5.2] the forms of a token, and which counts when several came', async t => {
  await using site = await openTestSite();
  const { token, readToken } = site;
  const basic = (pair: string): string => `Basic ${btoa(pair)}`;
  const who = async (headers: readonly (readonly [string, string])[]): Promise<string> => {
    const clock = { method: 'PUT', target: '/-/acme/notes/clock', headers, body: '{}' };
    const { status } = await site.ask(clock);
    return status === 401 ? 'nobody' : status === 403 ? 'read' : 'write';
  };
  for (const [name, headers, expected] of [
    ['x-wrld-token', [['X-Wrld-Token', token]], 'write'],
    ['x-twins-key', [['x-twins-key', token]], 'write'],
    ['a bearer', [['Authorization', `Bearer ${token}`]], 'write'],
    ['a bearer in other case', [['authorization', `bEARER ${token}`]], 'write'],
    ['Authorization: token', [['authorization', `token ${token}`]], 'write'],
    ['the password of Basic', [['authorization', basic(`anyone:${token}`)]], 'write'],
    ['Basic without a user', [['authorization', basic(`:${token}`)]], 'write'],
    ['the user of Basic', [['authorization', basic(`${token}:`)]], 'nobody'],
    [
      '[security 43] a password that goes on after a colon',
      [['authorization', basic(`u:${token}:x`)]],
      'nobody',
    ],
    ['the read token', [['x-wrld-token', readToken]], 'read'],
    [
      'x-wrld-token before x-twins-key',
      [
        ['x-twins-key', token],
        ['x-wrld-token', readToken],
      ],
      'read',
    ],
    [
      'x-twins-key before Authorization',
      [
        ['authorization', `Bearer ${token}`],
        ['x-twins-key', readToken],
      ],
      'read',
    ],
    [
      'a wrong first is not made good by the next',
      [
        ['x-wrld-token', 'tok_w_x'],
        ['x-twins-key', token],
      ],
      'nobody',
    ],
    ['one character short', [['x-wrld-token', token.slice(0, -1)]], 'nobody'],
    ['an unknown scheme', [['authorization', `Digest ${token}`]], 'nobody'],
    [
      'two Authorization fields',
      [
        ['authorization', `Bearer ${token}`],
        ['authorization', `Bearer ${token}`],
      ],
      'nobody',
    ],
    ['nothing', [], 'nobody'],
  ] as const) {
    t.equal(await who(headers), expected, name);
  }
  const doubled = await site.ask({
    target: '/-/acme/notes/clock',
    headers: [
      ['x-wrld-token', token],
      ['X-Wrld-Token', token],
    ],
  });
  t.equal(doubled.status, 400, 'a field of ours that came twice is refused');
  t.equal(doubled.json.error.code, 'doubled-header');
});
