// An edit of the config from the world's page: on a real disk, over the config that is in force.
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { configFile } from '../../../control/node/config-edit.ts';

t.test('[7.2 not-granted] an edit keeps the file’s place and mode, and writes over nobody', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-edit-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const real = join(folder, 'shared.json');
  const file = join(folder, 'world.json');
  await writeFile(real, 'one');
  await chmod(real, 0o640);
  await symlink(real, file);
  let reloads = 0;
  let fault: string | null = null;
  const config = configFile(file, {
    reload: async () => {
      reloads += 1;
    },
    get state() {
      return { inForceSince: '', fault, atRestart: [] };
    },
  });
  t.equal(await config.text(), 'one');
  t.equal(await config.put({ was: 'one', text: 'two' }), 'in-force');
  t.equal(await readFile(real, 'utf8'), 'two', 'a link stays one');
  t.equal((await stat(real)).mode & 0o777, 0o640);
  t.equal(await config.put({ was: 'one', text: 'three' }), 'changed-meanwhile');
  t.equal(await readFile(real, 'utf8'), 'two');
  fault = 'line 1: not JSON';
  t.equal(await config.put({ was: 'two', text: 'three' }), 'not-in-force');
  t.equal(reloads, 2);
  t.strictSame((await readdir(folder)).sort(), ['shared.json', 'world.json'], 'nothing is left beside it');
  await rm(real);
  await rm(file);
  t.equal(await config.text(), '', 'a file that is gone is empty');
});
