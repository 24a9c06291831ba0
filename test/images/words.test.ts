// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as build files and compose files write them.
// Words and variables of build files and compose files.
import t from 'tap';
import { VALUE_CHARS_MAX } from '../../images/limits.ts';
import { expandComposeText, splitWords } from '../../images/words.ts';

const SET: { readonly [name: string]: string } = { A: 'a', EMPTY: '', SPACED: 'x y', DOLLAR: '$A' };
const lookup = (name: string): string | undefined => SET[name];

const WORDS: readonly (readonly [text: string, words: readonly string[] | RegExp])[] = [
  ['', []],
  ['a  b\tc', ['a', 'b', 'c']],
  ['"a b" c', ['a b', 'c']],
  ["'a $A' $A", ['a $A', 'a']],
  ['a\\ b "q\\"q" "k\\k"', ['a b', 'q"q', 'k\\k']],
  ['$A/${A}x \\$A', ['a/ax', '$A']],
  ['$SPACED', ['x y']],
  ['${NONE:-d} ${EMPTY:-d} ${EMPTY-d} ${A:+set} ${NONE+set}', ['d', 'd', '', 'set', '']],
  ['${NONE:-${A:-z}}', ['a']],
  ['$DOLLAR', ['$A']],
  ['$ $1 a$', ['$', '$1', 'a$']],
  ['"open', /not closed/],
  ['${open', /not closed/],
  ['${A!x}', /no such form/],
  ['${}', /no variable/],
];

t.test('words of a build file', t => {
  for (const [text, expected] of WORDS) {
    const read = splitWords(text, { escapeChar: '\\', lookup });
    if (expected instanceof RegExp) t.match(read, { ok: false, why: expected }, text);
    else t.strictSame(read, { ok: true, words: expected }, text);
  }
  t.strictSame(splitWords('a`"b $A', { escapeChar: '`', lookup: null }), { ok: true, words: ['a"b', '$A'] });
  t.end();
});

const COMPOSE: readonly (readonly [text: string, expected: string | RegExp])[] = [
  ['plain', 'plain'],
  ['$A-${A}', 'a-a'],
  ['$$A ${A}$$', '$A a$'],
  ['"$A"', '"a"'],
  ['${NONE:-${EMPTY:-x${A}}}', 'xa'],
  ['${A:?never}', 'a'],
  ['${NONE:?say $A}', /NONE is not set, and is required: say a/],
  ['${EMPTY?fine}', ''],
  ['${EMPTY:?not}', /EMPTY is not set/],
  ['${A', /not closed/],
];

t.test('variables of a compose file', t => {
  for (const [text, expected] of COMPOSE) {
    const read = expandComposeText(text, lookup);
    if (expected instanceof RegExp) t.match(read, { ok: false, why: expected }, text);
    else t.strictSame(read, { ok: true, text: expected }, text);
  }
  t.end();
});

t.test('what grows or nests beyond its bound is refused', t => {
  const long = 'x'.repeat(VALUE_CHARS_MAX / 2 + 1);
  t.match(splitWords('$L$L', { escapeChar: '\\', lookup: () => long }), { ok: false, why: /longer than/ });
  t.match(
    expandComposeText('$L$L', () => long),
    { ok: false, why: /longer than/ },
  );
  const deep = `${'${A:-'.repeat(40)}${'}'.repeat(40)}`;
  t.match(
    expandComposeText(deep, () => undefined),
    { ok: false, why: /deeper than/ },
  );
  t.end();
});
