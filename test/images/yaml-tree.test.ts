// YAML as a tree with lines, and what bombs and broken files come to.
import t from 'tap';
import { readYaml, type Tree } from '../../images/yaml-tree.ts';

const plain = (tree: Tree): unknown => {
  if (tree.kind === 'scalar') return tree.isNull ? null : tree.text;
  if (tree.kind === 'list') return tree.items.map(plain);
  return Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, plain(value)]));
};
const read = (text: string): unknown => plain(readYaml(text, 'c.yaml'));

t.test('scalars as they are written, aliases and merge keys put in', t => {
  t.strictSame(read('a: 0777\nb: 1.10\nc: yes\nd: ~\ne:\nf: "x"\n8080: !!str 3'), {
    '8080': '3',
    ...{ a: '0777', b: '1.10', c: 'yes', d: null, e: null, f: 'x' },
  });
  t.strictSame(read('a: &a [1, &b 2]\nc: [*a, *b]'), { a: ['1', '2'], c: [['1', '2'], '2'] });
  t.strictSame(read('a: &a { x: 1, y: 1 }\nb: &b { y: 2, z: 2 }\nc: { <<: [*a, *b], x: 3 }'), {
    a: { x: '1', y: '1' },
    b: { y: '2', z: '2' },
    c: { x: '3', y: '1', z: '2' },
  });
  t.strictSame(read('a: &x 1\nb: *x\nc: &x 2\nd: *x'), { a: '1', b: '1', c: '2', d: '2' });
  t.end();
});

t.test('what is refused, with its line', t => {
  const bomb = ['a: &a0 [x, x, x, x, x, x, x, x, x]']
    .concat(Array.from({ length: 12 }, (_, n) => `b${n}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`))
    .join('\n');
  for (const [text, why] of [
    [bomb, /^c.yaml:\d+: more than 20000 values, its aliases/],
    ['a: &a [*a]', /^c.yaml:1: nested deeper than 32 levels/],
    ['x: 1\na: *no', /^c.yaml:2: nothing is called &no before it/],
    ['a: 1\n b: 2', /^c.yaml:\d: no YAML/],
    ['a: [1', /^c.yaml:\d: no YAML/],
    ['a: 1\na: 2', /^c.yaml:2: "a" is there twice/],
    ['? [a]\n: b', /a key that is no text/],
    ['a: { <<: 1 }', /<< takes a mapping/],
    ['--- 1\n--- 2', /no YAML/],
    [`a: ${'['.repeat(200_000)}`, /nested deeper than 32 levels|no YAML/],
    [`a: ${'{a: '.repeat(100)}1${'}'.repeat(100)}`, /nested deeper than 32 levels/],
    ['\u0000', /no YAML|c.yaml/],
  ] as const)
    try {
      const tree = readYaml(text, 'c.yaml');
      // Some of these are one odd scalar, which is no compose file either.
      t.equal(tree.kind, 'scalar', text.slice(0, 20));
    } catch (error) {
      t.match(error, { name: 'Unreadable', message: why }, text.slice(0, 20));
    }
  t.end();
});

t.test('a megabyte is read in a moment, or refused in one', t => {
  for (const text of [
    `a: [${'1,'.repeat(500_000)}]`,
    `a: &a 1\nb: [${'*a,'.repeat(300_000)}]`,
    Array.from({ length: 100_000 }, (_, n) => `k${n}: 1`).join('\n'),
    '- '.repeat(70_000),
    `a: [${'1,'.repeat(30_000)}]`,
  ])
    t.throws(() => readYaml(text, 'c.yaml'), {
      message: /more than (150000 tokens|20000 values)|deeper than|no YAML/,
    });
  t.end();
});
