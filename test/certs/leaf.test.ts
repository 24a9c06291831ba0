// Leaves as others read them: OpenSSL in strict mode, Python in strict mode, Node's TLS client.
import { execFile, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createSecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import t from 'tap';
import { loadAuthority } from '../../certs/authority.ts';
import { LeafCache } from '../../certs/cache.ts';
import { integer, octets, oid, time, utf8 } from '../../certs/der.ts';
import { addressBytes, LeafMaker } from '../../certs/leaf.ts';
import { LEAF_DAYS } from '../../certs/limits.ts';
import { formatIpv6, parseIpv6 } from '../../policy/address.ts';
import { fc } from '../kit/property.ts';

const run = promisify(execFile);
const has = (program: string, ...probe: string[]): false | string =>
  spawnSync(program, probe).status === 0 ? false : `${program} is not on this machine`;

const folder = await mkdtemp(join(tmpdir(), 'wrld-leaf-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const loaded = await loadAuthority(join(folder, 'ca'));
if (!loaded.ok) throw new Error(loaded.why);
const { authority } = loaded;
const maker = new LeafMaker(authority);

const LONG = `${'a'.repeat(61)}.test`;
const HOSTS = [
  'api.stripe.com',
  'a',
  'x.localhost',
  'my_db',
  'xn--bcher-kva.test',
  '127.0.0.1',
  '::1',
  '2606:4700::1111',
  LONG,
];

t.test(
  '[bad-input CA] OpenSSL accepts each leaf in strict mode',
  { skip: has('openssl', 'version') },
  async t => {
    for (const host of HOSTS) {
      const file = join(folder, 'leaf.pem');
      await writeFile(file, maker.make(host));
      const named = addressBytes(host) === null ? '-verify_hostname' : '-verify_ip';
      const args = [
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-CAfile',
        authority.certificateFile,
        named,
        host,
        file,
      ];
      t.match((await run('openssl', args)).stdout, /: OK/, host);
    }
  },
);

t.test('[bad-input CA] one key for all leaves, a serial for each, at most 90 days', async t => {
  const leaves = HOSTS.map(host => new X509Certificate(maker.make(host)));
  const issuer = new X509Certificate(authority.certificatePem);
  t.equal(new Set(leaves.map(leaf => leaf.serialNumber)).size, HOSTS.length);
  t.equal(new Set(leaves.map(leaf => leaf.publicKey.export({ type: 'spki', format: 'pem' }))).size, 1);
  for (const leaf of leaves) {
    t.notOk(leaf.ca);
    t.ok(leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey));
    t.strictSame(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
    t.ok(leaf.validToDate.getTime() - leaf.validFromDate.getTime() <= LEAF_DAYS * 86_400_000);
    t.ok(
      leaf.validFromDate.getTime() <= Date.now() - 3_600_000,
      'begins in the past, for clocks that are behind',
    );
  }
  t.ok(LEAF_DAYS <= 90);
});

t.test('[bad-input CA] an address is named as an address, a name as a name', async t => {
  const named = (host: string) => new X509Certificate(maker.make(host)).subjectAltName;
  t.equal(named('127.0.0.1'), 'IP Address:127.0.0.1');
  t.equal(named('::1'), 'IP Address:0:0:0:0:0:0:0:1');
  t.equal(named('api.stripe.com'), 'DNS:api.stripe.com');
});

t.test('[bad-input CA] a host too long for a common name stands in a critical alternative name', async t => {
  const sanCritical = Buffer.from('0603551d110101ff', 'hex');
  const sanPlain = Buffer.from('0603551d1104', 'hex');
  for (const [host, long] of [
    [LONG, true],
    ['a'.repeat(59).concat('.test'), false],
  ] as const) {
    const leaf = new X509Certificate(maker.make(host));
    t.equal(host.length > 64, long);
    t.equal(leaf.subject ?? '', long ? '' : `CN=${host}`);
    t.equal(leaf.raw.includes(sanCritical), long);
    t.equal(leaf.raw.includes(sanPlain), !long);
    t.equal(leaf.checkHost(host), host);
  }
});

/** Ends TLS as the proxy does: a TLSSocket on an accepted socket, its context by host. */
async function server(cache: LeafCache, host: string) {
  const tcp = createServer(socket => {
    const tls = new TLSSocket(socket, { isServer: true, secureContext: cache.contextFor(host) });
    tls.on('error', () => {});
    tls.on('_tlsError', () => {});
    tls.once('secure', () => tls.end('hello'));
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  return {
    port: (tcp.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

const trust = createSecureContext({ ca: authority.certificatePem });

async function handshake(port: number, host: string, session?: Buffer) {
  const name = addressBytes(host) === null ? { servername: host } : { host };
  const tcp = connectTcp(port, '127.0.0.1');
  const tls = connect({ socket: tcp, secureContext: trust, ...name, ...(session && { session }) });
  let ticket: Buffer | undefined;
  tls.on('session', given => (ticket = given));
  tls.resume();
  await once(tls, 'secureConnect');
  const reused = tls.isSessionReused();
  await once(tls, 'close');
  return { reused, ticket };
}

t.test('Node’s client accepts each leaf, and refuses it for another host', async t => {
  const cache = new LeafCache(authority);
  for (const host of ['api.stripe.com', LONG, '127.0.0.1', '::1']) {
    await using listening = await server(cache, host);
    await t.resolves(handshake(listening.port, host), host);
    await t.rejects(handshake(listening.port, 'evil.test'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  }
});

t.test('clients resume their sessions, with the process that gave them', async t => {
  const cache = new LeafCache(authority);
  await using listening = await server(cache, 'api.stripe.com');
  const first = await handshake(listening.port, 'api.stripe.com');
  t.equal(first.reused, false);
  t.ok(first.ticket);
  t.equal((await handshake(listening.port, 'api.stripe.com', first.ticket)).reused, true);
  const elsewhere = new LeafCache(authority);
  await using other = await server(elsewhere, 'api.stripe.com');
  t.equal(
    (await handshake(other.port, 'api.stripe.com', first.ticket)).reused,
    false,
    'not with another process',
  );
});

t.test(
  'Python accepts a leaf in strict mode',
  { skip: has('python3', '-c', 'import ssl; ssl.VERIFY_X509_STRICT') },
  async t => {
    const cache = new LeafCache(authority);
    const script = `
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT
with socket.create_connection(('127.0.0.1', int(sys.argv[2]))) as tcp:
    with context.wrap_socket(tcp, server_hostname=sys.argv[3]) as tls:
        print(tls.recv(5).decode())
`;
    for (const host of ['api.stripe.com', LONG, '127.0.0.1']) {
      await using listening = await server(cache, host);
      const args = ['-c', script, authority.certificateFile, String(listening.port), host];
      t.equal((await run('python3', args)).stdout, 'hello\n', host);
    }
  },
);

t.test('[properties] the bytes of an address are its own', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), groups => {
      const bytes = addressBytes(formatIpv6(groups));
      return bytes?.equals(Buffer.from(groups.flatMap(group => [group >> 8, group & 255]))) === true;
    }),
  );
  fc.assert(
    fc.property(fc.ipV6(), text => {
      const groups = parseIpv6(text)!.flatMap(group => [group >> 8, group & 255]);
      return addressBytes(text)?.equals(Buffer.from(groups)) === true;
    }),
  );
});

t.test('[X.690 8.1.3] a length takes as few bytes as it can', async t => {
  const head = (length: number): string => {
    const encoded = octets(Buffer.alloc(length));
    return encoded.subarray(0, encoded.length - length).toString('hex');
  };
  for (const [length, expected] of [
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [129, '048181'],
    [255, '0481ff'],
    [256, '04820100'],
    [257, '04820101'],
    [65_535, '0482ffff'],
  ] as const)
    t.equal(head(length), expected, String(length));
  t.throws(() => octets(Buffer.alloc(65_536)), { message: /65536 bytes is no part of a certificate/ });
});

t.test('[RFC 5280 4.1, 4.2] versions, serials and what is critical', async t => {
  const leaf = new X509Certificate(maker.make('api.stripe.com'));
  const issuer = new X509Certificate(authority.certificatePem);
  for (const { raw, serialNumber } of [leaf, issuer]) {
    t.ok(raw.includes(Buffer.from('a003020102', 'hex')), 'version 3');
    // 16 bytes whose first is neither zero nor negative, so that all serials are as long.
    t.match(serialNumber, /^[4-7][0-9A-F]{31}$/);
    t.ok(raw.includes(Buffer.from('0603551d130101ff', 'hex')), 'the constraints are critical');
    t.ok(raw.includes(Buffer.from('0603551d0f0101ff', 'hex')), 'and the usage');
  }
  for (const plain of ['0603551d25', '0603551d23', '0603551d0e'])
    t.notOk(leaf.raw.includes(Buffer.from(`${plain}0101ff`, 'hex')), `${plain} is not`);
});

t.test('[X.690] the forms that have a catch', async t => {
  t.equal(integer(Buffer.from('0000', 'hex')).toString('hex'), '020100', 'zero is one byte');
  t.equal(
    integer(Buffer.from('0080', 'hex')).toString('hex'),
    '02020080',
    'a positive number stays positive',
  );
  t.equal(integer(Buffer.from('00007f', 'hex')).toString('hex'), '02017f', 'no needless zeros');
  t.equal(oid('1.2.840.10045.4.3.2').toString('hex'), '06082a8648ce3d040302');
  t.equal(oid('1.2.840.113549').toString('hex'), '06062a864886f70d', 'an arc of three bytes');
  t.equal(oid('1.3.128').toString('hex'), '06032b8100', 'the least arc of two');
  t.equal(utf8('é').toString('hex'), '0c02c3a9');
  t.equal(time(new Date('2049-12-31T23:59:59.999Z')).toString('latin1'), '\x17\x0d491231235959Z');
  t.equal(time(new Date('2050-01-01T00:00:00Z')).toString('latin1'), '\x18\x0f20500101000000Z');
});
