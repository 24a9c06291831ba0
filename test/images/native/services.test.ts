// Several images that run natively together; whose they are, and where they cannot be.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { command, openWorlds, wrldWords } from '../../kit/command-line.ts';
import { AS_OTHER, noOtherUser, startRun } from '../../kit/contained.ts';
import { freePort } from '../../kit/free-port.ts';
import { cannotRunNatively, imageWords, runImage, writeFiles } from '../../kit/native.ts';

const skip = await cannotRunNatively();
const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test(
  '[7.2 service-undeclared] several services: by name, with labels, and the world’s own',
  { skip },
  async t => {
    const server = createServer(socket => socket.end('from the database'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const published = await freePort();
    const folder = await worlds.make('several', { services: { db: { address: `127.0.0.1:${port}` } } });
    await writeFiles(folder, {
      'compose.yaml': `
services:
  web:
    build: &build { context: ., dockerfile_inline: "FROM node\\nWORKDIR /app\\nCOPY . .\\nEXPOSE 3000" }
    command: [node, web.cjs]
    depends_on: [api, db]
    ports: ["${published}:3000"]
  api:
    build: *build
    command: [node, api.cjs]
  apart:
    build: *build
    profiles: [never]
    command: [node, web.cjs]
`,
      'api.cjs': `require('http').createServer((q, a) => a.end('api says hello')).listen(3000, () => console.log('api listens'));`,
      'web.cjs': `
      const net = require('net');
      const heard = (port, host) => new Promise(done => { let all = ''; net.connect(port, host).on('data', d => all += d).on('end', () => done(all)).on('error', e => done(e.code)); });
      const until = async ask => { for (;;) { try { return await ask() } catch { await new Promise(r => setTimeout(r, 50)) } } };
      (async () => {
        console.log(await until(async () => (await fetch('http://api:3000/')).text()));
        console.log(await heard(${port}, 'db'));
        require('http').createServer((q, a) => { a.end('web'); if (q.url === '/end') setTimeout(() => process.exit(5), 50) }).listen(3000, () => console.log('web listens'));
      })();`,
    });
    await using live = startRun(folder, imageWords());
    await live.said(/web \| api says hello\n/);
    await live.said(/web \| from the database\n/);
    await live.said(/web \| web listens/);
    t.match(live.out(), /^api \| api listens$/m);
    t.equal(await (await fetch(`http://127.0.0.1:${published}/end`)).text(), 'web');
    t.equal(await live.ended(), 5);
    t.match(live.err(), /web ended with 5, and the rest with it/);

    await writeFiles(folder, {
      'compose.yaml':
        'services:\n  a:\n    build: { dockerfile_inline: "FROM x" }\n    command: [echo, ran]\n    depends_on: [nobody]\n',
    });
    t.match(await runImage(folder), {
      code: 1,
      out: '',
      err: /compose.yaml:5: it depends on nobody, which is neither made here nor a service of the world/,
    });
  },
);

const ordinary = process.getuid!() === 0 ? skip || (await noOtherUser()) : 'this user is one';
t.test('an ordinary user’s image', { skip: ordinary }, async t => {
  const home = await worlds.make('ordinary');
  await writeFiles(home, { Dockerfile: 'FROM a\nWORKDIR /app\nCOPY . .\nUSER 42:43\nVOLUME /data\n' });
  await command(['chown', '-R', '65534:65534', home], home);
  await command(['chmod', 'o+x', worlds.root], home);
  const only = ['env', '-i', `PATH=${process.env['PATH']}`, `HOME=${home}`];
  const script =
    'id -u; id -g; touch /data/x && echo kept; perl -MSocket -e \'socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(443, inet_aton("192.0.2.1"))) or print $!+0\'';
  const ended = await command([...AS_OTHER, ...only, ...imageWords('--', 'sh', '-c', script)], home);
  t.match(ended, { code: 0, out: '42\n43\nkept\n1' }, ended.err);
});

t.test('where it cannot be, one line says what forbids it', { skip }, async t => {
  const folder = await worlds.make('forbidden');
  await writeFiles(folder, { Dockerfile: 'FROM a\nCMD ["true"]\n' });
  const forbid = 'echo 0 > /proc/sys/user/max_net_namespaces; exec "$@"';
  const words = ['unshare', '--user', '--map-root-user', 'sh', '-c', forbid, 'sh'];
  const ended = await command([...words, ...wrldWords('image', 'run')], folder);
  t.match(ended, {
    code: 1,
    out: '',
    err: /an image cannot run natively here: user\.max_net_namespaces is 0 here; to allow it: sysctl/,
  });
});
