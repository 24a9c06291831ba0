import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { inheritBrowsers, openBrowserFiles } from '../../../control/node/browser-files.ts';

t.test('[2.5] a profile is a file of its own, for this user alone', async t => {
  const root = await mkdtemp(join(tmpdir(), 'wrld-browsers-'));
  t.teardown(() => rm(root, { recursive: true }));
  const folder = join(root, 'browsers');
  const files = openBrowserFiles(folder);
  t.same(await files.names(), []);
  t.equal(await files.read('bob'), null);
  t.equal(await files.remove('bob'), false);
  await files.write('bob', '{}\n');
  t.equal(await readFile(join(folder, 'bob.json'), 'utf8'), '{}\n');
  t.equal((await stat(join(folder, 'bob.json'))).mode & 0o777, 0o600);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  await writeFile(join(folder, 'notes.txt'), 'a person’s');
  t.same(await files.names(), ['bob']);

  await inheritBrowsers(folder, join(root, 'branch'));
  const branch = openBrowserFiles(join(root, 'branch'));
  t.equal(await branch.read('bob'), '{}\n');
  t.equal(await files.remove('bob'), true);
  t.same(await files.names(), []);
  t.same(await branch.names(), ['bob'], 'a branch keeps what it inherited');
  await inheritBrowsers(join(root, 'nothing'), join(root, 'other'));
  t.same(await openBrowserFiles(join(root, 'other')).names(), []);
});
