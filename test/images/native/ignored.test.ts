// What is taken out of a folder of the build context: each folder as a whole, and what is excepted stays.
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readIgnoreFile } from '../../../images/ignore-file.ts';
import { hasExceptions, ignoredIn } from '../../../images/native/ignored.ts';

t.test('folders as a whole, and what is excepted of them', t => {
  const folder = realpathSync(
    t.testdir({ a: { b: { x: '', y: '' }, c: { z: '' }, empty: {} }, d: { '.git': { HEAD: '' } } }),
  );
  symlinkSync('/', join(folder, 'a', 'link'));
  for (const [patterns, made, expected] of [
    ['*', false, ['a', 'd']],
    ['*', true, ['a', 'd']],
    ['*\n!a/b/x', false, ['a/b/y', 'a/c', 'a/empty', 'a/link', 'd']],
    ['**/x\na/c', false, ['a/b/x', 'a/c']],
    ['**/x\na/c', true, ['a/b/x']],
    ['**/.git\na/l*', true, ['a/link', 'd/.git']],
  ] as const)
    t.strictSame(
      ignoredIn(folder, { folder, ignore: readIgnoreFile(patterns, 'i') }, made).toSorted(),
      expected,
      patterns,
    );
  const context = { folder, ignore: readIgnoreFile('a\n!a/b/x', 'i') };
  t.strictSame(ignoredIn(join(folder, 'a', 'b'), context, false), ['y'], 'relative to what is copied');
  t.ok(hasExceptions(join(folder, 'a'), context));
  t.notOk(hasExceptions(join(folder, 'a', 'c'), context));
  t.strictSame(ignoredIn(folder, { folder, ignore: null }, false), []);
  t.end();
});
