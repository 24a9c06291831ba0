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
  SHAPES,
  secretsIn,
  sourceOf,
} from '../../../twins/kit/secrets.ts';
import { A, core, KEYS } from '../../kit/secret-samples.ts';

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

t.test('every row of the shapes has a sample here, and is masked by its name', async t => {
  const samples = Object.values(KEYS).flat();
  for (const shape of SHAPES) {
    const row = `${shape.name}: ${shape.pattern}`;
    const alone = new RegExp(sourceOf(shape));
    const held = samples.filter(sample => alone.test(sample));
    t.ok(held.length > 0, `no key of KEYS is of the shape ${row}`);
    t.ok(
      held.some(sample => maskText(sample).includes(`masked-${shape.name}`)),
      `a row before it takes every sample of ${row}`,
    );
  }
});

t.test('a key is found in Base64, wherever that begins', async t => {
  const secret = KEYS['stripe']![0]!;
  for (const before of ['', 'a', 'ab', 'abc'])
    for (const place of [
      (text: string) => text,
      (text: string) => `/v1/files/${text}/x`,
      (text: string) => `data:text/plain;base64,${text}`,
      (text: string) => JSON.stringify({ content: `${text}==` }),
    ]) {
      const text = place(btoa(`${before} ${secret} and more`).replace(/=+$/, ''));
      const masked = maskText(text);
      t.match(masked, /masked-base64/);
      t.notOk(hasSecret(masked), masked);
      t.notMatch(masked, btoa(` ${secret}`).slice(4, 30));
      t.equal(maskText(text.replaceAll('+', '-').replaceAll('/', '_')).includes('masked-base64'), true);
    }
  t.equal(
    maskText(`/v1/files/${btoa(secret).replace(/=+$/, '')}`),
    '/v1/files/masked-base64',
    'and nothing beside it goes',
  );
  const image = btoa(`\u0089PNG\r\n${'not a key at all '.repeat(50)}`);
  t.equal(maskText(image), image);
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
