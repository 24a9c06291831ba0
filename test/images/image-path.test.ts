// Paths that build files and compose files write, without a `.` or `..` in them, and never above an image's own root.
import t from 'tap';
import { absolute } from '../../images/image-path.ts';

t.test('a path is one of the folder that it is written in', t => {
  for (const [path, folder, expected] of [
    ['../x/./y//', '/a/b', '/a/x/y'],
    ['/../../etc', '/a', '/etc'],
    ['', '/a/b/', '/a/b'],
    ['..', '/', '/'],
  ] as const)
    t.equal(absolute(path, folder), expected, `${path} in ${folder}`);
  t.end();
});
