import t from 'tap';
import { type Access, type Asker, judge, judgeVendorCall, MAY } from '../../../control/http/access.ts';
import { routes } from '../../../control/http/routes.ts';
import { openTestSite } from '../../kit/site.ts';

const asker = (by: Asker['by'], scope: Asker['scope']): Asker => ({ by, scope, caller: `${by}:${scope}` });
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
  vendor: [401, 0, 0, 0, 0, 0, 0],
  read: [401, 0, 0, 0, 0, 0, 0],
  write: [401, 0, 403, 0, 403, 0, 403],
  rules: [401, 0, 403, 403, 403, 0, 403],
  seal: [401, 0, 403, 403, 403, 0, 403],
  keys: [401, 0, 403, 403, 403, 0, 403],
  token: [401, 0, 403, 403, 403, 403, 403],
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
      'GET …/clock',
      'GET …/log/<twin>',
      'GET …/map',
      'GET …/refusals',
      'GET …/timeline',
      'GET …/twins',
      'GET /<org>/<world>/.well-known/wrld-world',
    ].sort(),
  );
  t.strictSame(
    write.sort(),
    [
      'GET …/twins/<vendor>/status',
      'POST …/clock/advance',
      'PUT …/clock',
      // Ours, beside the specification.
      'POST …/runs',
      'DELETE …/runs/<name>',
    ].sort(),
  );
  t.strictSame(
    open.sort(),
    ['GET /', 'GET /<org>/<world>', 'GET /<org>/<world>/', 'GET /reference/refusals'].sort(),
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
    ['a password that goes on after a colon', [['authorization', basic(`u:${token}:x`)]], 'nobody'],
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
