// The channel between control and proxy: lines out of any chunks, messages out of lines, or why not.

import t from 'tap';
import { encodeMessage, LineReader, parseFromControl, parseFromProxy } from '../../policy/push.ts';
import { refuse } from '../../policy/refusal.ts';
import { fc } from '../kit/property.ts';
import { WORLD } from './world.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

t.test('[properties] however bytes are cut, the lines are the lines', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).map(text => text.replaceAll('\n', ' '))),
      fc.array(fc.integer({ min: 1, max: 7 })),
      (lines, cuts) => {
        const whole = bytes(lines.map(line => `${line}\n`).join(''));
        const reader = new LineReader();
        const read: string[] = [];
        let at = 0;
        // One buffer, written over again and again, as a socket may do it.
        const buffer = new Uint8Array(8);
        for (let n = 0; at < whole.length; n++) {
          const size = Math.min(cuts[n % (cuts.length || 1)] ?? 3, whole.length - at);
          buffer.set(whole.subarray(at, at + size));
          const result = reader.read(buffer.subarray(0, size));
          if (!result.ok) return false;
          read.push(...result.lines);
          at += size;
        }
        return JSON.stringify(read) === JSON.stringify(lines);
      },
    ),
  );
});

t.test('a line has a limit, and a reader that met it reads no more', async t => {
  const reader = new LineReader(8);
  t.match(reader.read(bytes('12345678\n1234')), { ok: true, lines: ['12345678'] });
  t.match(reader.read(bytes('5678\n')), { ok: true, lines: ['12345678'] });
  t.match(reader.read(bytes('123456789')), { ok: false, why: /over 8 bytes/ });
  t.match(reader.read(bytes('\nok\n')), { ok: false });
  t.match(new LineReader(8).read(bytes('123456789\n')), { ok: false }, 'a whole line in one chunk too');
  t.match(new LineReader().read(Uint8Array.of(0xff, 0x0a)), { ok: false, why: /not UTF-8/ });
});

t.test('what one side encodes, the other reads', async t => {
  const record = refuse('sealed', { target: 'https://x.test/\n' }, 'http://docs.test');
  const listen = { host: '127.0.0.1', port: 8080 };
  const fromProxy = [
    { type: 'hello', protocol: 1, pid: 7, listen, snapshot: null },
    { type: 'hello', protocol: 1, pid: 7, listen, snapshot: { epoch: 'e', version: 3 } },
    { type: 'ack', epoch: 'e', version: 3 },
    { type: 'reject', epoch: 'e', version: 3, reason: 'because' },
    { type: 'refused', at: 1, run: 'default', agent: 'curl/8.5.0', record },
  ] as const;
  for (const message of fromProxy) {
    const line = encodeMessage(message);
    t.equal(line.indexOf('\n'), line.length - 1);
    t.strictSame(parseFromProxy(line.trimEnd()), { ok: true, message });
  }
  for (const message of [{ type: 'snapshot', snapshot: WORLD }, { type: 'drain' }] as const) {
    t.strictSame(parseFromControl(encodeMessage(message).trimEnd()), { ok: true, message });
  }
});

t.test('what is no message is said to be none', async t => {
  const record = refuse('sealed', { target: 'x' }, 'http://docs.test');
  const proxy: [message: unknown, why: RegExp][] = [
    [7, /expected an object/],
    [{}, /unknown type/],
    [{ type: 'drain' }, /unknown type/],
    [{ type: 'hello', protocol: 1, pid: 1, listen: { host: 'h', port: 0 }, snapshot: null }, /listen\.port/],
    [{ type: 'hello', protocol: 1, pid: 1, listen: { host: 'h', port: 1 } }, /snapshot/],
    [{ type: 'ack', epoch: 'e' }, /version/],
    [{ type: 'reject', epoch: 'e', version: 1 }, /reason/],
    [
      { type: 'refused', at: 1, run: 'r', agent: null, record: { ...record, rule: 'made-up' } },
      /record\.rule/,
    ],
    [
      { type: 'refused', at: 1, run: 'r', agent: null, record: { ...record, kind: 'other' } },
      /not a refusal record/,
    ],
    [{ type: 'refused', at: 1, run: 'r', agent: null, record: { ...record, see: 1 } }, /record\.see/],
  ];
  for (const [message, why] of proxy) t.match(parseFromProxy(JSON.stringify(message)), { ok: false, why });
  t.match(parseFromControl('{"type":'), { ok: false, why: /not JSON/ });
  t.match(parseFromControl('{"type":"hello"}'), { ok: false, why: /unknown type/ });
  t.match(parseFromControl('{"type":"snapshot","snapshot":{"version":1}}'), { ok: false, why: /epoch/ });
  t.match(parseFromControl('{"type":"snapshot"}'), { ok: false, why: /snapshot/ });
});

t.test('[properties] parsing is total', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), line => {
      parseFromProxy(line);
      parseFromControl(line);
    }),
  );
});
