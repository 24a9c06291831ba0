// Images that run natively, as a user starts them: in what a container would have, in the world, and nothing of it left.
import { execFileSync } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startUp } from '../../kit/command-line.ts';
import { startRun } from '../../kit/contained.ts';
import { cannotRunNatively, imageWords, runImage, writeFiles } from '../../kit/native.ts';

const skip = await cannotRunNatively();
const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test('in a world that is up', { skip }, async t => {
  const folder = await worlds.make('native', {
    services: { stripe: { twin: 'stripe' }, mail: { twin: 'smtp' } },
  });
  await using up = await startUp(folder);

  await t.test(
    '[7.1] a Node program is answered by the twin, and refused elsewhere, with records',
    async t => {
      await writeFiles(folder, {
        Dockerfile:
          'FROM node:26\nENV GREETING="hello you"\nWORKDIR /app\nCOPY . .\nUSER app\nCMD ["node", "app.cjs"]\n',
        'app.cjs': `
        const https = require('https'), net = require('net');
        console.log(process.cwd(), process.getuid(), process.env.GREETING, require('os').userInfo().username);
        const headers = { authorization: 'Bearer sk_test_x' };
        let left = 4;
        const done = (...said) => { console.log(...said); if (--left === 0) process.exit(7) };
        https.get('https://api.stripe.com/v1/customers', { headers, agent: new https.Agent() }, answer => {
          done('twin', answer.statusCode);
          answer.resume();
        });
        fetch('https://example.com/').catch(error => done('fetch', (error.worldRefusal ?? error.cause.worldRefusal).rule));
        net.connect(5432, 'db.example.com').on('error', error => done('raw', error.code, JSON.stringify(error.worldRefusal)));
        net.connect(Number(process.env.SMTP_PORT), process.env.SMTP_HOST).once('data', data => { done('mail', String(data).slice(0, 3)); });`,
      });
      const ended = await runImage(folder);
      t.equal(ended.code, 7, ended.err);
      t.match(ended.out, /^\/app 1000 hello you app$/m);
      t.match(ended.out, /^mail 220$/m);
      t.match(
        ended.out,
        /^raw EPERM .*"target":"db.example.com:5432","missing":"transport","rule":"native-direct"/m,
      );
      t.match(ended.out, /^twin 200$/m);
      t.match(ended.out, /^fetch not-granted$/m);
    },
  );

  await t.test('[7.1] whatever dials past the world gets EPERM, whoever it is', async t => {
    const script = `
      perl -MSocket -e 'for (["tcp", SOCK_STREAM, "192.0.2.1"], ["udp", SOCK_DGRAM, "8.8.8.8"]) { socket(S, PF_INET, $_->[1], 0); connect(S, sockaddr_in(443, inet_aton($_->[2]))) or print "$_->[0] ", $!+0, "\\n" }'
      curl -sS --noproxy '*' -m 5 https://api.stripe.com/ || echo curl $?
      curl -sS -m 5 -u sk_test_x: https://api.stripe.com/v1/customers | grep -o '"object": "list"'`;
    await writeFiles(folder, { Dockerfile: 'FROM debian\nCMD ["sh"]\n' });
    const ended = await runImage(folder, '--', 'sh', '-c', script);
    t.match(ended.out, /tcp 1\nudp 1\ncurl 7\n"object": "list"\n/, ended.err);
  });

  await t.test(
    '[7.2 policy-unreadable] a declaration that is damaged, or another world’s, opens nothing',
    async t => {
      const program = `fetch('https://example.com/').catch(e => console.log((e.worldRefusal ?? e.cause.worldRefusal).rule))`;
      await writeFiles(folder, {
        Dockerfile: 'FROM a\nCOPY bad.json /bad.json\n',
        'bad.json': '{"kind":"wrld-world-declaration","version":1,"world":"http://other"}',
      });
      const each = (name: string, file: string): string => `${name}=${file} node -e "$0"`;
      const script = [
        each('WRLD_WORLD_DECLARATION', '/none'),
        each('WRLD_WORLD_DECLARATION', '/bad.json'),
        each('WRLD_WORLD_NETWORK_POLICY', '/bad.json'),
      ].join('; ');
      const ended = await runImage(folder, '--', 'sh', '-c', script, program);
      t.equal(ended.out, 'policy-unreadable\n'.repeat(3), ended.err);
    },
  );

  await t.test('files: what a container would see, and nothing else', async t => {
    await writeFiles(folder, {
      Dockerfile:
        'FROM a AS made\nWORKDIR /src\nCOPY lib ./\nFROM b\nWORKDIR /app\nCOPY --from=made /src /app/lib\nCOPY one.txt links* ./\nCOPY . /all\nVOLUME /data\nCMD ["sh"]\n',
      'lib/lib.txt': 'lib\n',
      'one.txt': 'one\n',
      ...{ 'odd/\u0001 name\n': 'x' },
    });
    await symlink('/etc/shadow', join(folder, 'link')).catch(() => {});
    await symlink('../../..', join(folder, 'up')).catch(() => {});
    const script = `
      id -u; pwd; cat one.txt lib/lib.txt
      cat /all/link 2>/dev/null || echo no shadow
      ls /all/up | tr '\\n' ' '; ls /all/.wrld; ls -A '${folder}'; ls '${folder}/.wrld/run'
      ls -A /root /home; touch /usr/x 2>/dev/null || echo read-only
      echo x > /proc/sys/kernel/core_pattern 2>/dev/null || echo no settings
      cat /proc/1/environ 2>/dev/null || echo no keeper
      mknod /tmp/dev b 8 0 2>/dev/null || echo no devices
      find /usr/bin -perm -4000 | head -1 | grep -q . && grep -o ' /usr .*nosuid' /proc/self/mountinfo | grep -o nosuid | head -1
      grep -E 'NoNewPrivs|CapEff' /proc/self/status
      echo kept > /data/x; echo tmp > /tmp/x; mkdir /srv/mine -p; echo lost > /srv/mine/x; echo lost > /app/one.txt`;
    const ended = await runImage(folder, '--', 'sh', '-c', script);
    t.equal(ended.code, 0, ended.err);
    t.match(ended.out, /^0\n\/app\none\nlib\nno shadow\n/);
    t.match(
      ended.out,
      /\bapp\b.*\busr\b.*\.wrld\ndeclarations\npolicies\ntrust\n/s,
      'a link upwards ends at the root of the image',
    );
    t.match(
      ended.out,
      /read-only\nno settings\nno keeper\nno devices\n(nosuid\n)?CapEff:\t0+\nNoNewPrivs:\t1/,
    );
    for (const path of ['/srv', '/app/one.txt'])
      t.match(ended.err, new RegExp(`refused \\[persist-undeclared\\]: ${path} is kept.*Dockerfile:9`));
    t.notMatch(ended.err, /\] ?: \/(data|tmp)/);
    t.equal(
      execFileSync('cat', [join(folder, 'one.txt')], { encoding: 'utf8' }),
      'one\n',
      'this machine’s own file is as it was',
    );
    t.notMatch(await readdir(folder), ['mine']);
    const strict = await runImage(folder, '--fail-on-refusal', '--', 'sh', '-c', 'echo > /app/new');
    t.equal(strict.code, 3, strict.err);
  });

  await t.test('what .dockerignore names is not there', async t => {
    await writeFiles(folder, {
      'd/Dockerfile':
        'FROM x\nWORKDIR /app\nCOPY . .\nCMD ["sh", "-c", "find . | sort; echo made > .env; cat .env"]\n',
      'd/.dockerignore': '.env\n**/cache\nDockerfile\n.dockerignore\n',
      ...{ 'd/.env': 'SECRET\n', 'd/a': '', 'd/lib/cache/x': '', 'd/lib/b': '', 'd/cache': '' },
    });
    const ended = await runImage(folder, 'd');
    t.match(ended, { code: 0, out: '.\n./a\n./lib\n./lib/b\nmade\n' }, ended.err);
    t.notMatch(ended.err, /lib is kept/);
  });

  await t.test(
    '[7.2] mounts: inside the world’s folder, and refused elsewhere before anything runs',
    async t => {
      await writeFiles(folder, {
        'm/compose.yaml':
          'services:\n  a:\n    build: { context: ., dockerfile_inline: "FROM x" }\n    command: [sh, -c, "cat /ro/f; echo x > /ro/f; echo new > /rw/made; cat /all/.wrld/token"]\n    volumes: ["./ro:/ro:ro", "./rw:/rw", "..:/all:ro"]\n',
        'm/ro/f': 'ro\n',
        'm/rw/f': 'rw\n',
      });
      const ended = await runImage(folder, 'm');
      t.match(ended, { code: 1, out: 'ro\n' }, ended.err);
      t.match(ended.err, /Read-only file system.*token: No such file/s);
      t.strictSame((await readdir(join(folder, 'm', 'rw'))).sort(), ['f', 'made']);
      await symlink('/etc', join(folder, 'm', 'out'));
      await writeFiles(folder, {
        'm/compose.yaml':
          'services:\n  a:\n    build: { context: ., dockerfile_inline: "FROM x" }\n    command: [echo, ran]\n    volumes: ["./out:/o", "/etc:/e", "../../x:/x"]\n',
      });
      const refused = await runImage(folder, 'm');
      t.match(refused, { code: 1, out: '' });
      t.equal(refused.err.match(/refused \[mount-outside-world\].*compose.yaml:5/g)?.length, 3, refused.err);
    },
  );

  await t.test('limits, time and signals', async t => {
    await writeFiles(folder, { Dockerfile: 'FROM x\n' });
    const grown = await runImage(folder, '--', 'perl', '-e', 'my $x = "x" x (5 * 1024 ** 3); print "grown"');
    t.not(grown.code, 0);
    t.notMatch(grown.out, /grown/);
    t.match(grown.err, /at most 1024 processes, 4096 MiB of memory each/);
    await using live = startRun(
      folder,
      imageWords('--', 'sh', '-c', 'trap "exit 9" TERM; echo ready; while :; do sleep 0.05; done'),
    );
    await live.said(/ready/);
    live.process.kill('SIGTERM');
    t.equal(await live.ended(), 9);
    t.match(await runImage(folder, '--time', '1', '--', 'sleep', '1000'), {
      code: 124,
      err: /the time of this run is over/,
    });
    t.match(await runImage(folder, '--time', 'soon'), { code: 2, err: /--time takes/ });
    t.match(await runImage(folder), { code: 1, err: /says no command/ });
  });
  t.equal(up.err(), '');
});
