// `.dockerignore`, as builders read it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openFiles } from '../../images/files.ts';
import { readIgnoreFile } from '../../images/ignore-file.ts';
import { readImages } from '../../images/images.ts';
import { IGNORE_FILE_BYTES_MAX, IGNORE_PATTERNS_MAX } from '../../images/limits.ts';

t.test('its patterns', t => {
  for (const [patterns, ignored, there] of [
    ['a', ['a', 'a/b/c'], ['b', 'ab', 'b/a']],
    ['/a/', ['a', 'a/b'], ['b/a']],
    ['./a/../b', ['b'], ['a']],
    ['*', ['a', 'a/b'], []],
    ['*.md', ['x.md', '.md'], ['a/x.md', 'x.mdx']],
    ['*/x', ['a/x', 'a/x/y'], ['x', 'a/b/x']],
    ['**/x', ['x', 'a/x', 'a/b/x/y'], ['ax', 'a/bx']],
    ['**/*.log', ['a.log', 'b/c/a.log'], ['log']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
    ['**', ['a', 'a/b'], []],
    ['a/**/z', ['a/z', 'a/b/c/z'], ['az', 'a/bz']],
    ['**a**', ['a', 'b/a', 'abc/d'], ['ba', 'b/ca']],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['[a-c^]x', ['bx', '^x'], ['dx']],
    ['[^a-c]x', ['dx'], ['bx', '/x']],
    ['[\\]]', [']'], ['a']],
    ['\\*', ['*'], ['a']],
    ['a.b$(c)', ['a.b$(c)'], ['axb$(c)']],
    ['*\n!a/b\n', ['a', 'a/c', 'b'], ['a/b', 'a/b/d']],
    ['!a\na', ['a'], []],
    ['\ufeff# a\r\n\r\n b \r\n #c\n', ['b', '#c'], ['a', '# a']],
    ['.\n/\n../x', [], ['x', 'a']],
    ['é/\u{1f600}?', ['é/\u{1f600}\u{1f601}'], ['é/\u{1f600}']],
  ] as const) {
    const rules = readIgnoreFile(patterns, '.dockerignore');
    for (const path of ignored) t.ok(rules.ignored(path), `${patterns}: ${path}`);
    for (const path of there) t.equal(rules.ignored(path), null, `${patterns}: not ${path}`);
  }
  t.end();
});

t.test('[bad-input] what is no pattern, or too much, is refused with its line', t => {
  for (const [text, said] of [
    ['a\n[b', /^\.dockerignore:2: \[b is no pattern/],
    ['[]', /no pattern/],
    ['[z-a]', /no pattern/],
    ['a\\', /no pattern/],
    ['!', /:1: nothing follows the !/],
    ['a'.repeat(2_000), /at most 1024 characters/],
    ['a\n'.repeat(IGNORE_PATTERNS_MAX + 1), /:2001: more than 2000 patterns/],
  ] as const)
    t.throws(() => readIgnoreFile(text, '.dockerignore'), { message: said });
  const slow = readIgnoreFile(`${'**/*a'.repeat(200)}b\n`.repeat(1_000), '.dockerignore');
  const path = 'a/'.repeat(2_000);
  t.throws(
    () => {
      for (let nth = 0; nth < 1_000; nth++) slow.ignored(path);
    },
    { message: /take too long/ },
  );
  t.end();
});

t.test('the one beside the build file, under its name, goes before that of the context', t => {
  const folder = t.testdir({ 'Dockerfile.dev': 'FROM a\n', '.dockerignore': 'all' });
  const ignored = (path: string): boolean => {
    const { images } = readImages({
      ...{ path: join(folder, 'Dockerfile.dev'), more: [], target: null },
      ...{ read: openFiles(folder), env: {} },
    });
    return images[0]!.build!.ignore!.ignored(path) !== null;
  };
  t.ok(ignored('all'));
  writeFileSync(join(folder, 'Dockerfile.dev.dockerignore'), 'own');
  t.notOk(ignored('all'));
  t.ok(ignored('own'));
  writeFileSync(join(folder, 'Dockerfile.dev.dockerignore'), 'a'.repeat(IGNORE_FILE_BYTES_MAX + 1));
  t.throws(() => ignored('own'), { message: /^Dockerfile.dev.dockerignore:1: it is longer than/ });
  t.end();
});
