import t from 'tap';
import type { Call } from '../../../twins/kit/call.ts';
import { exactMismatches, exactOf } from '../../../twins/kit/exact-request.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const call = (more: Partial<Call>): Call => ({
  method: 'POST',
  host: 'api.e.test',
  via: 'host',
  path: '/v1/x',
  query: '',
  headers: {},
  body: bytes(''),
  caller: null,
  scope: 'write',
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  ...more,
});

t.test(
  'the same request with another key, another boundary and another order of names is the same',
  async t => {
    const upload = (boundary: string): Partial<Call> => ({
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: bytes(
        `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\ncontent-type: text/plain\r\n\r\nabc\r\n--${boundary}--\r\n`,
      ),
    });
    const json = (text: string, key: string): Partial<Call> => ({
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: bytes(text),
    });
    const rows: readonly [Partial<Call>, Partial<Call>][] = [
      [upload('aaa'), upload('bbb')],
      [
        json('{"a":1,"note":"my key is one-of-mine"}', 'one-of-mine'),
        json('{ "note":"my key is two-of-mine","a":1}', 'two-of-mine'),
      ],
      [{ query: 'a=1&b=2' }, { query: 'b=2&a=1' }],
      [{ headers: { 'idempotency-key': 'x' } }, {}],
    ];
    for (const [one, two] of rows)
      t.strictSame(exactMismatches(exactOf(call(one), []), exactOf(call(two), [])), []);
    t.strictSame(exactOf(call(upload('aaa')), []).body, {
      upload: [
        { name: 'purpose', value: 'batch' },
        { name: 'file', filename: 'a.bin', type: 'text/plain', bytes: 3, digest: exactDigest() },
      ],
    });
    function exactDigest(): string {
      const { body } = exactOf(call(upload('zzz')), []);
      return (body as { upload: { digest: string }[] }).upload[1]!.digest;
    }
  },
);

t.test('what is another in it is named by its place', async t => {
  const form = (body: string): Call =>
    call({ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: bytes(body) });
  const wanted = exactOf(
    call({ query: 'a=1', headers: { 'x-version': '1' }, body: bytes('{"m":[{"c":"hi"}],"n":1}') }),
    ['x-version'],
  );
  const rows: readonly [Partial<Call>, readonly string[]][] = [
    [{ method: 'GET' }, ['method']],
    [{ path: '/v1/y' }, ['path']],
    [{ query: 'a=2' }, ['query.a']],
    [{ query: 'a=1&a=2' }, ['query.a']],
    [{ query: '' }, ['query.a']],
    [{ query: 'a=1&b=1' }, ['query.b']],
    [{ headers: {} }, ['headers.x-version']],
    [{ body: bytes('{"m":[{"c":"ho"}],"n":1}') }, ['body.m.0.c']],
    [{ body: bytes('{"m":[{"c":"hi"},{}],"n":1}') }, ['body.m.1']],
    [{ body: bytes('{"m":[],"n":1,"o":2}') }, ['body.m.0', 'body.o']],
    [{ body: bytes('') }, ['body']],
    [{ body: bytes('plain') }, ['body']],
  ];
  const same = { query: 'a=1', headers: { 'x-version': '1' }, body: bytes('{"m":[{"c":"hi"}],"n":1}') };
  for (const [more, places] of rows)
    t.strictSame(exactMismatches(wanted, exactOf(call({ ...same, ...more }), ['x-version'])), places);
  t.strictSame(exactMismatches(exactOf(form('a[b]=1'), []), exactOf(form('a[b]=2'), [])), ['body.a.b']);
});

t.test('bytes are known by their length and digest, and no secret of a query or a path is kept', async t => {
  const binary = call({ body: new Uint8Array([0, 1, 255]) });
  t.match(exactOf(binary, []).body, { bytes: 3, digest: String });
  t.not(
    JSON.stringify(exactOf(call({ body: new Uint8Array([0, 1, 254]) }), [])),
    JSON.stringify(exactOf(binary, [])),
  );
  const seen = exactOf(call({ path: `/bot123456789:${'A'.repeat(35)}/send`, query: 'api_key=abc&x=1' }), []);
  t.strictSame(seen, {
    method: 'POST',
    path: '/masked-telegram-token/send',
    query: { api_key: 'masked-api-key', x: '1' },
  });
});
