// Hostile texts in Markdown, as a code host would read them.
import t from 'tap';
import { code, escaped, folded, htmlText, tableOf } from '../../../cli/report/markdown-text.ts';

t.test('no text makes a link, a mention, a reference, an image or HTML', t => {
  for (const hostile of [
    '<img src=x onerror=alert(1)>',
    '[pay](https://evil.test)',
    '![x](https://evil.test/x.png)',
    'https://evil.test and www.evil.test',
    '@torvalds #1 GH-12 a1b2c3d4e5f6',
    '**bold** _it_ `code` ~~x~~',
    'a | b\n| c',
    '\u202egnp.exe',
    'me@evil.test',
  ]) {
    for (const told of [escaped(hostile), htmlText(hostile)]) {
      t.notMatch(told, /<|>/, hostile);
      t.notMatch(told, /[@#][\w]|\w:\/\/|www\.|GH-\d|\b[0-9a-f]{7,}\b/, hostile);
      t.notMatch(told, /[\n\u202e]/, hostile);
    }
    t.notMatch(escaped(hostile), /(?<!\\)[[\]()!*_`~|]/, hostile);
  }
  t.end();
});

t.test('code is closed by nothing that it holds, and ends no cell', t => {
  t.equal(code('a'), '`a`');
  t.equal(code(''), '` `');
  t.equal(code('a`b'), '``a`b``');
  t.equal(code('``'), '``` `` ```');
  t.equal(code('a|b\nc'), '`a\\|b c`');
  t.strictSame(tableOf(['A'], [[code('x|y')]]), ['| A |', '| --- |', '| `x\\|y` |']);
  t.strictSame(folded('t', ['x']), ['<details>', '<summary>t</summary>', '', 'x', '', '</details>', '']);
  t.end();
});
