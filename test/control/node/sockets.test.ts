import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { SOCKET_PATH_BYTES_MAX } from '../../../control/node/limits.ts';
import { worldPaths } from '../../../control/node/paths.ts';
import { openSockets } from '../../../control/node/sockets.ts';

const root = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
t.teardown(() => rm(root, { recursive: true, force: true }));
let worlds = 0;

async function deepWorld(): Promise<ReturnType<typeof worldPaths>> {
  const paths = worldPaths(join(root, `${++worlds}`, 'deep/'.repeat(20)));
  await mkdir(paths.run, { recursive: true });
  return paths;
}

/** Of folders outside of the world, which the test must not leave behind. */
function removed(t: Test, folder: string): string {
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

t.test('sockets are in .wrld/run, where their path is short enough', async t => {
  const paths = worldPaths('/home/me/shop');
  await using opened = new AsyncDisposableStack();
  t.strictSame(await openSockets(paths, opened), {
    ipc: '/home/me/shop/.wrld/run/ipc.sock',
    twins: '/home/me/shop/.wrld/run/twins.sock',
    runs: '/home/me/shop/.wrld/run/runs.sock',
  });
});

t.test(
  'else in a folder of this user’s alone that nobody can guess, the same until the world ends',
  async t => {
    const paths = await deepWorld();
    const killed = new AsyncDisposableStack();
    const first = await openSockets(paths, killed);
    const folder = removed(t, dirname(first.ipc));
    t.ok(Buffer.byteLength(first.twins) <= SOCKET_PATH_BYTES_MAX);
    t.equal((await lstat(folder)).mode & 0o777, 0o700);
    t.match(folder, /wrld-\w{6}$/, 'not the user’s number, which anybody knows');
    const next = new AsyncDisposableStack();
    t.strictSame(
      await openSockets(paths, next),
      first,
      'for the proxy that outlived a control that was killed',
    );
    await next.disposeAsync();
    await t.rejects(lstat(folder), { code: 'ENOENT' });
    await t.rejects(lstat(paths.socketsNote), { code: 'ENOENT' });
  },
);

t.test('a folder that another may have made, or can open, is not used', async t => {
  const noted = async (made: (folder: string) => Promise<void>): Promise<boolean> => {
    const paths = await deepWorld();
    const folder = removed(t, await mkdtemp(join(tmpdir(), 'wrld-test-')));
    await made(folder);
    await writeFile(paths.socketsNote, `${folder}\n`);
    await using opened = new AsyncDisposableStack();
    const used = dirname((await openSockets(paths, opened)).ipc);
    t.equal((await readFile(paths.socketsNote, 'utf8')).trim(), used);
    return used === folder;
  };
  t.equal(await noted(async () => {}), true);
  t.equal(await noted(folder => chmod(folder, 0o755)), false, 'open to others');
  t.equal(await noted(folder => rm(folder, { recursive: true })), false, 'gone');
  const linked = async (folder: string): Promise<void> => {
    await rm(folder, { recursive: true });
    await symlink(root, folder);
  };
  t.equal(await noted(linked), false, 'a link');
  if (process.getuid?.() === 0)
    t.equal(await noted(folder => chown(folder, 65_534, 65_534)), false, 'another’s');
});
