// Paths of an image below the folder that is to be its root: no link leads out of it.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { fileInside, folderInside, inside } from '../../images/inside.ts';

t.test('links are read as the image reads them', t => {
  const root = t.testdir({ etc: {}, app: {} });
  for (const [name, target] of [
    ['app/absolute', '/etc'],
    ['app/up', '../../../../..'],
    ['app/out', '../../../../../../tmp/beside'],
    ['app/again', 'absolute/x'],
    ['app/loop', 'loop'],
  ] as const)
    symlinkSync(target, join(root, name));
  for (const [path, expected] of [
    ['/', ''],
    ['/app/./x//y', 'app/x/y'],
    ['/../../x', 'x'],
    ['/app/absolute/passwd', 'etc/passwd'],
    ['/app/up/etc', 'etc'],
    ['/app/out', 'tmp/beside'],
    ['/app/again/y', 'etc/x/y'],
  ] as const)
    t.equal(inside(root, path), join(root, expected), path);
  t.throws(() => inside(root, '/app/loop/x'), { message: /more than 40 links/ });
  mkdirSync(join(root, 'tmp'));
  t.equal(folderInside(root, '/app/out/deep'), join(root, 'tmp/beside/deep'));
  t.equal(fileInside(root, '/app/absolute/new'), join(root, 'etc/new'));
  t.ok(existsSync(join(root, 'etc/new')));
  t.end();
});
