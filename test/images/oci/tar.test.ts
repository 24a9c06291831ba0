// Archives by their headers: those of the system's own `tar`, and hostile ones.
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { ARCHIVE_ENTRIES_MAX } from '../../../images/limits.ts';
import { tarFiles } from '../../../images/oci/tar.ts';
import { tarEntry as entry, tarOf } from '../../kit/tar.ts';

const read = (bytes: Buffer): Map<string, string> =>
  new Map(
    [...tarFiles((at, length) => bytes.subarray(at, at + length), bytes.length)].map(
      ([path, { offset, size }]) => [path, bytes.toString('utf8', offset, offset + size)],
    ),
  );

t.test('what the system’s own tar writes, in each of its formats', t => {
  const long = `${'d'.repeat(90)}/${'e'.repeat(90)}/${'f'.repeat(90)}`;
  const folder = t.testdir({
    a: 'one\n',
    é: 'two\n',
    ['d'.repeat(90)]: { ['e'.repeat(90)]: { ['f'.repeat(90)]: 'x' } },
  });
  for (const format of ['gnu', 'pax', 'posix']) {
    const bytes = execFileSync('tar', ['-c', `--format=${format}`, '.'], { cwd: folder });
    t.strictSame(
      [...read(bytes)].toSorted(),
      [
        ['a', 'one\n'],
        [long, 'x'],
        ['é', 'two\n'],
      ].toSorted(),
      format,
    );
  }
  t.end();
});

t.test('links, devices and folders are no files, and the last of a path counts', t => {
  const bytes = tarOf(
    entry('a', 'first'),
    entry('b', 'b'),
    entry('a', 'second'),
    entry('link', '', { type: '2' }),
    entry('b', '', { type: '1' }),
    ...['3', '4', '5', '6'].map(type => entry(`x${type}`, '', { type })),
  );
  t.strictSame([...read(bytes)], [['a', 'second']]);
  t.end();
});

t.test('[bad-input] what is damaged, leads out or is too much is refused', t => {
  const pax = (text: string): Buffer => entry('h', text, { type: 'x' });
  const large = Buffer.from(entry('a', ''));
  for (const [bytes, why] of [
    [Buffer.alloc(1024, 'x'), /no tar archive/],
    [tarOf(entry('../a', 'x')), /leads out/],
    [tarOf(entry('/a', 'x')), /leads out/],
    [tarOf(entry('a/../../b', 'x')), /leads out/],
    [tarOf(pax('20 path=../../etc/x\n'), entry('a', 'x')), /leads out/],
    [tarOf(pax('9999 path=a\n'), entry('a', 'x')), /damaged/],
    [tarOf(pax('2 \n'), entry('a', 'x')), /damaged/],
    [tarOf(pax('x'.repeat(20_000)), entry('a', 'x')), /too long/],
    [tarOf(pax('20 size=99999999999\n'), entry('a', 'x')), /middle of a file/],
    [tarOf(pax('12 size=-10\n'), entry('a', 'x')), /no size/],
    [tarOf(entry('a', 'x', { size: '77777777777' })), /middle of a file/],
    [tarOf(entry('a', 'x', { size: '-1' })), /no size/],
    [tarOf(entry('n', 'p/'.repeat(3_000), { type: 'L' }), entry('a', 'x')), /longer than 4096/],
    [entry('a', 'x').subarray(0, 512), /middle of a file/],
    [Buffer.concat(Array.from({ length: ARCHIVE_ENTRIES_MAX + 1 }, () => large)), /more than 20000 entries/],
  ] as const)
    t.throws(() => read(bytes), { message: why }, String(why));
  t.strictSame([...read(Buffer.alloc(0))], []);
  t.end();
});
