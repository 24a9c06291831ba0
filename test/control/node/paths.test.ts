// What control keeps on disk: paths, files, tokens, the lock, the log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import t from 'tap';
import { endpointsOf, isLoopback, urlHost } from '../../../control/node/addresses.ts';
import { digest } from '../../../control/node/digest.ts';
import { openEntropy } from '../../../control/node/entropy.ts';
import { privateFolder, readIfThere, writeWhole } from '../../../control/node/files.ts';
import { takeLock } from '../../../control/node/lock.ts';
import { openLog } from '../../../control/node/log.ts';
import { openSqlite } from '../../../control/node/sqlite.ts';
import { tokensFor } from '../../../control/node/token-file.ts';
import { Secret } from '../../../control/world/access/secret.ts';
import { openTokens } from '../../../control/world/access/token.ts';
import { within } from '../../kit/deadline.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
t.teardown(() => rm(folder, { recursive: true }));

t.test('a private folder is this user’s alone', async t => {
  const path = join(folder, 'a', 'run');
  await privateFolder(path);
  t.equal((await stat(path)).mode & 0o777, 0o700);
  await chmod(path, 0o755);
  await privateFolder(path);
  t.equal((await stat(path)).mode & 0o777, 0o700, 'one that was open is closed');
  await symlink(path, join(folder, 'link'));
  await t.rejects(privateFolder(join(folder, 'link')), /no folder of this user/);
  await writeFile(join(folder, 'file'), '');
  await t.rejects(privateFolder(join(folder, 'file')), /no folder of this user/);
});

t.test('a file is written whole, and for this user alone', async t => {
  const path = join(folder, 'whole', 'up.json');
  await mkdir(join(folder, 'whole'));
  t.equal(await readIfThere(path), null);
  await Promise.all(Array.from({ length: 20 }, (_, index) => writeWhole(path, String(index).repeat(10_000))));
  const text = (await readIfThere(path))!;
  t.match(text, /^(\d+?)\1{9999}$/, 'one of the texts, unmixed');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.strictSame(await readdir(join(folder, 'whole')), ['up.json'], 'and nothing is left beside it');
});

t.test('[5.1] both tokens are in .wrld/token, minted once', async t => {
  const path = join(folder, 'token');
  const sql = openSqlite(join(folder, 'world.db'));
  t.teardown(() => sql.close());
  const tokens = openTokens({ sql, entropy: openEntropy(), digest });
  const first = await tokensFor(tokens, path);
  t.ok(first.minted);
  const [write, read] = (await readFile(path, 'utf8')).split('\n');
  t.match(write, /^tok_w_[A-Za-z0-9_-]{43}$/);
  t.match(read, /^tok_r_[A-Za-z0-9_-]{43}$/);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.equal(tokens.scopeOf(write!), 'write');
  const again = await tokensFor(openTokens({ sql, entropy: openEntropy(), digest }), path);
  t.notOk(again.minted);
  t.equal(again.write.reveal(), write);
  await rm(path);
  const anew = await tokensFor(tokens, path);
  t.ok(anew.minted, 'a lost file is made anew');
  t.equal(tokens.scopeOf(write!), null, 'and the old tokens open nothing');
});

t.test('one control a world; a killed one leaves no lock behind', async t => {
  const lock = join(folder, 'lock.db');
  const holder = join(folder, 'control.pid');
  const program = `
    import { takeLock } from ${JSON.stringify(join(import.meta.dirname, '../../../control/node/lock.ts'))};
    const taken = await takeLock(${JSON.stringify(lock)}, ${JSON.stringify(holder)});
    console.log(taken.ok);
    setInterval(() => {}, 1000);
  `;
  const other = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => other.kill('SIGKILL'));
  const [said] = await within('the other process', once(createInterface({ input: other.stdout! }), 'line'));
  t.equal(said, 'true');
  t.strictSame(await takeLock(lock, holder), { ok: false, pid: other.pid });
  const ended = once(other, 'exit');
  other.kill('SIGKILL');
  await ended;
  const mine = await takeLock(lock, holder);
  t.ok(mine.ok);
  t.strictSame(await takeLock(lock, holder), { ok: false, pid: process.pid }, 'twice in one process neither');
  if (mine.ok) await mine.release();
  const next = await takeLock(lock, holder);
  t.ok(next.ok);
  if (next.ok) await next.release();
  t.equal(await readIfThere(holder), null);
});

t.test(
  '[security: one control a world] garbage in the lock’s file is no lock, and no reason to stop',
  async t => {
    const lock = join(folder, 'garbage.db');
    const holder = join(folder, 'garbage.pid');
    for (const garbage of [
      Buffer.alloc(9_000, 'no database'),
      Buffer.from('SQLite format 3\0 and no more'),
    ]) {
      await writeFile(lock, garbage);
      const taken = await takeLock(lock, holder);
      t.ok(taken.ok);
      t.match(await takeLock(lock, holder), { ok: false, pid: process.pid }, 'and it locks');
      if (taken.ok) await taken.release();
    }
    await rm(lock);
    await mkdir(lock);
    await t.rejects(takeLock(lock, holder), /unable to open/, 'a folder is told of, not removed');
  },
);

t.test('[security 52] the log hides what must not be seen', t => {
  let written = '';
  const to = new Writable({
    write: (chunk, _encoding, done) => {
      written += chunk;
      done();
    },
  });
  const log = openLog('info', to);
  const headers = {
    authorization: 'Bearer tok_w_1',
    'x-twins-key': 'tok_w_2',
    'proxy-authorization': 'tok_w_3',
    accept: 'a',
  };
  log.info({ headers, token: 'tok_w_4', secret: new Secret('tok_w_5'), pair: new Secret('tok_w_6') }, 'seen');
  log.debug({}, 'not at this level');
  t.notMatch(written, 'tok_w_');
  t.match(JSON.parse(written), {
    msg: 'seen',
    pair: '[secret]',
    headers: { accept: 'a', authorization: '[secret]' },
  });
  t.end();
});

t.test('what is bound, and what is dialled', t => {
  t.equal(urlHost('127.0.0.1'), '127.0.0.1');
  t.equal(urlHost('0.0.0.0'), '127.0.0.1');
  t.equal(urlHost('::'), '[::1]');
  t.equal(urlHost('::1'), '[::1]');
  t.strictSame(endpointsOf('127.0.0.1', 1), ['127.0.0.1:1', 'localhost:1']);
  t.strictSame(endpointsOf('::', 1), ['[::1]:1', '127.0.0.1:1', 'localhost:1']);
  t.strictSame(endpointsOf('10.0.0.7', 1), ['10.0.0.7:1']);
  t.ok(isLoopback('localhost') && isLoopback('127.9.9.9') && isLoopback('::1'));
  t.notOk(isLoopback('0.0.0.0') || isLoopback('10.0.0.7') || isLoopback('example.com'));
  t.end();
});
