// Backups that a running host makes by itself.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { openLog } from '../../../../control/node/log.ts';
import { within } from '../../../kit/deadline.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../../kit/many-worlds.ts';

/** Lines of a log, and one that is waited for. */
function kept() {
  const lines: Record<string, unknown>[] = [];
  return {
    lines,
    log: openLog('info', { write: line => void lines.push(JSON.parse(line)) }),
    said: (msg: string) =>
      within(
        `“${msg}”`,
        (async () => {
          for (;;) {
            const line = lines.find(each => each['msg'] === msg);
            if (line !== undefined) return line;
            await pause(10);
          }
        })(),
      ),
  };
}

const DAY_MS = 86_400_000;
const BACKED = 'the worlds are backed up';

t.test('a host backs its worlds up by itself, and says when and what failed', async t => {
  const directory = await hostDirectory(t);
  await bareWorld(directory, 'acme/shop');
  const folder = join(directory, '.wrld-host', 'backups');
  {
    const { log, said } = kept();
    await using host = await startHostQuietly(directory, {
      log,
      backups: { everyMs: DAY_MS, keep: 3, to: null },
    });
    t.match(await said(BACKED), { made: 1, failed: 0, unchanged: 0, to: folder });
    const token = host.adminToken.secret.reveal();
    const { text } = await askHost(host, 'GET', '/-/metrics', { token });
    t.match(text, /^wrld_host_backup_failed_worlds 0$/m);
    const [, at] = /^wrld_host_backup_timestamp_seconds (\d+)$/m.exec(text) ?? [];
    t.ok(Math.abs(Number(at) - Date.now() / 1000) < 300, `at ${at}`);
  }
  t.equal(readdirSync(join(folder, 'acme', 'shop')).filter(name => name.endsWith('.backup')).length, 1);
  const before = readFileSync(join(folder, 'latest.json'), 'utf8');
  {
    const { log, lines } = kept();
    await using host = await startHostQuietly(directory, {
      log,
      backups: { everyMs: DAY_MS, keep: 3, to: null },
    });
    const token = host.adminToken.secret.reveal();
    t.match((await askHost(host, 'GET', '/-/metrics', { token })).text, /backup_timestamp_seconds [1-9]/);
    await host.close();
    t.notOk(
      lines.some(({ msg }) => msg === BACKED),
      'a start makes none before the next is due',
    );
  }
  t.equal(readFileSync(join(folder, 'latest.json'), 'utf8'), before);
});

t.test('a folder that cannot be written to is told, and the host goes on', async t => {
  const directory = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop');
  const { log, said } = kept();
  const to = join(await hostDirectory(t), 'a-file', 'none');
  writeFileSync(dirname(to), 'in the way');
  await using host = await startHostQuietly(directory, { log, backups: { everyMs: 60_000, keep: null, to } });
  t.match(await said('no backups could be made'), { why: /a-file/ });
  t.match(await askHost(host, 'GET', '/-/acme/shop/map', { token }), { status: 200 });
});

t.test('a host that ends in the middle of them leaves whole ones, and ends', async t => {
  const directory = await hostDirectory(t);
  for (let n = 0; n < 40; n++) await bareWorld(directory, `acme/w${n}`);
  const folder = join(directory, '.wrld-host', 'backups');
  const host = await startHostQuietly(directory, { backups: { everyMs: DAY_MS, keep: null, to: null } });
  const first = async (): Promise<void> => {
    while (!existsSync(join(folder, 'acme'))) await pause(2);
  };
  await within('the first backup', first());
  await within('the host to close', host.close());
  const { log, said } = kept();
  await using _ = await startHostQuietly(directory, {
    log,
    backups: { everyMs: DAY_MS, keep: null, to: null },
  });
  const finished = existsSync(join(folder, 'latest.json'));
  if (!finished) t.match(await said(BACKED), { failed: 0 });
  for (let n = 0; n < 40; n++) {
    const names = readdirSync(join(folder, 'acme', `w${n}`));
    t.strictSame(
      names.filter(name => name.includes('partial')),
      [],
      `w${n}`,
    );
  }
});
