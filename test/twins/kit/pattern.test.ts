// Patterns of users: the same answers as the platform's own engine, in linear time.

import t from 'tap';
import { PATTERN_CHARS_MAX } from '../../../twins/kit/limits.ts';
import { compilePattern } from '../../../twins/kit/pattern.ts';
import { cpuMillisecondsOf } from '../../kit/cpu.ts';
import { fc } from '../../kit/property.ts';

function tests(source: string, text: string, flags = ''): boolean {
  const compiled = compilePattern(source, flags);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.message}`);
  return compiled.pattern.test(text);
}

t.test('[2.3 regex] agrees with the platform on what it supports', async t => {
  const texts = [
    '',
    'a',
    'ab',
    'aab',
    'abc',
    'ABC',
    'x-1',
    'foo bar',
    'a\nb',
    'cus_Abc123',
    '$1.50',
    'aaa',
    'é',
    '_',
    'a]b',
    'a-b',
  ];
  const sources = [
    'a',
    '^a$',
    'a+b',
    'a*',
    '(ab|c)+',
    '[a-c]+$',
    '[^a]',
    '\\d+',
    '\\w-\\d',
    '^cus_[A-Za-z0-9]{6}$',
    '\\bbar\\b',
    'o\\B',
    'a.b',
    'a{2}',
    'a{2,}',
    'a{1,2}b',
    '(?:a|b)?c',
    '^$',
    '\\$\\d\\.\\d{2}',
    'x|',
    '[\\d-]',
    '[\\]]',
    'a??b',
    '\\u0061',
    '\\x62',
    '(a|b)(b|c)',
    '[a-]',
    '\\s',
    '\\S+\\s\\S+',
  ];
  for (const source of sources) {
    for (const flags of ['', 'i', 's', 'm']) {
      for (const text of texts) {
        t.equal(
          tests(source, text, flags),
          new RegExp(source, flags).test(text),
          `/${source}/${flags} on ${JSON.stringify(text)}`,
        );
      }
    }
  }
});

t.test('[2.3 regex] agrees on patterns nobody wrote by hand', async t => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '^', '$', '\\b');
  const { tree } = fc.letrec<{ tree: string }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      atom,
      fc.tuple(tie('tree'), tie('tree')).map(([x, y]) => `${x}${y}`),
      fc.tuple(tie('tree'), tie('tree')).map(([x, y]) => `(?:${x}|${y})`),
      fc.tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{0,2}')).map(([x, q]) => `(?:${x})${q}`),
    ),
  }));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(
      tree,
      text,
      (source, on) => source.length > PATTERN_CHARS_MAX || tests(source, on) === new RegExp(source).test(on),
    ),
    { numRuns: 500 },
  );
  t.pass('500 runs');
});

t.test('[2.3 regex] no pattern is slow', async t => {
  const text = `${'a'.repeat(20_000)}!`;
  const took = cpuMillisecondsOf(() => {
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', 'a*a*a*a*a*a*a*b', '(.*)(.*)(.*)x'])
      t.equal(tests(source, text), false, source);
  });
  t.ok(took < 5_000, 'linear: a backtracking engine would not come back');
});

t.test('[2.3 regex] what is refused, and why', async t => {
  for (const [source, message] of [
    ['(a)\\1', /backreferences/],
    ['\\k<x>', /backreferences/],
    ['(?=a)', /lookaround/],
    ['(?<!a)b', /lookaround/],
    ['(?<name>a)', /named groups/],
    ['a**', /quantifier/],
    ['+', /nothing to repeat/],
    ['(a', /unclosed/],
    ['a)', /unmatched/],
    ['[a', /ends too early/],
    ['[b-a]', /out of order/],
    ['a{1000}', /count/],
    ['((a{200}){200}){200}', /too large/],
    ['\\', /ends too early/],
    ['\\q', /not known/],
    ['('.repeat(60), /nest/],
    ['a'.repeat(PATTERN_CHARS_MAX + 1), /at most/],
  ] as const) {
    const compiled = compilePattern(source);
    t.match(compiled.ok ? 'taken' : compiled.message, message, source.slice(0, 30));
  }
  t.match(compilePattern('a', 'g'), { ok: false, message: /flag g/ });
});
