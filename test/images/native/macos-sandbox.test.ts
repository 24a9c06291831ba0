// A run on macOS, as far as another system can tell: with a program in the place of `sandbox-exec` that keeps what it is told, and
// holds nobody.
import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { openMacSandbox } from '../../../images/native/macos-sandbox.ts';

const STAND_IN = '#!/bin/sh\n[ "$1" = -p ] || exit 99\nprintf %s "$2" > "$KEEP"\nshift 2\nexec "$@"\n';

t.test('the program runs in a copy of its files, under the profile, and nothing is left', async t => {
  const folder = realpathSync(
    t.testdir({
      app: { 'a.txt': 'a\n', '.env': 'secret\n', '.wrld': { token: 'x' } },
      data: { 'd.txt': 'd\n' },
      'one.txt': 'one\n',
    }),
  );
  symlinkSync('/etc/passwd', join(folder, 'app', 'out'));
  const program = join(folder, 'sandbox-exec');
  await writeFile(program, STAND_IN);
  await chmod(program, 0o755);
  const told: string[] = [];
  const options = {
    env: {},
    bytesMax: 0,
    labelled: true,
    tell: (line: string) => told.push(line),
    heard: () => {},
    dial: () => {},
  };
  const opened = openMacSandbox(options, program);
  if (!opened.ok) throw new Error(opened.why);
  await using sandbox = opened.sandbox;
  const script = `pwd; ls -A; cat "$0" ../data/d.txt ../x/one.txt; echo "$HOME"; echo new > a.txt; echo kept > ../data/new; echo v > ../var/v/f; exit 7`;
  const profile = join(folder, 'profile');
  const start = {
    ...{ words: ['/bin/sh', '-c', script, '/app/a.txt'], env: { PATH: '/usr/bin:/bin', KEEP: profile } },
    root: {
      ...{ base: null, made: null },
      layers: [{ from: join(folder, 'app'), at: '/app', without: ['.env'] }],
      files: [{ from: join(folder, 'one.txt'), at: '/x/one.txt' }],
      mounts: [{ from: join(folder, 'data'), at: '/data', readOnly: false }],
      ...{ volumes: ['/var/v'], workingFolder: '/app', provided: [], bundle: null, system: [] },
      hidden: [join(folder, 'app', '.wrld')],
      user: { name: 'app', uid: 1000, gid: 1000, home: '/home/app' },
      ...{ hosts: [], hostname: 'app' },
    },
    limits: { processes: 10, memory: 1 },
    ...{ proxySocket: '', credentials: '', worldAddress: '127.0.0.1', proxyPort: 4100 },
    ...{ worldPorts: [4101], directPorts: [], leads: [], saves: null },
  };
  const out = text(sandbox.output.out);
  const ended = await sandbox.run(start);
  t.match(ended, { ok: true, code: 7, signal: null });
  const [at = '', ...lines] = (await out).split('\n');
  t.strictSame(lines, ['a.txt', 'out', 'a', 'd', 'one', at.replace(/\/app$/, '/home/app'), '']);
  t.notOk(existsSync(at), 'its folder is gone');
  t.equal(readFileSync(join(folder, 'app', 'a.txt'), 'utf8'), 'a\n', 'this machine’s own is as it was');
  t.equal(readFileSync(join(folder, 'data', 'new'), 'utf8'), 'kept\n', 'a mount is written to');
  const said = readFileSync(profile, 'utf8');
  t.match(said, `(subpath "${at.replace(/\/app$/, '')}")`);
  t.match(said, 'localhost:4101');
  t.match(told.join('\n'), /no limit of processes/);
  const services = await sandbox.run({
    ...start,
    leads: [{ address: '198.19.254.1', port: 1, to: 'service', service: 'db' }],
  });
  t.match(services, { ok: false, why: /no address of its own on macOS/ });
  t.match(openMacSandbox(options, join(folder, 'none')), { ok: false, why: /is not there/ });
});
