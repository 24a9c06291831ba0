// Nothing that looks like a key leaves the masker: every vendor's shapes, in every place of an exchange.
import t from 'tap';
import {
  credentialsOf,
  hasSecret,
  isCredentialHeader,
  isSecretName,
  maskField,
  maskJson,
  maskText,
  secretsIn,
} from '../../../twins/kit/secrets.ts';

const A = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA';
const HEX = '0123456789abcdef0123456789abcdef';
/** Put together here, so that nobody's scanner takes them for keys that leaked. */
const key = (...parts: readonly string[]): string => parts.join('');

/** By vendor: keys as their documents show them, none of them anybody's. */
const KEYS: { readonly [vendor: string]: readonly string[] } = {
  stripe: [
    ...['sk', 'rk', 'pk'].flatMap(kind => ['live', 'test'].map(mode => key(kind, '_', mode, '_', A))),
    key('sk', '_org_', A),
    key('wh', 'sec_', A),
    key('ek', '_test_', A),
    key('pi_3MtwBwLkdIwHu7ix', '_secret_', A),
    key('seti_1Mm8s8LkdIwHu7ix', '_secret_', A),
    key('cs_test_a1b2c3d4e5f6', '_secret_', A),
  ],
  openai: [
    key('sk', '-', A),
    key('sk', '-proj-', A, '_', A),
    key('sk', '-svcacct-', A),
    key('sk', '-admin-', A),
    key('se', 'ss-', A),
  ],
  anthropic: [
    key('sk', '-ant-api03-', A, '-', A),
    key('sk', '-ant-admin01-', A),
    key('sk', '-ant-oat01-', A),
  ],
  github: ['ghp', 'gho', 'ghu', 'ghs', 'ghr']
    .map(kind => key(kind, '_', A))
    .concat(key('github', '_pat_', A, '_', A)),
  gitlab: [key('gl', 'pat-', A)],
  slack: [
    key('xo', 'xb-123456789012-1234567890123-', A),
    key('xo', 'xp-', A),
    key('xo', 'xe.xoxp-1-', A),
    key('xa', 'pp-1-A012-', A),
    key('https://hooks.slack.com/services/T0000', '0000/B00000000/', A),
  ],
  google: [key('AI', 'za', A, 'abc'), key('ya', '29.', A), key('GO', 'CSPX-', A), key('1/', '/0', A)],
  resend: [key('re', '_', A), key('re', '_AbCdEf12_', A)],
  aws: [key('AK', 'IAIOSFODNN7EXAMPLE'), key('AS', 'IAIOSFODNN7EXAMPLE'), key('AB', 'SK', A)],
  azure: [key('AccountKey=', A), key('https://x.blob.test/a?sv=1&sig=', A)],
  others: [
    key('A', 'C', HEX),
    key('S', 'K', HEX),
    key('SG', '.', A, '.', A),
    key('key', '-', HEX),
    key(HEX, '-us12'),
    key('npm', '_', A),
    key('py', 'pi-', A),
    key('h', 'f_', A),
    key('gs', 'k_', A),
    key('xa', 'i-', A),
    key('pp', 'lx-', A),
    key('r', '8_', A),
    key('ls', 'v2_pt_', A),
    key('sk', '-lf-', A),
    key('pc', 'sk_', A),
    key('lin', '_api_', A),
    key('n', 'tn_', A),
    key('sh', 'pat_', HEX),
    key('EA', 'AA', A),
    key('do', 'p_v1_', HEX),
    key('123456789', ':AA', A, A),
    key('hv', 's.', A),
    key('dp', '.pt.', A),
    key('da', 'pi', HEX),
    key('AT', 'ATT', A),
    key('sb', '_secret_', A),
    key('ey', 'JhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxIn0.', A),
    key('-----BEGIN ', 'RSA PRIVATE KEY-----\nMIIEow', A, '\n-----END RSA PRIVATE KEY-----'),
    key('-----BEGIN ', 'OPENSSH PRIVATE KEY-----\n', A),
    key('postgres://app:', 'hunter2secret@db.test/x'),
    key('acme', '_secret_', A).replace('acme', 'secret'),
  ],
};

/** What no mask leaves: the part that opens something. */
const core = (secret: string): string =>
  /hunter2secret/.exec(secret)?.[0] ?? (secret.includes(A) ? A : secret.includes(HEX) ? HEX : secret);

t.test('every vendor’s keys are masked, whatever they stand in', async t => {
  const places: readonly ((secret: string) => string)[] = [
    s => s,
    s => `see ${s}, please`,
    s => `"${s}"`,
    s => `{"note":"${s}"}`,
    s => `https://e.test/a?x=${s}&y=1`,
    s => `Incorrect API key provided: ${s}.`,
    s => `Authorization: Bearer ${s}`,
    s => `${s}\n${s}`,
    s => `<a href='${s}'>`,
  ];
  const wrong: string[] = [];
  for (const [vendor, keys] of Object.entries(KEYS))
    for (const secret of keys)
      for (const [at, place] of places.entries()) {
        const masked = maskText(place(secret));
        const leaks = masked.includes(core(secret)) || hasSecret(masked) || maskText(masked) !== masked;
        if (leaks) wrong.push(`${vendor} in place ${at}: ${masked}`);
      }
  t.strictSame(wrong, []);
});

t.test('in JSON it is found in every field, in names, however deep and however escaped', async t => {
  for (const secret of Object.values(KEYS).flat()) {
    const masked = JSON.stringify(maskJson({ a: [{ metadata: { note: `x ${secret}` } }], [secret]: 1 }));
    t.notMatch(masked, core(secret));
  }
  const sample = KEYS['openai']![0]!;
  t.strictSame(maskJson(JSON.parse(`{"a":"\\u0073${sample.slice(1)}"}`)), { a: 'masked-openai-key' });
  const deep = (levels: number): unknown => (levels === 0 ? sample : [deep(levels - 1)]);
  t.notMatch(JSON.stringify(maskJson(deep(400) as never)), core(sample));
});

t.test('a field that is called a secret is one, whatever it looks like', async t => {
  const fields = {
    password: 'correct horse',
    client_secret: 'x',
    clientSecret: 'x',
    'x-api-key': 'short',
    apiKey: 'short',
    private_key: 'short',
    refresh_token: 'abcdefghijklmnop',
    access_token: 'abcdefghijklmnop',
    'Set-Cookie': 'a=b',
    credentials: 'x',
  };
  for (const [name, value] of Object.entries(fields)) {
    t.match(maskField(name, value), /^masked-[a-z-]+$/, name);
    t.equal(maskField(name, maskField(name, value)), maskField(name, value), name);
  }
  const plain = {
    next_page_token: A,
    pageToken: A,
    token: ' Hello',
    max_tokens: '12',
    secretary: 'Ada',
    key: 'a',
  };
  for (const [name, value] of Object.entries(plain)) t.equal(maskField(name, value), value, name);
  t.ok(isSecretName('webhook.secret', 'x'));
});

t.test('what is no key stays as it is', async t => {
  for (const text of [
    'chatcmpl-BVq8x1c2d3e4f5g6h7i8j9k0l1m2n',
    'msg_01XFDUDYJgAACzvnptvVoYEL',
    'cus_NffrFeUfNV2Hib and pi_3MtwBwLkdIwHu7ix28a3tqPa',
    'req_011CSHoEeqs5C35K2UUqR7Fy',
    'token-bucket-algorithm-explained-in-full',
    'The secret of good bread is time: mix, wait, fold.',
    'https://e.test:8443/a@b',
    'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
  ])
    t.equal(maskText(text), text);
});

t.test('what the request was let in with is masked wherever it comes back, without any shape', async t => {
  const secret = 'plain words only';
  const own = credentialsOf(
    { authorization: `Bearer ${secret}`, 'x-api-key': ['another one'], cookie: 'sid=cookie-value; b=c' },
    '',
  );
  const back = `got ${secret}, ${encodeURIComponent(secret)}, ${btoa(secret)}, another one and cookie-value`;
  const masked = maskText(back, own);
  t.notMatch(masked, /plain|another one|cookie-value/);
  t.notMatch(masked, btoa(secret).replace(/=+$/, ''));
  const basic = credentialsOf(
    { authorization: `Basic ${btoa('user-name:pass-word-1')}` },
    'api_key=query-secret',
  );
  t.equal(maskText('pass-word-1 query-secret', basic), 'masked-credential masked-credential');
  t.strictSame(
    credentialsOf({ authorization: 'Bearer short', 'idempotency-key': 'a-long-one-of-chance' }, ''),
    [],
  );
  t.ok(isCredentialHeader('x-goog-api-key'));
  t.notOk(isCredentialHeader('idempotency-key'));
});

t.test('two that meet are one place, and a long text of beginnings takes no time', async t => {
  const [one, two] = [KEYS['stripe']![0]!, KEYS['openai']![1]!];
  t.equal(secretsIn(`${one}${two}`).length >= 1, true);
  t.notMatch(maskText(`${one}-${two}`), A);
  // Linear, or this does not come to its end.
  t.equal(maskText('sk-'.repeat(200_000)).length, 600_000);
  t.equal(maskText('a'.repeat(1_000_000)).length, 1_000_000);
});
