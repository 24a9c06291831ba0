import t from 'tap';
import { dnsAnswer } from '../../contained/dns-answer.ts';
import { NameTable } from '../../contained/name-table.ts';

const [A, PTR, AAAA, HTTPS] = [1, 12, 28, 65];

function question(name: string, type: number, { flags = 0x0100, count = 1, id = 0x1234 } = {}): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(count, 4);
  const labels = name.split('.').flatMap(label => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

/** Its code, and the data of its records. */
function read(answer: Buffer, asked: Buffer): { readonly code: number; readonly data: readonly string[] } {
  const data: string[] = [];
  let at = asked.length;
  for (let left = answer.readUInt16BE(6); left > 0; left--) {
    const length = answer.readUInt16BE(at + 10);
    data.push(answer.subarray(at + 12, at + 12 + length).join('.'));
    at += 12 + length;
  }
  return { code: answer.readUInt16BE(2) & 15, data };
}

t.test('every name has an address of its own, and nothing but that', t => {
  const names = new NameTable();
  const rows: readonly (readonly [name: string, type: number, code: number, data: readonly string[]])[] = [
    ['api.stripe.com', A, 0, ['198.18.0.1']],
    ['API.Stripe.com', A, 0, ['198.18.0.1']],
    ['other.example', A, 0, ['198.18.0.2']],
    ['api.stripe.com', AAAA, 0, []],
    ['api.stripe.com', HTTPS, 0, []],
    ['localhost', A, 0, ['127.0.0.1']],
    ['shop--acme.localhost', A, 0, ['127.0.0.1']],
    ['shop--acme.localhost', AAAA, 0, ['0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1']],
    [
      '2.0.18.198.in-addr.arpa',
      PTR,
      0,
      [[5, ...Buffer.from('other'), 7, ...Buffer.from('example'), 0].join('.')],
    ],
    ['9.9.9.9.in-addr.arpa', PTR, 3, []],
    ['1.0.0.0.ip6.arpa', PTR, 3, []],
  ];
  for (const [name, type, code, data] of rows) {
    const asked = question(name, type);
    const answer = dnsAnswer(asked, names)!;
    t.strictSame(read(answer, asked), { code, data }, `${name} ${type}`);
    t.equal(answer.readUInt16BE(0), 0x1234);
    t.equal(answer.readUInt16BE(2) & 0x8180, 0x8180, 'an answer, with the recursion that was asked for');
  }
  t.end();
});

t.test('what is no question gets no answer, or the reason', t => {
  const names = new NameTable();
  const whole = question('a.example', A);
  const rows: readonly (readonly [message: Buffer, code: number | null])[] = [
    [Buffer.alloc(11), null],
    [question('a.example', A, { flags: 0x8100 }), null],
    [question('a.example', A, { flags: 0x2800 }), 4],
    [question('a.example', A, { count: 2 }), 1],
    [Buffer.concat([whole.subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]), 1],
    ...Array.from({ length: whole.length - 12 }, (_, cut): [Buffer, number] => [
      whole.subarray(0, 12 + cut),
      1,
    ]),
  ];
  for (const [message, code] of rows) {
    const answer = dnsAnswer(message, names);
    t.equal(answer === null ? null : answer.readUInt16BE(2) & 15, code);
  }
  t.end();
});

t.test('names beyond the bound take the place of those asked for longest ago', t => {
  const names = new NameTable(2);
  const first = names.addressOf('a');
  names.addressOf('b');
  names.addressOf('a');
  t.equal(names.addressOf('c'), '198.18.0.2');
  t.strictSame(
    [names.nameOf('198.18.0.2'), names.nameOf(first), names.nameOf('198.18.9.9')],
    ['c', 'a', null],
  );
  t.end();
});
