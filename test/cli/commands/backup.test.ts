// What keeps a world and brings it back, as a person does it: backup, check, restore, reset.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, truncateSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { cleanEnv, openWorlds, type RunningUp, startUp, wrld, wrldWords } from '../../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(() => worlds.remove());

const tokenOf = (folder: string): string =>
  readFileSync(join(folder, '.wrld', 'token'), 'utf8')
    .split('\n')[0]!
    .trim();

async function stripe(
  up: RunningUp,
  folder: string,
  method: 'GET' | 'POST',
  path: string,
): Promise<Response> {
  const headers = { authorization: `Bearer ${tokenOf(folder)}`, 'x-wrld-token': tokenOf(folder) };
  return fetch(`${up.up.worldUrl}/stripe${path}`, { method, headers });
}

async function customers(up: RunningUp, folder: string): Promise<number> {
  const answer = await stripe(up, folder, 'GET', '/v1/customers?limit=100');
  return ((await answer.json()) as { readonly data: unknown[] }).data.length;
}

const json = (out: string) => JSON.parse(out);

t.test(
  'a backup of a world that is up passes the check, and brings it back after its store was lost',
  async t => {
    const folder = await worlds.make('kept');
    let token = '';
    let backup = '';
    {
      await using up = await startUp(folder);
      for (let n = 0; n < 3; n++) t.equal((await stripe(up, folder, 'POST', '/v1/customers')).status, 200);
      const made = await wrld(folder, 'world', 'backup', '--json');
      t.match([made.code, made.err], [0, '']);
      backup = json(made.out).file;
      t.match(json(made.out), { positions: { stripe: 3 }, bytes: Number });
      t.match(readdirSync(join(folder, '.wrld', 'backups')), [/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/]);
      t.match(await wrld(folder, 'world', 'backup', backup), { code: 1, err: /is there already/ });
      t.match(json((await wrld(folder, 'world', 'check', backup, '--json')).out), { ok: true });
      t.match(json((await wrld(folder, 'world', 'check', '--json')).out), { ok: true }, 'while it is up');
      t.equal((await stripe(up, folder, 'POST', '/v1/customers')).status, 200);
      t.match(await wrld(folder, 'world', 'restore', backup), {
        code: 1,
        err: /world is up .*wrld world down/,
      });
      token = tokenOf(folder);
    }
    truncateSync(join(folder, '.wrld', 'world', 'world.db'), 0);
    const refused = await wrld(folder, 'world', 'run', '--', 'true');
    t.match(refused, { code: 1, err: /is empty, and it was not/ });
    t.ok(refused.err.includes(`wrld world restore ${backup}`), 'the newest backup is named');
    t.match(await wrld(folder, 'world', 'check'), { code: 1 });
    const restored = await wrld(folder, 'world', 'restore', backup, '--json');
    t.match([restored.code, restored.err], [0, '']);
    t.match(json(restored.out), { from: backup, positions: { stripe: 3 }, setAside: /set-aside/ });
    await using up = await startUp(folder);
    t.equal(tokenOf(folder), token, 'whoever had its token has it still');
    t.equal(await customers(up, folder), 3);
    t.match(await wrld(folder, 'world', 'check'), { code: 0, out: /✓ every change has its version/ });
    const database = new DatabaseSync(join(folder, '.wrld', 'world', 'world.db'));
    database.exec("UPDATE head SET body = 'torn' WHERE type = 'customer'");
    database.close();
    t.match(
      await wrld(folder, 'world', 'backup', 'torn.backup'),
      { code: 1, err: /is not whole, as the world is not.*customer cus_\w+ as of 1 is no JSON/ },
      'what no restore would take is told of as it is made',
    );
  },
);

t.test('what is no whole backup is not brought back, and the store is as it was', async t => {
  const folder = await worlds.make('no-backup');
  {
    await using up = await startUp(folder);
    await stripe(up, folder, 'POST', '/v1/customers');
  }
  const store = join(folder, '.wrld', 'world', 'world.db');
  const before = readFileSync(store);
  writeFileSync(join(folder, 'letter'), 'This is a letter.');
  for (const [file, says] of [
    ['letter', /cannot be read/],
    ['nowhere', /is not there/],
    [store, /is no backup of a world/],
  ] as const)
    t.match(await wrld(folder, 'world', 'restore', file), { code: 1, err: says });
  const made = json((await wrld(folder, 'world', 'backup', 'half.backup', '--json')).out);
  truncateSync(made.file, made.bytes / 2);
  t.match(await wrld(folder, 'world', 'restore', 'half.backup'), { code: 1 });
  t.match(await wrld(folder, 'world', 'check', 'half.backup'), { code: 1 });
  t.match(await wrld(folder, 'world', 'restore'), { code: 2, err: /name a backup/ });
  t.strictSame(readFileSync(store), before);
  t.strictSame(
    readdirSync(join(folder, '.wrld')).filter(name => /restoring|set-aside/.test(name)),
    [],
  );
});

t.test('a restore that is killed leaves a world that is as it was, or is refused by name', async t => {
  const folder = await worlds.make('killed');
  const home = join(folder, '.wrld');
  let backup = '';
  {
    await using up = await startUp(folder);
    await stripe(up, folder, 'POST', '/v1/customers');
    backup = json((await wrld(folder, 'world', 'backup', '--json')).out).file;
    await stripe(up, folder, 'POST', '/v1/customers');
  }
  // The last moment that it has, for each: as it begins to copy, and as the old store leaves its place.
  for (const moment of ['restoring', 'set-aside']) {
    const appeared = Promise.withResolvers<void>();
    const watcher = watch(home, (_event, name) => name === moment && appeared.resolve());
    const [program, ...words] = wrldWords('world', 'restore', backup);
    const restoring = spawn(program!, words, { cwd: folder, env: cleanEnv(), stdio: 'ignore' });
    const ended = once(restoring, 'exit');
    await Promise.race([appeared.promise, ended]);
    restoring.kill('SIGKILL');
    await ended;
    watcher.close();
    const started = await wrld(folder, 'world', 'run', '--', 'true');
    if (started.code === 0) t.match(await wrld(folder, 'world', 'check'), { code: 0 }, moment);
    else t.match(started, { code: 1, err: `wrld world restore ${backup}` }, moment);
  }
  t.match(await wrld(folder, 'world', 'restore', backup), { code: 0 });
  t.notOk(existsSync(join(home, 'restoring')), 'nothing half done is left');
  await using up = await startUp(folder);
  t.equal(await customers(up, folder), 1);
});

t.test('a world is reset while it is up, and while it is down', async t => {
  const folder = await worlds.make('reset');
  {
    await using up = await startUp(folder);
    await stripe(up, folder, 'POST', '/v1/customers');
    await wrld(folder, 'world', 'clock', 'set', '2030-01-01T00:00:00Z');
    await stripe(up, folder, 'POST', '/v1/customers');
    await wrld(folder, 'world', 'clock', 'advance', '1d');
    t.match(await wrld(folder, 'world', 'backup', join(folder, '.wrld', 'backups', 'two.backup')), {
      code: 0,
    });
    await stripe(up, folder, 'POST', '/v1/customers');
    t.equal(await customers(up, folder), 3);
    const back = await wrld(folder, 'world', 'reset', '--to', '2030-01-01T12:00:00Z', '--json');
    t.match([back.code, back.err], [0, '']);
    t.strictSame(json(back.out), { to: '2030-01-01T12:00:00.000Z', positions: { stripe: 2 } });
    t.equal(await customers(up, folder), 2);
    t.match(await wrld(folder, 'world', 'reset', '--to', '2031-01-01T00:00:00Z'), {
      code: 1,
      err: /not known yet/,
    });
    t.match(await wrld(folder, 'world', 'reset', '--to', 'three'), {
      code: 1,
      err: /no backup .* and no branch/,
    });
    const branch = json((await wrld(folder, 'world', 'branch', 'make', '--json')).out).name.split('/')[1];
    t.match(await wrld(folder, 'world', 'reset'), {
      code: 1,
      err: new RegExp(`${branch}.*Remove them first`),
    });
    t.match(await wrld(folder, 'world', 'clock', 'advance', '9d', '--branch', branch), { code: 0 });
    t.match(await wrld(folder, 'world', 'reset', '--to', branch), { code: 0 });
    t.match((await wrld(folder, 'world', 'clock')).out, /^2030-01-10/);
    t.match(await wrld(folder, 'world', 'branch', 'remove', branch), { code: 0 });
    t.match(await wrld(folder, 'world', 'reset', '--to', 'two'), { code: 0 });
    t.equal(await customers(up, folder), 2);
    t.match(await wrld(folder, 'world', 'reset'), { code: 0, out: /The world is empty/ });
    t.equal(await customers(up, folder), 0);
    t.equal((await stripe(up, folder, 'POST', '/v1/customers')).status, 200);
    t.match(await wrld(folder, 'world', 'check'), { code: 0 });
  }
  t.match(await wrld(folder, 'world', 'reset', '--to', 'two'), { code: 0 });
  t.match(await wrld(folder, 'world', 'check'), { code: 0 });
  {
    await using up = await startUp(folder);
    t.equal(await customers(up, folder), 2);
  }
  const token = tokenOf(folder);
  truncateSync(join(folder, '.wrld', 'world', 'world.db'), 5_000);
  t.match(await wrld(folder, 'world', 'reset'), { code: 0, out: /The world is empty/ });
  await using up = await startUp(folder);
  t.equal(tokenOf(folder), token);
  t.equal(await customers(up, folder), 0);
});

t.test('a store that lost something is gone on with when somebody says so', async t => {
  const folder = await worlds.make('as-is');
  const store = join(folder, '.wrld', 'world', 'world.db');
  {
    await using up = await startUp(folder);
    await stripe(up, folder, 'POST', '/v1/customers');
  }
  const old = readFileSync(store);
  {
    await using up = await startUp(folder);
    await stripe(up, folder, 'POST', '/v1/customers');
  }
  writeFileSync(store, old);
  t.match(await wrld(folder, 'world', 'run', '--', 'true'), { code: 1, err: /stripe ends at 1 of 2/ });
  const restored = await wrld(folder, 'world', 'restore', '--as-is', '--json');
  t.match(json(restored.out), { from: null, positions: { stripe: 1 }, setAside: /set-aside/ });
  await using up = await startUp(folder);
  t.equal(await customers(up, folder), 1);
});
