// Every "Path" row of bad-input: the target that is judged is the target that is forwarded.

import t from 'tap';
import { TARGET_CHARS_MAX } from '../../policy/limits.ts';
import { resolvePath } from '../../policy/path.ts';
import { cpuMillisecondsOf } from '../kit/cpu.ts';
import { fc } from '../kit/property.ts';

t.test('[bad-input Path] readable targets and what is forwarded', async t => {
  const rows: [raw: string, target: string][] = [
    ['/v1/a', '/v1/a'],
    ['/v1/a?q=%2f..%2f&b=100%', '/v1/a?q=%2f..%2f&b=100%'],
    ['/', '/'],
    ['', '/'],
    ['?q', '/?q'],
    ['/v1/../admin', '/admin'],
    ['/v1/%2e%2e/admin', '/admin'],
    ['/v1/.%2E/z', '/z'],
    ['/v1/%2E./z', '/z'],
    ['/v1/./z', '/v1/z'],
    ['/v1/%2e/z', '/v1/z'],
    ['/v1/a/..', '/v1/'],
    ['/v1/a/.', '/v1/a/'],
    ['/../../x', '/x'],
    ['/a//../b', '/a/b'],
    ['/v1/%252f', '/v1/%252f'],
    ['/v1/%252e%252e/x', '/v1/%252e%252e/x'],
    ['//v1/a', '//v1/a'],
    ['/v1//a', '/v1//a'],
    ['/v1/a#f', '/v1/a'],
    ['/v1/a?q#f?g', '/v1/a?q'],
    ['/v1/../a#f', '/a'],
    ['/.well-known/x', '/.well-known/x'],
    ['/v1/...', '/v1/...'],
    ['/v1/..a', '/v1/..a'],
    ['/v1/a;b=c', '/v1/a;b=c'],
    ['/v1/%C3%A9', '/v1/%C3%A9'],
    ['/v1/a?x=/../y', '/v1/a?x=/../y'],
  ];
  for (const [raw, target] of rows) {
    const query = target.indexOf('?');
    t.strictSame(
      resolvePath(raw),
      { ok: true, target, end: query < 0 ? target.length : query },
      JSON.stringify(raw),
    );
  }
});

t.test('[bad-input Path] unreadable targets', async t => {
  const rows: [raw: string, literal: string | null][] = [
    ['/v1/..%2fadmin', '/v1/..%2fadmin'],
    ['/v1/../a%2Fb?q', '/a%2Fb?q'],
    ['/v1\\a', null],
    ['/v1/..\\..\\admin', null],
    ['/v1%5Ca', '/v1%5Ca'],
    ['/v1/%zz', '/v1/%zz'],
    ['/v1/%', '/v1/%'],
    ['/v1/%u002f', '/v1/%u002f'],
    ['/v1/%ff', '/v1/%ff'],
    ['/v1/%c0%af', '/v1/%c0%af'],
    ['/v1/%00', '/v1/%00'],
    ['/v1/..;/admin', '/v1/..;/admin'],
    ['/v1/%2e%2e;x/admin', '/v1/%2e%2e;x/admin'],
    ['/v1/..%3b/admin', '/v1/..%3b/admin'],
    ['*', null],
    ['v1/a', null],
    ['/v1/\ta', null],
    ['/v1/\u00e9', null],
    ['/v1/a?\r\nX: y', null],
    [`/${'a'.repeat(TARGET_CHARS_MAX)}`, null],
  ];
  for (const [raw, literal] of rows) {
    t.match(resolvePath(raw), { ok: false, literal }, JSON.stringify(raw.slice(0, 40)));
  }
  t.match(resolvePath('*'), { why: '`*` names no resource' });
  t.match(resolvePath('v1/a'), { why: 'it does not begin with `/`' });
});

t.test('[properties] resolving is done once and for all, as a browser would', async () => {
  const piece = fc.constantFrom(
    '/',
    '/',
    '.',
    '..',
    '%2e',
    '%2E',
    'a',
    'v1',
    '?',
    '#',
    ';',
    '%41',
    '%2f',
    '\\',
  );
  const path = fc.array(piece, { maxLength: 14 }).map(pieces => `/${pieces.join('')}`);
  fc.assert(
    fc.property(path, raw => {
      const read = resolvePath(raw);
      if (!read.ok) return true;
      const again = resolvePath(read.target);
      if (!again.ok || again.target !== read.target || again.end !== read.end) return false;
      // URL is the oracle for dot segments, and reads a target that was resolved as it stands.
      const url = new URL(`http://h${raw.split('#')[0]}`);
      return `${url.pathname}${url.search}` === read.target.replace(/^([^?]*)\?$/, '$1');
    }),
    { numRuns: 5000 },
  );
  fc.assert(
    fc.property(fc.string(), raw => {
      const read = resolvePath(raw);
      return !read.ok || /^\/[\x21-\x7e]*$/.test(read.target);
    }),
  );
});

t.test('a path made to be slow is not', async t => {
  const took = cpuMillisecondsOf(() => {
    for (const unit of ['/', '/.', '/a', '/..', '/%2e', '/;'])
      resolvePath(`${unit.repeat(TARGET_CHARS_MAX / unit.length)}\\`.slice(-TARGET_CHARS_MAX));
  });
  t.ok(took < 500);
});
