// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as build files and compose files write them.
// Files of variables.
import t from 'tap';
import { readEnvFile } from '../../images/env-file.ts';

const read = (text: string, raw = false) => {
  const { variables, notes } = readEnvFile(text, {
    file: '.env',
    raw,
    lookup: name => ({ OUT: 'out' })[name],
  });
  return [
    Object.fromEntries([...variables].map(([name, { value }]) => [name, value])),
    ...notes.map(({ line, what }) => `${line}: ${what}`),
  ];
};

t.test('variables, one by one', t => {
  for (const [text, ...expected] of [
    ['# x\n\nA=1\nexport B = two words # said\nC=', { A: '1', B: 'two words', C: '' }],
    [
      'A="x # y" # z\nB=\'$OUT\'\nC=$OUT$A\nD="a\\n\\"b\\""',
      { A: 'x # y', B: '$OUT', C: 'outx # y', D: 'a\n"b"' },
    ],
    ['A="one\ntwo"\nB=3', { A: 'one\ntwo', B: '3' }],
    ['A=1\n=x\n9=1\nB', { A: '1', B: '' }, '2: no variable: NAME=value', '3: no variable: NAME=value'],
    ['A="open\nB=1', {}, '1: the value of A has a " that is not closed'],
    ['A=${NO:?now}\nB=1', { B: '1' }, '1: NO is not set, and is required: now'],
    ['__proto__=1\nconstructor=2', { ['__proto__']: '1', constructor: '2' }],
  ] as const)
    t.strictSame(JSON.stringify(read(text)), JSON.stringify(expected), text);
  t.strictSame(read('A="$OUT" # x', true), [{ A: '"$OUT" # x' }]);
  t.end();
});

t.test('quotes without end cost no more than their bound', t => {
  t.match(read(`A="${'\n'.repeat(250_000)}`), [{}, /not closed/]);
  t.equal(Object.keys(read('A="\n"\n'.repeat(5_000))[0]!).length, 1);
  t.end();
});
