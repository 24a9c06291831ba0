import t from 'tap';
import { printable } from '../../policy/printable.ts';

t.test('[2.1] what a terminal, a log or a page would act on is escaped', async t => {
  const rows: [text: string, shown: string][] = [
    ['plain', 'plain'],
    ['a\nb\x1b[2J', 'a\\x0ab\\x1b[2J'],
    ['\x00\x7f\x9f', '\\x00\\x7f\\x9f'],
    ['\u00a0\u00ff', '\u00a0\u00ff'],
    ['\u061c\u202e\ufeff', '\\u061c\\u202e\\ufeff'],
    ['\ud800x', '\\ud800\x78'],
    ['é😀'.slice(0, 1), 'é'],
  ];
  for (const [text, shown] of rows) t.equal(printable(text, 100), shown);
});

t.test('[2.1] and no longer than its limit', async t => {
  t.equal(printable('abcd', 4), 'abcd');
  t.equal(printable('abcde', 4), 'abc…');
  t.equal(printable('\n\n', 4), '\\x0…', 'as it is shown, not as it came');
  t.equal(printable(`a${'x'.repeat(1_000_000)}`, 10), `a${'x'.repeat(8)}…`, 'from its beginning');
});
