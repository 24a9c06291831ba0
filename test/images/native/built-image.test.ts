// An image that is built already, as a user starts it: its own files and user, in the world, and none of it changed.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startUp } from '../../kit/command-line.ts';
import { cannotRunNatively, copyProgram, runBuiltImage } from '../../kit/native.ts';
import { archiveOf, dockerSaved, layerOf, ociLayout, writeKept } from '../../kit/oci.ts';

const skip = await cannotRunNatively();
const worlds = await openWorlds();
t.teardown(worlds.remove);

/** The root of an image with a shell, curl and a user of its own. */
function rootIn(folder: string): string {
  const root = join(folder, 'root');
  for (const name of ['sh', 'cat', 'curl']) copyProgram(name, root);
  for (const path of ['etc', 'srv/app', 'bin', 'data']) mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\napp:x:1234:1235::/srv/app:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nstaff:x:50:\n');
  writeFileSync(join(root, 'etc/motd'), 'its own\n');
  writeFileSync(join(root, 'data/seed'), 'seed\n');
  return root;
}

const CONFIG = {
  Env: ['PATH=/app', 'GREETING=hello you'],
  User: 'app',
  WorkingDir: '/srv/app',
  Volumes: { '/data': {} },
  Cmd: [
    'sh',
    '-c',
    `pwd; echo "$HOME $GREETING"; cat /etc/motd /data/seed
    for path in /etc/shadow /usr/bin "$0"; do [ -e "$path" ] || echo "no $path"; done
    curl -sS -u sk_test_x: https://api.stripe.com/v1/customers; echo
    curl -sS --noproxy '*' -m 5 https://192.0.2.1/ 2>/dev/null || echo curl $?
    echo changed >/etc/motd; echo x >/data/x; cat /etc/motd /data/x; exit 7`,
    '/.old-root',
  ],
};

t.test('in a world that is up', { skip }, async t => {
  const folder = await worlds.make('built', { services: { stripe: { twin: 'stripe' } } });
  await using _up = await startUp(folder);
  const place = t.testdir();
  const cache = join(place, 'cache');
  const layers = [layerOf(rootIn(place))];
  const parts = { layers, config: CONFIG };
  const layout = writeKept(join(place, 'layout'), ociLayout(parts));

  await t.test('[7.1] it has its own root, as its own user, and the world’s network alone', async t => {
    const ended = await runBuiltImage(folder, cache, layout);
    t.equal(ended.code, 7, ended.err);
    t.match(ended.out, /^\/srv\/app\n\/srv\/app hello you\nits own\nseed\n/);
    for (const gone of ['/etc/shadow', '/usr/bin', '/.old-root']) t.match(ended.out, `no ${gone}\n`);
    t.match(ended.out, '"url": "/v1/customers"');
    t.match(ended.out, '\ncurl 7\nchanged\nx\n');
    t.match(ended.err, /deny\(1\) network-outbound remote:\*:443/);
    t.match(ended.err, /unpacking .*, once/);
  });

  await t.test('what a run wrote is gone, and what is unpacked is not unpacked again', async t => {
    const ended = await runBuiltImage(folder, cache, layout, '--', 'cat', '/etc/motd');
    t.match(ended, { code: 0, out: 'its own\n' }, ended.err);
    t.notMatch(ended.err, 'unpacking');
    t.equal(readdirSync(join(cache, 'wrld/images')).length, 1);
  });

  await t.test('what docker save writes is run as well, by a number for a user', async t => {
    const saved = join(place, 'saved.tar');
    writeFileSync(saved, archiveOf(dockerSaved({ layers, config: { ...CONFIG, User: '4321:50' } })));
    const ended = await runBuiltImage(folder, cache, saved, '--', 'cat', '/proc/self/status');
    t.match(ended.out, /^Uid:\t4321\t/m, ended.err);
    t.match(ended.out, /^Gid:\t50\t/m);
    t.match(ended.out, /^NoNewPrivs:\t1$/m);
    t.match(ended.out, /^CapBnd:\t0+$/m);
  });

  await t.test('[bad-input] what cannot run says why, and what to do', async t => {
    let nth = 0;
    const refused = async (config: object, more: object, ...args: string[]) => {
      nth += 1;
      const at = writeKept(join(place, `no-${nth}`), ociLayout({ layers, config, more }));
      return runBuiltImage(folder, cache, at, ...args);
    };
    for (const [config, more, args, why] of [
      [{ ...CONFIG, User: 'nobody-here' }, {}, [], /its user nobody-here is not in its \/etc\/passwd/],
      [{ ...CONFIG, User: 'app:none' }, {}, [], /its group none is not in its \/etc\/group/],
      [
        CONFIG,
        { architecture: 's390x' },
        [],
        /is for linux\/s390x, and this machine runs linux\/.*; build it/,
      ],
      [{}, {}, [], /says no command; give one after --/],
      [CONFIG, {}, ['--system', '/usr'], /has its own system; --system is for build files/],
    ] as const) {
      const ended = await refused(config, more, ...args);
      t.equal(ended.code, 1, ended.err);
      t.match(ended.err, why);
    }
    const absent = await refused(CONFIG, {}, '--', 'none-such');
    t.match(absent, { code: 127, err: /none-such: No such file/ });
  });
});
