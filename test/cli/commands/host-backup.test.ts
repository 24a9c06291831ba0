// `wrld host backup` as a person runs it, beside a host that is up.
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { wrld, wrldShown } from '../../kit/command-line.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../kit/many-worlds.ts';

t.test('[4.10] all worlds by one command, one brought back by another', async t => {
  const directory = await hostDirectory(t);
  const to = join(await hostDirectory(t), 'kept');
  const shop = await bareWorld(directory, 'acme/shop');
  await bareWorld(directory, 'acme/lost');
  const path = '/acme/shop/stripe/v1/customers';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  let file = '';
  {
    await using host = await startHostQuietly(directory);
    const make = () => askHost(host, 'POST', path, { token: shop.token, headers, body: 'email=a@b.test' });
    await make();
    const made = await wrldShown(directory, 'host', 'backup', '.', '--to', to, '--json');
    t.equal(made.code, 0);
    t.strictSame(
      made.shown,
      ['Backing up  1/2  acme/lost', 'Backing up  2/2  acme/shop', ''],
      'a terminal is shown how far it is',
    );
    const run = JSON.parse(made.out);
    t.match(run, { to, made: [{ world: 'acme/lost' }, { world: 'acme/shop' }], failed: [], unchanged: 0 });
    file = run.made[1].file;
    await make();
    truncateSync(join(directory, 'acme/lost/.wrld/world/world.db'), 0);
    const second = await wrld(directory, 'host', 'backup', directory, '--to', to, '--keep', '5');
    t.equal(second.code, 1);
    t.match(second.err, /^✗ acme\/lost: /, 'and nothing else');
    t.match(second.out, /1 world backed up \(\d+\.\d MB\), 1 failed/);
    t.match(await wrld(join(directory, 'acme/shop'), 'world', 'check', file), { code: 0 });
  }
  t.match(await wrld(join(directory, 'acme/shop'), 'world', 'restore', file), {
    code: 0,
    out: /stripe at 1/,
  });
  await using host = await startHostQuietly(directory);
  const { json } = await askHost(host, 'GET', path, { token: shop.token });
  t.equal(json.data.length, 1);
});

t.test('what is asked wrongly is said', async t => {
  const directory = await hostDirectory(t);
  for (const [args, says] of [
    [[], /which directory/],
    [['.', '--keep', '0'], /--keep takes a number/],
    [['none'], /none is not there/],
  ] as const)
    t.match(await wrld(directory, 'host', 'backup', ...args), { code: 2, err: says });
  t.match(await wrld(directory, 'host', 'backup', '.', '--to', 'among'), {
    code: 1,
    err: /lies among the worlds/,
  });
  for (const [args, says] of [
    [['--backup-every', '5s'], /a minute or more/],
    [['--backup-every', 'often'], /a minute or more/],
    [['--backup-keep', '3'], /--backup-keep needs --backup-every/],
    [['--backup-every', '6h', '--backup-keep', 'all'], /1 or more/],
  ] as const)
    t.match(await wrld(directory, 'host', '.', ...args), { code: 2, err: says });
});
