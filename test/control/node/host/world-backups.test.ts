// Backups of all worlds of a host: made while they are served, brought back one by one, and what cannot be kept is named.
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { backUpWorlds } from '../../../../control/node/host/world-backups.ts';
import { worldPaths } from '../../../../control/node/paths.ts';
import { restoreBackup } from '../../../../control/node/restore.ts';
import { unfinishedName } from '../../../../control/node/unfinished.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../../kit/many-worlds.ts';

type Host = { readonly baseUrl: string };

const form = { 'content-type': 'application/x-www-form-urlencoded' };

async function write(host: Host, name: string, token: string): Promise<void> {
  const answer = await askHost(host, 'POST', `/${name}/stripe/v1/customers`, {
    token,
    headers: form,
    body: 'email=a@b.test',
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

async function count(host: Host, name: string, token: string): Promise<number> {
  return (await askHost(host, 'GET', `/${name}/stripe/v1/customers?limit=100`, { token })).json.data.length;
}

t.test('every world is kept while it is served, and each is brought back alone', async t => {
  const directory = await hostDirectory(t);
  const to = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  const crm = await bareWorld(directory, 'other/crm');
  await bareWorld(directory, 'other/idle', ['smtp']);
  {
    await using host = await startHostQuietly(directory);
    for (let n = 0; n < 3; n++) await write(host, 'acme/shop', shop.token);
    await write(host, 'other/crm', crm.token);
    let going = true;
    const writing = (async () => {
      let written = 3;
      for (; going; written++) await write(host, 'acme/shop', shop.token);
      return written;
    })();
    const told: string[] = [];
    const run = await backUpWorlds({
      directory,
      to,
      keep: null,
      told: (world, n, of) => void told.push(`${world} ${n}/${of}`),
    });
    going = false;
    const written = await writing;
    t.strictSame(told, ['acme/shop 0/3', 'other/crm 1/3', 'other/idle 2/3']);
    t.match(run, { failed: [], unchanged: 0, removed: 0, to });
    t.strictSame(
      run.made.map(({ world }) => world),
      ['acme/shop', 'other/crm', 'other/idle'],
    );
    t.match(readdirSync(join(to, 'other', 'crm')).sort(), [
      /^\d{4}-.*Z\.backup$/,
      /^\d{4}-.*Z\.world\.json$/,
    ]);
    for (const { file } of run.made) t.equal(statSync(file).mode & 0o777, 0o600);
    await write(host, 'other/crm', crm.token);
    t.equal(await count(host, 'other/crm', crm.token), 2);
    await host.close();
    const [first, second] = run.made;
    await restoreBackup(worldPaths(join(directory, 'other/crm')), second!.file, () => {});
    await using again = await startHostQuietly(directory);
    t.equal(await count(again, 'other/crm', crm.token), 1, 'as it was then, by the tokens it has now');
    t.ok((await count(again, 'acme/shop', shop.token)) >= Math.min(written, 100), 'the other is as it is');
    // A world that was lost with its folder.
    await again.close();
    rmSync(join(directory, 'acme'), { recursive: true });
    const lost = await bareWorld(directory, 'acme/shop');
    const restored = await restoreBackup(worldPaths(join(directory, 'acme/shop')), first!.file, () => {});
    t.ok(restored.positions['stripe']! >= 3);
    await using third = await startHostQuietly(directory);
    t.ok((await count(third, 'acme/shop', lost.token)) >= 3);
  }
});

t.test('what nothing was written to is not kept twice; the oldest go, but never the last', async t => {
  const directory = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop');
  await bareWorld(directory, 'acme/idle');
  /** Its files are of an hour ago: times of files and of the clock differ by little. */
  const age = (name: string): void => {
    const { database } = worldPaths(join(directory, name));
    const then = new Date(Date.now() - 3_600_000);
    for (const file of [database, `${database}-wal`]) if (existsSync(file)) utimesSync(file, then, then);
  };
  const written = async (): Promise<void> => {
    await using host = await startHostQuietly(directory);
    await write(host, 'acme/shop', token);
  };
  await written();
  for (const name of ['acme/shop', 'acme/idle']) age(name);
  t.match(await backUpWorlds({ directory, to: null, keep: 2 }), { made: { length: 2 } });
  t.match(await backUpWorlds({ directory, to: null, keep: 2 }), { made: { length: 0 }, unchanged: 2 });
  const place = join(directory, '.wrld-host', 'backups', 'acme', 'shop');
  // What a person has put there is no backup to count.
  writeFileSync(join(place, 'before-release.backup'), 'mine');
  writeFileSync(unfinishedName(join(place, '2026-01-01T00-00-00Z.backup')), 'half');
  for (const removed of [0, 1]) {
    await written();
    const run = await backUpWorlds({ directory, to: null, keep: 2 });
    t.match(run, { made: [{ world: 'acme/shop' }], unchanged: 1, removed });
  }
  const kept = readdirSync(place);
  t.equal(kept.filter(name => /Z\.backup$/.test(name)).length, 2);
  t.equal(kept.filter(name => name.endsWith('.world.json')).length, 2);
  t.ok(kept.includes('before-release.backup'));
  t.equal(kept.length, 5, 'and nothing is left of a run that was killed');
  t.match(JSON.parse(readFileSync(join(directory, '.wrld-host', 'backups', 'latest.json'), 'utf8')), {
    made: 1,
    failed: [],
  });
  await using host = await startHostQuietly(directory);
  t.strictSame(host.names(), ['acme/idle', 'acme/shop'], 'backups are no worlds');
});

t.test('a world that cannot be kept is named, keeps its older backups, and the others go on', async t => {
  const directory = await hostDirectory(t);
  const names = [
    'acme/a-emptied',
    'acme/b-gone',
    'acme/c-damaged',
    'acme/d-old',
    'acme/d-torn',
    'acme/e-well',
    'acme/f-newer',
  ];
  const tokens = new Map<string, string>();
  for (const name of names) tokens.set(name, (await bareWorld(directory, name)).token);
  const database = (name: string): string => worldPaths(join(directory, name)).database;
  let old: Buffer;
  {
    await using host = await startHostQuietly(directory);
    for (const name of names) await write(host, name, tokens.get(name)!);
    await host.close();
    old = readFileSync(database('acme/d-old'));
    await using again = await startHostQuietly(directory);
    for (const name of names) await write(again, name, tokens.get(name)!);
  }
  t.match(await backUpWorlds({ directory, to: null, keep: 1 }), {
    made: { length: names.length },
    failed: [],
  });
  truncateSync(database('acme/a-emptied'), 0);
  rmSync(database('acme/b-gone'));
  const bytes = readFileSync(database('acme/c-damaged'));
  bytes.fill(0x5a, 4096, 5 * 4096);
  writeFileSync(database('acme/c-damaged'), bytes);
  writeFileSync(database('acme/d-old'), old);
  {
    using torn = new DatabaseSync(database('acme/d-torn'));
    torn.exec("UPDATE head SET body = 'torn'");
  }
  await using host = await startHostQuietly(directory);
  await write(host, 'acme/e-well', tokens.get('acme/e-well')!);
  rmSync(join(directory, 'acme/f-newer'), { recursive: true });
  const run = await backUpWorlds({ directory, to: null, keep: 1 });
  t.match(run.made, [{ world: 'acme/e-well' }]);
  t.strictSame(
    run.failed.map(({ world }) => world),
    names.slice(0, 5),
  );
  t.match(
    run.failed.map(({ why }) => why),
    [/./, /is gone/, /damaged|malformed/, /lacks what was written|another store|ends at/, /is no JSON/],
  );
  for (const name of names) {
    const backups = readdirSync(join(directory, '.wrld-host/backups', name)).filter(each =>
      each.endsWith('.backup'),
    );
    t.equal(backups.length, 1, `${name} has one whole backup still`);
  }
});

t.test('one run at a time, and not among the worlds', async t => {
  const directory = await hostDirectory(t);
  await bareWorld(directory, 'acme/shop');
  const both = await Promise.allSettled([
    backUpWorlds({ directory, to: null, keep: null }),
    backUpWorlds({ directory, to: null, keep: null }),
  ]);
  t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.match(
    both.find(({ status }) => status === 'rejected'),
    { reason: { code: 'already-running' } },
  );
  for (const to of [directory, join(directory, 'backups'), join(directory, 'acme')])
    await t.rejects(backUpWorlds({ directory, to, keep: null }), { message: /lies among the worlds/ });
  t.notOk(existsSync(join(directory, 'backups')));
  await t.rejects(backUpWorlds({ directory: join(directory, 'none'), to: null, keep: null }), {
    code: 'ENOENT',
  });
});
