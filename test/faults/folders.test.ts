// Folders and files of `.wrld` that are somebody else's, or something else: one line that says what to do, and never a
// stack trace. What can be mended without losing anything is.
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { command, openWorlds, startUp, wrld, wrldWords } from '../kit/command-line.ts';

const STACK = /^\s+at .*:\d+:\d+\)?$/m;
const worlds = await openWorlds();
t.teardown(() => worlds.remove());
const root = process.getuid?.() === 0;

t.test('garbage in the file of the lock', async t => {
  const folder = await worlds.make('lock');
  await mkdir(join(folder, '.wrld', 'run'), { mode: 0o700 });
  await writeFile(join(folder, '.wrld', 'run', 'lock.db'), Buffer.alloc(9_000, 'x'));
  await using world = await startUp(folder);
  t.match(world.up.worldUrl, /acme\/shop$/);
  const second = await wrld(folder, 'world', 'up');
  t.match(second.err, /this world is up already/, 'it locks');
});

t.test('something else where a folder or a file of ours has to be', async t => {
  const rows: readonly (readonly [string, (home: string) => Promise<unknown>, RegExp])[] = [
    ['a file for run', home => writeFile(join(home, 'run'), ''), /\.wrld\/run/],
    ['a file for world', home => writeFile(join(home, 'world'), ''), /\.wrld\/world/],
    ['a folder for the token', home => mkdir(join(home, 'token')), /\.wrld\/token: a folder is where a file/],
    ['a file for ca', home => writeFile(join(home, 'ca'), ''), /\.wrld\/ca/],
    [
      'a folder for the store',
      home => mkdir(join(home, 'world', 'world.db'), { recursive: true }),
      /world\.db|\.wrld/,
    ],
    ['a folder for the lock', home => mkdir(join(home, 'run', 'lock.db'), { recursive: true }), /\.wrld/],
  ];
  for (const [name, make, words] of rows) {
    const folder = await worlds.make(name);
    await make(join(folder, '.wrld'));
    const ended = await wrld(folder, 'world', 'up');
    t.equal(ended.code, 1, name);
    t.match(ended.err, words, name);
    t.match(ended.err, /^wrld world up: /, name);
    t.notMatch(ended.err, STACK, name);
  }
});

t.test('a config that does not fit in memory', async t => {
  const folder = await worlds.make('endless');
  await rm(join(folder, '.wrld', 'world.json'));
  await symlink('/dev/zero', join(folder, '.wrld', 'world.json'));
  const ended = await wrld(folder, 'world', 'up');
  t.not(ended.code, 0);
  t.match(ended.err, /world\.json: larger than 64 MB; is it the file that was meant/);
  t.notMatch(ended.err, STACK);
});

t.test('a log that is a folder costs its lines and not the world', async t => {
  const folder = await worlds.make('log');
  for (const name of ['control.log', 'proxy.log'])
    await mkdir(join(folder, '.wrld', 'run', name), { recursive: true });
  await chmod(join(folder, '.wrld', 'run'), 0o700);
  const ended = await wrld(folder, 'world', 'run', '--', 'true');
  t.equal(ended.code, 0, ended.err);
});

t.test('another user’s folder', { skip: root ? false : 'only root can give a folder away' }, async t => {
  const folder = await worlds.make('another');
  await mkdir(join(folder, '.wrld', 'run'));
  await chown(join(folder, '.wrld', 'run'), 65_534, 65_534);
  const ended = await wrld(folder, 'world', 'up');
  t.equal(ended.code, 1);
  t.match(ended.err, /\.wrld\/run is no folder of this user’s; remove it/);
  t.notMatch(ended.err, STACK);
});

/** Root may write everywhere, unless it gives up what lets it. */
const plain = root ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
const noPlain =
  root &&
  spawnSync('setpriv', [...plain.slice(1), 'true']).status !== 0 &&
  'root cannot give up its rights here';

t.test('a folder that cannot be written', { skip: noPlain }, async t => {
  const folder = await worlds.make('unwritable');
  await chmod(join(folder, '.wrld'), 0o500);
  t.teardown(() => chmod(join(folder, '.wrld'), 0o700));
  for (const verb of ['up', 'serve']) {
    const ended = await command([...plain, ...wrldWords('world', verb)], folder);
    t.equal(ended.code, 1);
    t.match(ended.err, /\.wrld\/run: this user may not write/);
    t.notMatch(ended.err, STACK);
  }
});

t.test('a temporary folder whose path is too long for a socket', async t => {
  const folder = await worlds.make(`${'deep '.repeat(20)}world`);
  const long = join(worlds.root, 'long '.repeat(20));
  await mkdir(long);
  const words = ['env', `TMPDIR=${long}`, ...wrldWords('world', 'run', '--', 'true')];
  const ended = await command(words, folder);
  t.equal(ended.code, 0, ended.err);
  await rm(long, { recursive: true });
});
