// Every "Authority" row of bad-input: what a client may call a host, and what that host is.

import t from 'tap';
import { classifyAddress, formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '../../policy/address.ts';
import { formatAuthority, headerText, parseAuthority, parseHost } from '../../policy/authority.ts';
import { parseAbsoluteTarget } from '../../policy/target.ts';
import { fc } from '../kit/property.ts';

const long = (label: number, count: number): string => new Array(count).fill('a'.repeat(label)).join('.');

t.test('[bad-input Authority] readable spellings and their one canonical form', async t => {
  const rows: [text: string, host: string, port: number, of: string][] = [
    ['p.test', 'p.test', 443, 'name'],
    ['P.TEST', 'p.test', 443, 'name'],
    ['p.test:443', 'p.test', 443, 'name'],
    ['p.test:8443', 'p.test', 8443, 'name'],
    ['p.test.', 'p.test', 443, 'name'],
    ['p.test.:8443', 'p.test', 8443, 'name'],
    ['my_db:5432', 'my_db', 5432, 'name'],
    ['a-b.c-d.test', 'a-b.c-d.test', 443, 'name'],
    // A Cyrillic letter that looks like `p` is another name, compared by its A-label.
    ['р.test', 'xn--p1a.test', 443, 'name'],
    ['xn--p1a.test', 'xn--p1a.test', 443, 'name'],
    // Fullwidth letters, the ideographic full stop and the soft hyphen map to what is dialled.
    ['ｐ.test', 'p.test', 443, 'name'],
    ['p。test', 'p.test', 443, 'name'],
    ['p\u00ad.test', 'p.test', 443, 'name'],
    ['bücher.test', 'xn--bcher-kva.test', 443, 'name'],
    ['XN--BCHER-kva.test.', 'xn--bcher-kva.test', 443, 'name'],
    ['xn--zca.xn--zca', 'xn--zca.xn--zca', 443, 'name'],
    ['1.xn--mhb', '1.xn--mhb', 443, 'name'],
    ['xn--mgba3gch31f060k', 'xn--mgba3gch31f060k', 443, 'name'],
    ['aa--', 'aa--', 443, 'name'],
    ['127.1', '127.0.0.1', 443, 'loopback'],
    ['0x7f.1', '127.0.0.1', 443, 'loopback'],
    ['2130706433', '127.0.0.1', 443, 'loopback'],
    ['0177.0.0.1', '127.0.0.1', 443, 'loopback'],
    ['①②⑦.⓪.⓪.①', '127.0.0.1', 443, 'loopback'],
    ['127.0.0.1.', '127.0.0.1', 443, 'loopback'],
    ['[::ffff:127.0.0.1]', '127.0.0.1', 443, 'loopback'],
    ['[::FFFF:7F00:1]', '127.0.0.1', 443, 'loopback'],
    ['[::127.0.0.1]', '127.0.0.1', 443, 'loopback'],
    ['[64:ff9b::7f00:1]', '127.0.0.1', 443, 'loopback'],
    // A compatible address leads nowhere; one that would lead inside is judged as where it would lead.
    ['[::13.1.68.3]', '::d01:4403', 443, 'private'],
    ['[::10.1.2.3]', '10.1.2.3', 443, 'private'],
    ['[::169.254.169.254]', '169.254.169.254', 443, 'metadata'],
    ['[::1]:8080', '::1', 8080, 'loopback'],
    ['[0:0:0:0:0:0:0:1]', '::1', 443, 'loopback'],
    ['localhost', 'localhost', 443, 'loopback'],
    ['shop.acme.localhost:3000', 'shop.acme.localhost', 3000, 'loopback'],
    ['notlocalhost', 'notlocalhost', 443, 'name'],
    ['0', '0.0.0.0', 443, 'unspecified'],
    ['0.0.0.0', '0.0.0.0', 443, 'unspecified'],
    ['[::]', '::', 443, 'unspecified'],
    ['169.254.169.254', '169.254.169.254', 443, 'metadata'],
    ['[fd00:ec2::254]', 'fd00:ec2::254', 443, 'metadata'],
    ['100.100.100.200', '100.100.100.200', 443, 'metadata'],
    ['[fe80::1]', 'fe80::1', 443, 'link-local'],
    ['10.1.2.3', '10.1.2.3', 443, 'private'],
    ['8.8.8.8', '8.8.8.8', 443, 'public'],
    ['*.p.test', '*.p.test', 443, 'name'],
    [`${long(49, 5)}.abc`, `${long(49, 5)}.abc`, 443, 'name'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`, 443, 'name'],
  ];
  for (const [text, host, port, of] of rows) {
    t.match(parseAuthority(text, 443), { ok: true, host, port, class: of }, text);
  }
});

t.test('[bad-input Authority] unreadable spellings', async t => {
  const rows = [
    '',
    '.',
    'p.test..',
    '.p.test',
    'p..test',
    '[p.test]',
    '[[p.test]]',
    '[::1',
    '::1',
    '[fe80::1%25eth0]',
    '[fe80::1%eth0]:443',
    '[1.2.3.4]',
    'p.test:',
    'p.test:0',
    'p.test:0443',
    'p.test:99999',
    'p.test:65536',
    'p.test:+443',
    'p.test:443:443',
    '/x',
    'a/evil',
    'u@a',
    'u:p@a:443',
    'a\\b',
    'a b',
    'a\tb',
    'a\0b',
    'a%2eb',
    'a?b',
    'a#b',
    'a,b',
    'p.test;x',
    'a$b.test',
    'p*.test',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.0x100',
    `${'a'.repeat(64)}.test`,
    `${long(49, 5)}.abcd`,
    'a'.repeat(4000),
    '\ud800.test',
    // Web Platform Tests, url/resources/toascii.json: what they have for no host.
    'xn--a',
    'xn--a.xn--zca',
    'xn--a.ß',
    'xn--ls8h=',
    'xn--tešla',
    'xn--1ug.example',
    'xn--mhb.1',
    'xn--a-yoc',
    'xn--zn7c.com',
    '\u200d.example',
    'يa',
    '\u064a.1',
    '\ufffd.com',
    'xn--',
    'xn--ascii-',
    'xn--xn---epa',
  ];
  for (const text of rows) t.match(parseAuthority(text, 443), { ok: false }, JSON.stringify(text));
  t.match(parseAuthority('u@a', 443), { ok: false, why: /user information/ });
  t.match(parseAuthority('p.test:65535', null), { ok: true, port: 65_535 });
  t.match(parseAuthority('p.test:65536', null), { ok: false, why: /above 65535/ });
  t.match(parseAuthority('p.test', null), { ok: false }, 'a CONNECT without a port');
  t.match(parseAuthority('P.test', null), { ok: false }, 'a CONNECT without a port, read the slow way');
  t.match(parseAuthority('p.test:443', null), { ok: true, port: 443 }, 'a CONNECT with one');
});

t.test('[2.1 target] what cannot be read is safe to show', async t => {
  const read = parseAuthority('user:secret@evil\r\n\u202e.test', 443);
  t.equal(read.ok, false);
  if (read.ok) return;
  t.equal(read.text, 'evil\\x0d\\x0a\\u202e.test');
  const endless = parseAuthority('\x07'.repeat(9000), 443);
  t.ok(!endless.ok && endless.text.length <= 256);
});

t.test('hosts alone', async t => {
  t.match(parseHost('::1'), { ok: true, host: '::1' });
  t.match(parseHost('[::1]'), { ok: true, host: '::1' });
  t.match(parseHost('API.example.com.'), { ok: true, host: 'api.example.com' });
  t.match(parseHost('api.example.com:443'), { ok: false });
  t.match(parseHost('api.example.com:'), { ok: false });
});

t.test('[bad-input Authority] text that only some readers take for an address is none', async t => {
  for (const text of ['1.2.3', '01.2.3.4', '1.2.3.256', '00.0.0.0', '1.2.3.4.5', '1.2.3.', '0x7f.0.0.1'])
    t.equal(parseIpv4(text), null, text);
  t.equal(parseIpv4('255.0.0.255'), 0xff0000ff);
  for (const text of [
    '1::2::3',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2:3:4:5:6:7:8',
    '1.2.3.4::',
    '::12345',
  ])
    t.equal(parseIpv6(text), null, text);
  t.strictSame(parseIpv6('::1.2.3.4'), [0, 0, 0, 0, 0, 0, 0x102, 0x304]);
});

t.test('classes of addresses, as the dialler asks', async t => {
  const rows: [string, string][] = [
    ['127.255.0.1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:0:169.254.169.254', 'metadata'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b:1::1', 'private'],
    ['2002:7f00:1::', 'loopback'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'private'],
    ['fd12::1', 'private'],
    ['ff02::1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['172.15.255.255', 'public'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['100.64.0.0', 'private'],
    ['192.168.0.1', 'private'],
    ['2606:4700::1111', 'public'],
    ['0.1.2.3', 'unspecified'],
    ['not an address', 'unspecified'],
  ];
  for (const [ip, of] of rows) t.equal(classifyAddress(ip), of, ip);
});

t.test('[properties] addresses survive their own spelling', async t => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), value => parseIpv4(formatIpv4(value)) === value),
  );
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), groups => {
      const text = formatIpv6(groups);
      // The WHATWG serialiser is the oracle for RFC 5952.
      t.equal(
        `[${text}]`,
        new URL(`http://[${groups.map(group => group.toString(16)).join(':')}]/`).hostname,
      );
      return JSON.stringify(parseIpv6(text)) === JSON.stringify(groups);
    }),
  );
  const word = fc.string({ unit: fc.constantFrom(...'abc019.:-[]%@xF*_ /'), maxLength: 24 });
  fc.assert(
    fc.property(fc.oneof(word, fc.string(), fc.ipV6(), fc.webAuthority()), text => {
      const read = parseAuthority(text, 443);
      if (!read.ok) return read.text.length <= 256;
      const again = parseAuthority(formatAuthority(read), null);
      return again.ok && again.host === read.host && again.port === read.port && again.class === read.class;
    }),
    { numRuns: 2000 },
  );
});

t.test('formatAuthority', async t => {
  t.equal(formatAuthority({ host: '::1', port: 443 }), '[::1]:443');
  t.equal(formatAuthority({ host: 'a.test', port: 443 }, 'https'), 'a.test');
  t.equal(formatAuthority({ host: 'a.test', port: 443 }, 'http'), 'a.test:443');
});

t.test('[bad-input Authority] header bytes are text only where they are UTF-8', async t => {
  t.equal(headerText('p.test'), 'p.test');
  t.equal(headerText(Buffer.from('ｐ.test').toString('latin1')), 'ｐ.test');
  t.equal(headerText('b\xfccher.test'), null);
});

t.test('[bad-input Authority] the absolute form', async t => {
  t.match(parseAbsoluteTarget('http://p.test@evil.test/x?y'), {
    scheme: 'http',
    authority: { ok: true, host: 'evil.test', port: 80 },
    path: '/x?y',
  });
  t.match(parseAbsoluteTarget('HTTPS://P.test'), { scheme: 'https', authority: { port: 443 }, path: '' });
  t.match(parseAbsoluteTarget('ftp://p.test/'), { authority: { ok: false } });
  t.match(parseAbsoluteTarget('http://p.test\\@evil.test/'), {
    authority: { host: 'p.test' },
    path: '\\@evil.test/',
  });
  t.match(parseAbsoluteTarget('http:///x'), { authority: { ok: false } });
  t.equal(parseAbsoluteTarget('/x'), null);
  t.equal(parseAbsoluteTarget('p.test:443'), null);
});

t.test('[bad-input DNS] an address is classed with and without brackets and zone', async t => {
  for (const text of ['::1', '[::1]', '::1%lo', '[::1%lo]']) t.equal(classifyAddress(text), 'loopback', text);
  for (const text of ['[::1', '::1]', '', 'p.test']) t.equal(classifyAddress(text), 'unspecified', text);
  t.equal(classifyAddress('[2606:4700::1111]'), 'public');
});
