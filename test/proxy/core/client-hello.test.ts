// Hellos of real clients, hellos put together by hand, and bytes that are none.
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import { type ClientHello, ClientHelloReader } from '../../../proxy/core/client-hello.ts';
import { CLIENT_HELLO_BYTES_MAX } from '../../../proxy/limits.ts';
import { fc } from '../../kit/property.ts';
import { extension, hello, records, serverName, u8, u16, vector16 } from './hello.ts';

/** What Node's own client says first. */
async function realHello(servername: string): Promise<Buffer> {
  const { promise: first, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      resolve(bytes);
      done();
    },
  });
  const tls = connectTls({ socket: wire, servername, ALPNProtocols: ['h2', 'http/1.1'] });
  tls.on('error', () => {});
  const bytes = await first;
  tls.destroy();
  wire.destroy();
  return bytes;
}

function readAll(bytes: Buffer, size: number = bytes.length): ClientHello {
  const reader = new ClientHelloReader();
  let result: ClientHello = { at: 'more' };
  for (let at = 0; at < bytes.length && result.at === 'more'; at += size)
    result = reader.read(bytes.subarray(at, at + size));
  return result;
}

t.test('a real client’s hello: whole, byte by byte, and short of its last byte', async t => {
  const bytes = await realHello('api.example.test');
  const named = { at: 'read', name: 'api.example.test' };
  t.same(readAll(bytes), named);
  t.same(readAll(bytes, 1), named);
  t.same(readAll(bytes.subarray(0, -1)), { at: 'more' });
  const reader = new ClientHelloReader();
  reader.read(bytes.subarray(0, 100));
  reader.read(bytes.subarray(100));
  t.same(reader.read(Buffer.from('after')), named, 'what follows changes nothing');
  t.same(
    reader.received,
    Buffer.concat([bytes, Buffer.from('after')]),
    'and all of it is kept to be sent on',
  );
});

t.test('[bad-input Transport] the name, or why there is none', t => {
  const name = serverName('p.test');
  const rows: readonly (readonly [string, Buffer, ClientHello | { at: 'unreadable' }])[] = [
    ['a name', records(hello([extension(0x2b, u8(0)), name])), { at: 'read', name: 'p.test' }],
    ['in capitals', records(hello([serverName('P.TEST')])), { at: 'read', name: 'p.test' }],
    ['over many records', records(hello([name]), 3), { at: 'read', name: 'p.test' }],
    ['no extensions at all', records(hello(null)), { at: 'read', name: null }],
    ['an empty list of extensions', records(hello([])), { at: 'read', name: null }],
    ['an encrypted hello', records(hello([name, extension(0xfe0d, u8(0))])), { at: 'read', name: null }],
    ['an encrypted name', records(hello([extension(0xffce, u8(0)), name])), { at: 'read', name: null }],
    ['two names', records(hello([name, serverName('q.test')])), { at: 'unreadable' }],
    [
      'two names in one list',
      records(
        hello([
          extension(
            0,
            vector16(u8(0), vector16(Buffer.from('p.test')), u8(0), vector16(Buffer.from('q.test'))),
          ),
        ]),
      ),
      { at: 'unreadable' },
    ],
    ['a name of another kind', records(hello([serverName('p.test', 1)])), { at: 'unreadable' }],
    ['an empty name', records(hello([serverName('')])), { at: 'unreadable' }],
    ['a space in the name', records(hello([serverName('p .test')])), { at: 'unreadable' }],
    ['a NUL in the name', records(hello([serverName('p.test\0.q.test')])), { at: 'unreadable' }],
    ['a name of eight-bit bytes', records(hello([serverName('p\xe9.test')])), { at: 'unreadable' }],
    ['bytes after the extensions', records(hello([name], u8(0))), { at: 'unreadable' }],
    ['a second message behind it', records(Buffer.concat([hello([name]), u8(1)])), { at: 'unreadable' }],
    ['an extension over its end', records(hello([Buffer.from([0, 0, 0, 9, 1])])), { at: 'unreadable' }],
    ['another message', records(Buffer.from([2, 0, 0, 1, 0])), { at: 'unreadable' }],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0]), { at: 'unreadable' }],
    ['another record type', Buffer.from([23, 3, 3, 0, 1, 0]), { at: 'unreadable' }],
    [
      'another record type in its middle',
      Buffer.concat([records(hello([name]).subarray(0, 9)), Buffer.from([21, 3, 1, 0, 2, 1, 0])]),
      { at: 'unreadable' },
    ],
    ['a record over 2^14', Buffer.from([22, 3, 1, 0x40, 1]), { at: 'unreadable' }],
    ['no TLS', Buffer.from([22, 2]), { at: 'unreadable' }],
    ['a hello that says it is too long', records(Buffer.from([1, 1, 0, 0])), { at: 'unreadable' }],
    [
      'a padded one within the limit',
      records(hello([extension(21, Buffer.alloc(CLIENT_HELLO_BYTES_MAX - 200)), name])),
      { at: 'read', name: 'p.test' },
    ],
  ];
  for (const [what, bytes, expected] of rows) {
    t.match(readAll(bytes), expected, what);
    t.match(readAll(bytes, 1), expected, `${what}, byte by byte`);
  }
  t.end();
});

t.test('[properties] whatever comes, it is read, unreadable or short; never kept past the limit', t => {
  const whole = hello([serverName('p.test'), extension(0x2b, u16(0x0304))]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: whole.length }),
      fc.integer({ min: 1, max: 40 }),
      (recordSize, chunkSize) => {
        const read = readAll(records(whole, recordSize), chunkSize);
        return read.at === 'read' && read.name === 'p.test';
      },
    ),
  );
  // One byte changed, or the rest replaced: never a throw, and never a name that is not in the bytes.
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: whole.length + 4 }),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.boolean(),
      (at, noise, cut) => {
        const bytes = records(whole);
        const rest = cut ? noise : Buffer.concat([noise, bytes.subarray(at + noise.length)]);
        const changed = Buffer.concat([bytes.subarray(0, at), rest]);
        const read = readAll(changed);
        if (read.at !== 'read' || read.name === null) return true;
        return changed.toString('latin1').toLowerCase().includes(read.name);
      },
    ),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), noise => readAll(Buffer.from(noise)).at !== 'read'),
  );
  const endless = Buffer.concat([u8(1), u8(0), u16(0xffff), Buffer.alloc(0xffff)]);
  t.match(readAll(records(endless), 1_000), { at: 'unreadable', why: /over \d+ bytes/ });
  t.end();
});
