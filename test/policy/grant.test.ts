// What the config may list, and what a table of it permits (7.2 `not-granted`).

import t from 'tap';
import { type Grant, parseGrant } from '../../policy/grant.ts';
import { GrantTable, PathGrants } from '../../policy/grant-table.ts';
import { makePermit } from '../../policy/permit.ts';
import { PrefixMap } from '../../policy/prefix-map.ts';
import { fc } from '../kit/property.ts';

function grant(text: string): Grant {
  const read = parseGrant(text);
  if (!read.ok) throw new Error(read.why);
  return read.grant;
}

t.test('[7.2 not-granted] what a grant may be', async t => {
  const rows: [text: string, expected: Partial<Grant>][] = [
    ['https://p.test', { kind: 'origin', origin: 'https://p.test', port: 443, path: '/' }],
    ['https://p.test/', { kind: 'origin', origin: 'https://p.test', path: '/' }],
    ['http://p.test:8080', { kind: 'origin', origin: 'http://p.test:8080', scheme: 'http', port: 8080 }],
    ['https://p.test/v1/', { kind: 'subtree', path: '/v1/' }],
    ['https://p.test/v1/x', { kind: 'exact', path: '/v1/x' }],
    ['https://p.test/v1/a%20b', { kind: 'exact', path: '/v1/a%20b' }],
    ['http://[::1]:9000/', { kind: 'origin', class: 'loopback', origin: 'http://[::1]:9000' }],
    ['https://xn--bcher-kva.test', { kind: 'origin', origin: 'https://xn--bcher-kva.test' }],
  ];
  for (const [text, expected] of rows) t.match(parseGrant(text), { ok: true, grant: expected }, text);
});

t.test('[bad-input Output, CA, config] what it may not be, and how that is said', async t => {
  const rows: [text: string, why: RegExp][] = [
    ['*', /no wildcards/],
    ['https://*.p.test', /no wildcards/],
    ['*://p.test', /no wildcards/],
    ['https://p.test/v1/*', /a subtree ends in `\/`/],
    ['https://u:p@p.test', /no user information/],
    ['https://p.test/v1?x=1', /a query is not part of a grant/],
    ['https://p.test/v1#f', /no fragment/],
    ['ftp://p.test/', /neither http nor https/],
    ['wss://p.test/', /neither http nor https/],
    ['HTTPS://p.test', /write the scheme in lower case/],
    ['p.test', /is not a URL/],
    ['p.test:443', /is not a URL/],
    ['', /is not a URL/],
    ['https://', /host cannot be read/],
    ['https:///v1/', /host cannot be read/],
    ['https://p..test', /host cannot be read/],
    ['https://p.test:443/v1/', /write https:\/\/p\.test\/v1\/ /],
    ['https://P.test', /write https:\/\/p\.test /],
    ['https://p.test.', /write https:\/\/p\.test /],
    ['https://127.1/', /write https:\/\/127\.0\.0\.1\/ /],
    ['https://bücher.test', /write https:\/\/xn--bcher-kva\.test /],
    ['https://p.test/v1/../w/', /write https:\/\/p\.test\/w\/ /],
    ['https://p.test/%7euser', /write https:\/\/p\.test\/~user /],
    ['https://p.test/a%c3%a9', /write https:\/\/p\.test\/a%C3%A9 /],
    ['https://p.test/a%2fb', /path cannot be read: an encoded `\/`/],
    ['https://p.test\\v1', /backslash/],
    [`https://p.test/${'a'.repeat(3000)}`, /longer than/],
    ['https://p.test/\u202ex', /path cannot be read/],
  ];
  for (const [text, why] of rows) {
    const read = parseGrant(text);
    t.notOk(read.ok, text);
    if (!read.ok) {
      t.match(read.why, why, text);
      t.match(read.why, /accepted: an origin/, 'it says what is accepted');
      t.notMatch(read.why, /\u202e/);
    }
  }
});

t.test('[properties] a grant that is read is written the same way', async () => {
  const segment = fc.string({
    unit: fc.constantFrom('a', 'B', '9', '-', '%', '2', 'f', '.', '~', ';'),
    maxLength: 6,
  });
  const url = fc
    .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.array(segment, { maxLength: 4 }))
    .map(([scheme, host, path]) => `${scheme}://${host}/${path.join('/')}`);
  fc.assert(
    fc.property(url, text => {
      const read = parseGrant(text);
      if (!read.ok) return true;
      const again = `${read.grant.origin}${read.grant.path}`;
      return again === text && parseGrant(again).ok;
    }),
    { numRuns: 1000 },
  );
});

t.test('paths granted on an origin', async t => {
  const paths = new PathGrants();
  for (const text of ['https://h/a/b/', 'https://h/a/c', 'https://h/deep/er/still/']) paths.add(grant(text));
  const permits = (target: string): boolean => {
    const query = target.indexOf('?');
    return paths.permits(target, query < 0 ? target.length : query);
  };
  const allowed = ['/a/b/', '/a/b/c', '/a/b/c/d?/x', '/a/c', '/a/c?x=/y', '/deep/er/still/x/y/z'];
  const refused = [
    '/',
    '/a',
    '/a/',
    '/a/b',
    '/a/bb/',
    '/a/c/',
    '/a/cc',
    '/deep/er/',
    '/x?/a/b/',
    '/x?y=/a/c',
  ];
  for (const target of allowed) t.ok(permits(target), target);
  for (const target of refused) t.notOk(permits(target), target);
  t.notOk(paths.whole);
  paths.add(grant('https://h/'));
  t.ok(paths.whole && permits('/anything'));
});

t.test('prefixes: the longest wins, the first of two equals stays', async t => {
  const map = new PrefixMap<string>();
  t.ok(map.add('/', 'root'));
  t.ok(map.add('/a/b/', 'ab'));
  t.notOk(map.add('/a/b/', 'again'));
  t.equal(map.longest('/a/b/c', 6), 'ab');
  t.equal(map.longest('/a/b', 4), 'root');
  t.equal(map.longest('/x?/a/b/', 2), 'root');
  t.ok(map.add('/x?/', 'never'));
  t.equal(map.longest('/x?/', 2), 'root', 'a query is no path, even where a prefix looks like it');
  t.equal(map.longest('', 0), undefined);
});

t.test('a table finds an origin by scheme, host and port together', async t => {
  const table = new GrantTable();
  const permit = (one: Grant) => makePermit({ ...one, address: null, loopback: false });
  table.add('egress', grant('https://h.test:8443/a/'), permit);
  table.add('writes', grant('https://h.test:8443/w'), permit);
  table.add('egress', grant('http://h.test:8443'), permit);
  t.equal(table.size, 3);
  t.match(table.find('https', 'h.test', 8443), {
    egress: { whole: false },
    writes: { whole: false },
    passthrough: false,
  });
  t.equal(table.find('http', 'h.test', 8443)?.egress?.whole, true);
  t.equal(table.find('http', 'h.test', 8443)?.writes, null);
  for (const [scheme, host, port] of [
    ['https', 'h.test', 443],
    ['https', 'i.test', 8443],
    ['http', 'h.test', 16887],
  ] as const) {
    t.equal(table.find(scheme, host, port), undefined);
  }
});

t.test('an origin read before changes nothing of what a grant is read as', async t => {
  const piece = fc.constantFrom(
    '',
    '/',
    '..',
    '.',
    'v1',
    '*',
    '?x',
    '#f',
    '%2f',
    '%7e',
    '%20',
    '\\',
    ';',
    'é',
    'a.b',
    '~',
  );
  const origin = fc.constantFrom(
    'https://p.test',
    'http://p.test',
    'https://p.test:8443',
    'http://a',
    'https://P.test',
    'https://',
  );
  const known = new Map();
  parseGrant('https://p.test/v1/', known);
  parseGrant('https://Q.test/v1/', known);
  t.strictSame([...known.keys()], ['https://p.test'], 'kept by the name that others will have too');
  for (const text of ['https://p.test', 'https://p.test/', 'https://p.test/x', 'http://a', 'http://a/'])
    t.strictSame(parseGrant(text, known), parseGrant(text), text);
  fc.assert(
    fc.property(fc.array(fc.tuple(origin, fc.array(piece, { maxLength: 5 })), { maxLength: 12 }), texts => {
      const known = new Map();
      for (const [start, pieces] of texts) {
        for (const text of [
          start + pieces.join('/'),
          start + pieces.join(''),
          `${start}/${pieces.join('/')}`,
        ])
          t.strictSame(parseGrant(text, known), parseGrant(text), text);
      }
    }),
    { numRuns: 60 },
  );
});
