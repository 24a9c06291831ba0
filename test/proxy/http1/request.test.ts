import { createServer } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import t from 'tap';
import { findField, newFields, scanFields } from '../../../proxy/http1/fields.ts';
import { readRequestHead } from '../../../proxy/http1/request.ts';
import { fc } from '../../kit/property.ts';

const head = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const read = (...lines: string[]) => readRequestHead(head(lines));

t.test('a field is looked for in its own head, and not in one before it', t => {
  const fields = newFields();
  t.ok(scanFields('Host: a\r\nX-Two: 2\r\n\r\n', 0, fields));
  t.equal(findField('Host: a\r\nX-Two: 2\r\n\r\n', fields, 'x-two'), '2');
  // The places of the second field are in memory still.
  t.ok(scanFields('Host: a\r\n\r\n', 0, fields));
  t.equal(findField('Host: a\r\nX-Two: 2\r\n\r\n', fields, 'x-two'), undefined);
  t.end();
});

t.test('[bad-input Parser] what no two parsers agree on is refused', t => {
  const rows: readonly (readonly [name: string, text: string])[] = [
    [
      'a length beside chunked',
      head(['POST / HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Transfer-Encoding: chunked']),
    ],
    ['two lengths', head(['POST / HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Content-Length: 3'])],
    ['a signed length', head(['POST / HTTP/1.1', 'Host: a', 'Content-Length: +1'])],
    ['a list of lengths', head(['POST / HTTP/1.1', 'Host: a', 'Content-Length: 1,1'])],
    [
      'a length past what a number holds',
      head(['POST / HTTP/1.1', 'Host: a', 'Content-Length: 9999999999999999']),
    ],
    ['white space before the colon', head(['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding : chunked'])],
    ['a coding that is not chunked', head(['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: xchunked'])],
    ['a coding before chunked', head(['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked'])],
    [
      'chunked twice',
      head(['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']),
    ],
    ['chunked in HTTP/1.0', head(['POST / HTTP/1.0', 'Transfer-Encoding: chunked'])],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['an HTTP/2.0 request line', head(['GET / HTTP/2.0', 'Host: a'])],
    ['a folded field', head(['GET / HTTP/1.1', 'Host: a', 'X-A: b', ' c'])],
    ['a bare LF', 'GET / HTTP/1.1\nHost: a\r\n\r\n'],
    ['a bare CR in a value', head(['GET / HTTP/1.1', 'Host: a', 'X-A: b\rc'])],
    ['NUL in a value', head(['GET / HTTP/1.1', 'Host: a', 'X-A: b\0c'])],
    ['an empty field name', head(['GET / HTTP/1.1', 'Host: a', ': b'])],
    ['a control character in the target', head(['GET /\x01 HTTP/1.1', 'Host: a'])],
    ['a tab in the target', head(['GET /a\tb HTTP/1.1', 'Host: a'])],
    ['an 8-bit byte in the target', head(['GET /\xe9 HTTP/1.1', 'Host: a'])],
    ['two spaces after the method', head(['GET  / HTTP/1.1', 'Host: a'])],
    ['a lower-case method', head(['get / HTTP/1.1', 'Host: a'])],
    ['an unknown method', head(['FOO / HTTP/1.1', 'Host: a'])],
    ['TRACK', head(['TRACK / HTTP/1.1', 'Host: a'])],
    ['an expectation nobody knows', head(['GET / HTTP/1.1', 'Host: a', 'Expect: 200-maybe'])],
    ['three thousand fields', head(['GET / HTTP/1.1', ...Array.from({ length: 3_000 }, () => 'a:b')])],
  ];
  for (const [name, text] of rows) t.equal(readRequestHead(text).ok, false, name);
  t.end();
});

t.test('[bad-input Parser] a head goes on as it came, without what belongs to this hop', t => {
  const request = read(
    'POST /v1/a?b=c HTTP/1.1',
    'HOST: p.test',
    'X-Dup: one',
    'proxy-authorization: Basic c2VjcmV0',
    'x-DUP:   two  ',
    'Connection: keep-alive, x-hop',
    'X-Hop: gone',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: keep-alive',
    'Upgrade-Insecure-Requests: 1',
    'X-Wrld-Caller: person:mallory',
    'X-Wrld-Read-Only: 1',
    'X-Twins-Key: tok_w_1',
    'TE: trailers',
    'content-length: 3',
  );
  if (!request.ok) throw new Error(request.why);
  t.equal(
    request.forwarded,
    'X-Dup: one\r\nx-DUP:   two  \r\nUpgrade-Insecure-Requests: 1\r\ncontent-length: 3\r\n',
    'case, order, duplicates and spacing stay',
  );
  t.equal(request.credentials, 'x-twins-key: tok_w_1\r\n', 'the world’s credentials are kept apart');
  t.equal(request.proxyAuthorization, 'Basic c2VjcmV0');
  t.strictSame(request.framing, { kind: 'length', length: 3 });
  t.equal(request.host, 'p.test');
  t.equal(request.keepAlive, true);
  t.end();
});

t.test('[bad-input Parser] Connection cannot name away what frames or routes the message', t => {
  const request = read(
    'POST / HTTP/1.1',
    'Host: p.test',
    'Content-Length: 3',
    'Connection: host, content-length',
  );
  if (!request.ok) throw new Error(request.why);
  t.equal(request.forwarded, 'Content-Length: 3\r\n');
  t.end();
});

t.test('[bad-input Method] upgrades, overrides and persistence are read for the judge', t => {
  const upgrade = read('GET / HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket');
  t.equal(upgrade.ok && upgrade.upgrade, 'websocket');
  const idle = read('GET / HTTP/1.1', 'Host: a', 'Upgrade: websocket');
  t.equal(idle.ok && idle.upgrade, null, 'Upgrade that Connection does not name asks for nothing');
  const override = read('GET / HTTP/1.1', 'Host: a', 'X-HTTP-Method-Override: delete');
  t.equal(override.ok && override.methodOverride, 'DELETE');
  const old = read('GET / HTTP/1.0', 'Connection: keep-alive');
  t.equal(old.ok && old.keepAlive, true);
  const once = read('GET / HTTP/1.0');
  t.equal(once.ok && once.keepAlive, false);
  const twoHosts = read('GET / HTTP/1.1', 'Host: a', 'Host: b');
  t.equal(twoHosts.ok && twoHosts.hosts, 2);
  t.end();
});

/** Node's own parser, fed without a network. Answers what it made of the head, or null when it refused. */
function nodeReads(text: string): Promise<{ readonly method: string; readonly url: string } | null> {
  return new Promise(resolve => {
    const server = createServer((request, response) => {
      resolve({ method: request.method!, url: request.url! });
      response.end();
      request.destroy();
    });
    server.on('connect', request => resolve({ method: request.method!, url: request.url! }));
    server.on('upgrade', request => resolve({ method: request.method!, url: request.url! }));
    server.on('checkContinue', request => resolve({ method: request.method!, url: request.url! }));
    server.on('clientError', () => resolve(null));
    const [ours, theirs] = duplexPair() as [Duplex, Duplex];
    server.emit('connection', theirs);
    theirs.on('error', () => {});
    ours.on('error', () => {});
    ours.resume();
    ours.end(Buffer.from(text, 'latin1'));
    theirs.on('close', () => resolve(null));
  });
}

t.test('[bad-input Parser] whatever Node’s parser rejects is rejected here (fuzz)', async t => {
  const mostly = (good: readonly string[], bad: readonly string[]) =>
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...good) },
      { weight: 1, arbitrary: fc.constantFrom(...bad) },
    );
  const piece = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('a', 'Host', 'chunked', '3', ',', ';', '/', 'close', 'HTTP/1.1'),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(' ', '\t', ':', '\r', '\n', '\r\n', '\0', '\x7f', '\xff', '"', '%'),
    },
    {
      weight: 1,
      arbitrary: fc.string({ maxLength: 4 }).map(text => Buffer.from(text, 'utf8').toString('latin1')),
    },
  );
  const name = fc.constantFrom(
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Expect',
    'X-A',
    'Upgrade',
    'Trailer',
    'content-length ',
  );
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('3', 'chunked', 'a.test', 'close', '100-continue', 'keep-alive', ''),
    },
    { weight: 2, arbitrary: fc.array(piece, { maxLength: 4 }).map(parts => parts.join('')) },
  );
  const field = fc.tuple(name, mostly([':', ': ', ':\t'], [' :']), value).map(parts => parts.join(''));
  const line = fc
    .tuple(
      mostly(['GET', 'POST', 'QUERY', 'M-SEARCH'], ['get', 'FOO', 'PRI', '']),
      mostly([' '], ['  ', '\t']),
      fc.oneof(
        fc.constantFrom('/', '*', '/a?b', 'http://a.test/', '//', '/a b'),
        fc.array(piece, { maxLength: 3 }).map(p => `/${p.join('')}`),
      ),
      mostly([' HTTP/1.1', ' HTTP/1.0'], [' HTTP/2.0', '', ' HTTP/1.1 ', ' http/1.1']),
    )
    .map(parts => parts.join(''));
  const text = fc
    .tuple(line, fc.array(field, { maxLength: 5 }), mostly(['\r\n'], ['\n']))
    .map(([first, fields, end]) => `${[first, 'Host: a', ...fields].join(end)}${end}${end}`);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(text, async bytes => {
      // Only what the reader is given: a head that ends with its first empty line.
      const end = bytes.indexOf('\r\n\r\n');
      if (end === -1) return;
      const whole = bytes.slice(0, end + 4);
      const ours = readRequestHead(whole);
      if (!ours.ok) return;
      accepted++;
      // Node also wants a Host in HTTP/1.1 and only one of some fields: our judge refuses those by its own rule.
      if (ours.minor === 1 && ours.hosts !== 1) return;
      const theirs = await nodeReads(whole);
      if (theirs === null) throw new Error(`accepted here, refused by Node: ${JSON.stringify(whole)}`);
      if (theirs.method !== ours.method || theirs.url !== ours.target) throw new Error('read differently');
    }),
    { numRuns: 3_000 },
  );
  t.ok(accepted > 100, `the fuzz reaches heads that are accepted (${accepted})`);
});
