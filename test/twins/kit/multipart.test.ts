// Uploads as clients write them, and as nobody should.
import t from 'tap';
import { PARTS_MAX } from '../../../twins/kit/limits.ts';
import { readMultipart } from '../../../twins/kit/multipart.ts';
import { messageTokens, textDigest, tokensOf } from '../../../twins/kit/tokens.ts';
import { cpuMillisecondsOf } from '../../kit/cpu.ts';

t.test('what fetch writes is read byte for byte', async t => {
  const form = new FormData();
  const bytes = new Uint8Array(5_000).map((_, at) => [13, 10, 45, 45][at % 4]!);
  form.set('purpose', 'büro');
  form.set('file', new File([bytes], 'a "b".txt', { type: 'text/plain' }));
  const sent = new Response(form);
  const type = sent.headers.get('content-type')!;
  const read = readMultipart(type, new Uint8Array(await sent.arrayBuffer()));
  t.ok(read.ok);
  if (!read.ok) return;
  t.match(read.parts, [
    { name: 'purpose', filename: null },
    { name: 'file', filename: 'a "b".txt', type: 'text/plain' },
  ]);
  t.equal(new TextDecoder().decode(read.parts[0]!.bytes), 'büro');
  t.same(new Uint8Array(read.parts[1]!.bytes), bytes);
});

t.test('quotes as each client escapes them, and names that need none', t => {
  const read = (head: string) => {
    const text = `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\nb\r\n--x--`;
    const read = readMultipart('multipart/form-data; boundary=x', new TextEncoder().encode(text));
    return read.ok ? [read.parts[0]!.name, read.parts[0]!.filename] : read.why;
  };
  for (const [head, expected] of [
    ['name="a"; filename="x;y.txt"', ['a', 'x;y.txt']],
    ['name="a"; filename="say %22hi%22"', ['a', 'say "hi"']],
    ['name="a"; filename="say \\"hi\\""', ['a', 'say "hi"']],
    ['filename="f"; Name=a', ['a', 'f']],
    ['name="a"; filename="b\\c"', ['a', 'b\\c']],
    ['name=""', ['', null]],
    ['name="a"; name="b"', 'unnamed-part'],
    ['name="a" filename="b"', 'unnamed-part'],
    ['name="a', 'unnamed-part'],
    ['filename="a"', 'unnamed-part'],
  ] as const)
    t.strictSame(read(head), expected, head);
  t.end();
});

t.test('a hostile head is read in time that its length allows', t => {
  const part = `--x\r\nContent-Disposition: form-data; ${';name="\\"'.repeat(1_700)}\r\n\r\nb\r\n`;
  const body = new TextEncoder().encode(`${part.repeat(PARTS_MAX)}--x--`);
  const took = cpuMillisecondsOf(() => t.notOk(readMultipart('multipart/form-data; boundary=x', body).ok));
  t.ok(took < 2_000);
  t.end();
});

t.test('what cannot be read is said so', t => {
  const read = (body: string, type = 'multipart/form-data; boundary=x') =>
    readMultipart(type, new TextEncoder().encode(body));
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n';
  t.ok(read(`${part}--x--\r\n`).ok);
  t.ok(read(`${part.repeat(PARTS_MAX)}--x--`).ok);
  t.ok(read(`${part}--x--`, 'Multipart/Form-Data; charset=utf-8; boundary=x;').ok);
  t.ok(read(`preamble\r\n${part}--x--`).ok);
  t.ok(read(`${part}--x--`, 'multipart/form-data; boundary="x"').ok);
  for (const [body, type] of [
    ['', undefined],
    [part, undefined],
    ['--x\r\nContent-Disposition: form-data; name="a"', undefined],
    ['--x\r\nContent-Disposition: form-data\r\n\r\nb\r\n--x--', undefined],
    [`${part}--x--`, 'multipart/form-data'],
    [`${part}--x--`, 'application/json'],
    [`--x\r\nContent-Disposition: form-data; name="a"\r\n${'x'.repeat(20_000)}\r\n\r\nb\r\n--x--`, undefined],
    [part.repeat(PARTS_MAX + 1), undefined],
    [`${part.repeat(PARTS_MAX + 1)}--x--`, undefined],
    [`${part}--xy--`, undefined],
    [`${part}--x--`, 'multipart/form-data; boundary="x'],
    [`${part}--x--`, 'multipart/form-data; boundary=x; boundary=y'],
  ] as const)
    t.notOk(read(body, type).ok, body.slice(0, 60));
  t.end();
});

t.test('texts are counted and told apart', t => {
  t.same([tokensOf(''), tokensOf('abcd'), tokensOf('abcde')], [0, 1, 2]);
  t.equal(messageTokens(['abcd', '']), 9);
  // Published values of FNV-1a with 64 bits.
  t.equal(textDigest(''), 'cbf29ce484222325');
  t.equal(textDigest('a'), 'af63dc4c8601ec8c');
  t.equal(textDigest('foobar'), '85944171f73967e8');
  t.end();
});
