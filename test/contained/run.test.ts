// Contained runs, as a user starts them: whatever a program does, its connections arrive at the world, and all else is
// as without containment.
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { command, MAIN, openWorlds, startUp, wrld, wrldWords } from '../kit/command-line.ts';
import {
  AS_OTHER,
  cannotContain,
  heardAt,
  hearOnce,
  inside,
  isRunning,
  lacks,
  noOtherUser,
  runWords,
  startRun,
} from '../kit/contained.ts';
import { within } from '../kit/deadline.ts';

const skip = await cannotContain();
const worlds = await openWorlds();
t.teardown(worlds.remove);

const NODE = `'${process.execPath}'`;
const STRIPE = 'https://api.stripe.com/v1/customers';
const LIST = /"url": "\/v1\/customers"/;

/** Something that listens on this machine's loopback. */
const server = createServer(socket => socket.end('HTTP/1.0 200 OK\r\n\r\noutside'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => server.close());
const { port } = server.address() as AddressInfo;

/** The names in the world's run folder, but for files that are being written: they get their name when they are whole. */
const inRun = async (folder: string) =>
  (await readdir(join(folder, '.wrld', 'run'))).filter(name => !/\.\d+\.[\da-f-]{36}$/.test(name));

// All of these in one run, with nothing in the environment of each.
const CLIENTS = {
  twin: `curl -sS -m 10 -u sk_test_x: ${STRIPE}`,
  name: 'curl -sS -i -m 10 https://example.com/',
  plain: 'curl -sS -i -m 10 http://example.com/',
  address: 'curl -sS -i -m 10 http://192.0.2.7/',
  v6: "curl -sS -i -m 10 'https://[2001:db8::7]/'",
  hello: `curl -sS -m 10 --resolve api.stripe.com:443:192.0.2.9 -u sk_test_x: ${STRIPE}`,
  stream: `${NODE} -e "require('net').connect(587, 'smtp.sendgrid.net').once('data', d => { console.log(String(d)); process.exit() })"`,
  outside: `curl -sS -m 10 http://127.0.0.1:${port}/`,
  names: `${NODE} -e "
    const dns = new (require('dns').promises.Resolver)();
    dns.setServers(['8.8.8.8']);
    dns.resolve4('api.stripe.com').then(found => console.log(found[0]));
    const socket = require('dgram').createSocket('udp4');
    socket.on('error', error => { console.log(error.code); socket.close(); });
    socket.connect(443, '192.0.2.7', () => socket.send('x'));"`,
  ports: `${NODE} -e "
    for (const port of [8080, 5432, ${port}])
      require('net').createServer().listen(port, '127.0.0.1', () => console.log(port)).on('error', error => console.log(error.message)).unref()"`,
};

t.test('in a world that is up', { skip }, async t => {
  const folder = await worlds.make('contained', {
    services: { stripe: { twin: 'stripe' }, mail: { twin: 'smtp' } },
  });
  await using up = await startUp(folder);
  const said = await inside(folder, CLIENTS);

  await t.test(
    '[4.2] a client without any variable is answered by the twin, its verification on',
    async t => {
      t.match(said.twin, LIST);
      t.match(said.hello, LIST, 'to a bare address too, where its TLS names the host');
      t.match(said.stream, /^220 /, 'a stream of a twin, at its host');
    },
  );

  await t.test('[7.1] what is not granted gets its refusal, by name, by address, in TLS or not', async t => {
    for (const text of [said.name, said.plain, said.address, said.v6]) {
      t.match(text, /^HTTP\/1\.1 502 /);
      t.match(text, /^x-wrld-world-refusal: grant\r$/im);
      t.match(text, /"rule":"not-granted"/);
    }
  });

  await t.test('names are asked of whom the program pleases; UDP to anybody fails at once', async t => {
    t.match(said.names, /^198\.1[89]\.\d+\.\d+$/m);
    t.match(said.names, /^ECONNREFUSED$/m);
  });

  await t.test(
    'loopback: what listens here is reached inside, and keeps its port; all others are free',
    async t => {
      t.equal(said.outside, 'outside');
      t.match(said.ports, new RegExp(`EADDRINUSE.*127\\.0\\.0\\.1:${port}`));
      for (const free of [8080, 5432]) t.match(said.ports, new RegExp(`^${free}$|EADDRINUSE.*:${free}`, 'm'));
    },
  );

  await t.test(
    '[4.2] the standard streams, the user and the world’s own address are as without it',
    async t => {
      const script = `
      trap 'exit 9' TERM
      cat; echo said >&2
      id -u; pwd; umask; touch made; stat -c %u made
      curl -sS $WRLD_WORLD/.well-known/wrld-world -H "x-twins-key: $WRLD_WORLD_TOKEN"
      curl -sS $HTTPS_PROXY/-/health
      echo ready; while :; do sleep 0.05; done`;
      await using live = startRun(folder, runWords('sh', '-c', script));
      live.process.stdin!.end('through\n');
      await live.said(/ready/);
      const uid = process.getuid!();
      const umask = process.umask().toString(8).padStart(4, '0');
      t.ok(live.out().startsWith(`through\n${uid}\n${folder}\n${umask}\n${uid}\n`), live.out());
      t.match(live.out(), /"name":"acme\/shop".*alive/s);
      live.process.kill('SIGTERM');
      t.equal(await live.ended(), 9, 'a signal is the program’s to take');
      t.equal(live.err(), 'said\n');
    },
  );

  await t.test(
    'listeners of the program open on this machine, and close; what it leaves behind ends with it',
    async t => {
      const script = `
      const servers = ['127.0.0.1', '::'].map(host => require('net').createServer(s => s.end('inside ' + host)));
      let left = 2;
      servers.forEach((server, nth) => server.listen(0, ['127.0.0.1', '::'][nth], () => {
        if (--left === 0) console.log('at ' + servers.map(s => s.address().port).join(' '));
      }));
      process.stdin.once('data', () => servers[0].close(() => console.log('closed')));`;
      const words = `setsid sleep 1000 >/dev/null 2>&1 & echo left $!; ${NODE} -e "$1"; kill -TERM $$`;
      await using live = startRun(folder, runWords('sh', '-c', words, 'sh', script.replaceAll('"', "'")));
      const [, sleeper] = await live.said(/left (\d+)/);
      const [, one, other] = await live.said(/at (\d+) (\d+)/);
      t.equal(await heardAt(Number(one)), 'inside 127.0.0.1');
      t.equal(await heardAt(Number(other)), 'inside ::');
      live.process.stdin!.write('close\n');
      await live.said(/closed/);
      await within(
        'it to close here too',
        (async () => {
          while ((await hearOnce(Number(one))) !== null);
        })(),
      );
      t.ok(isRunning(Number(sleeper)));
      live.process.stdin!.end();
      live.process.kill('SIGTERM');
      t.equal(await live.ended(), 143);
      t.notOk(isRunning(Number(sleeper)));
    },
  );

  await t.test('a port that is taken here is said to be, and stays the program’s inside', async t => {
    const holder = connect({ port, host: '127.0.0.1' });
    await once(holder, 'connect');
    t.teardown(() => holder.destroy());
    const { localPort } = holder;
    const script = `require('net').createServer().listen(${localPort}, '127.0.0.1', () => console.log('listens'))`;
    await using live = startRun(folder, runWords(process.execPath, '-e', script));
    await live.said(/listens/);
    await live.said(new RegExp(`port ${localPort}, where the command listens, is taken on this machine`));
    live.process.kill('SIGTERM');
    t.equal(await live.ended(), 143);
  });

  await t.test('a run that is killed takes all of it along', async t => {
    const before = await inRun(folder);
    await using live = startRun(folder, runWords('sh', '-c', 'echo $$ $PPID; exec sleep 1000'));
    const pids = (await live.said(/(\d+) (\d+)/)).slice(1).map(Number);
    live.process.kill('SIGKILL');
    await within(
      'the program and its relay to end',
      (async () => {
        while (pids.some(isRunning)) await new Promise(resolve => setTimeout(resolve, 10));
      })(),
    );
    t.strictSame(await inRun(folder), before);
  });

  await t.test('the terminal is the program’s', { skip: await lacks('script') }, async t => {
    const script = 'trap "echo caught; exit 9" INT; tty; stty size; echo ready; while :; do sleep 0.05; done';
    const quoted = runWords('sh', '-c', script).map(word => `'${word}'`);
    const words = ['script', '-qec', `stty rows 33 cols 77; exec ${quoted.join(' ')}`, '/dev/null'];
    await using live = startRun(folder, words);
    await live.said(/\/dev\/pts\/\d+\s+33 77\s+ready/);
    live.process.stdin!.write('\x03');
    await live.said(/caught/);
    t.equal(await live.ended(), 9);
  });

  await t.test('[7.2] a command that is not there, or is none', async t => {
    t.match(await command(runWords('no-such-program'), folder), {
      code: 127,
      err: 'wrld world run: no-such-program: command not found\n',
    });
    await writeFile(join(folder, 'plain.txt'), 'no program');
    t.match(await command(runWords('./plain.txt'), folder), {
      code: 126,
      err: 'wrld world run: ./plain.txt: cannot be run (EACCES)\n',
    });
  });
  await t.test('a bundle that is broken is told, and the exit code is the program’s own', async t => {
    const bundle = join(folder, 'broken.pem');
    await writeFile(bundle, 'no certificate');
    const ended = await command(
      ['env', `SSL_CERT_FILE=${bundle}`, ...runWords('sh', '-c', 'exit 6')],
      folder,
    );
    t.equal(ended.code, 6);
    t.equal(
      ended.err,
      `wrld world run: SSL_CERT_FILE names ${bundle}, which holds no certificate in PEM: nobody it was to vouch for is trusted in this run. Correct it, or unset it\n`,
    );
  });
  await t.test('Node’s own proxy support is left to what is not contained', async t => {
    const say = [process.execPath, '-p', 'process.env.NODE_USE_ENV_PROXY'];
    t.equal((await command(runWords(...say), folder)).out, 'undefined\n');
    t.equal((await wrld(folder, 'world', 'run', '--open', '--', ...say)).out, '1\n');
  });
  await t.test('where it cannot be, a line says what forbids it', async t => {
    const forbid = 'echo 0 > /proc/sys/user/max_net_namespaces; exec "$@"';
    const without = (...words: readonly string[]) =>
      command(['unshare', '--user', '--map-root-user', 'sh', '-c', forbid, 'sh', ...words], folder);
    const insisted = await without(...runWords('true'));
    t.equal(insisted.code, 1);
    t.match(
      insisted.err,
      /cannot contain the command: user\.max_net_namespaces is 0 here; to allow it: sysctl/,
    );
    t.match(await without(...wrldWords('world', 'run', '--contained', '--branch', 'new', '--', 'true')), {
      code: 1,
      err: insisted.err,
    });
    t.match(await wrld(folder, 'world', 'branch'), { code: 0, out: /^No branches/ }, 'none is left of it');
    const anyhow = await without(process.execPath, MAIN, 'world', 'run', '--', 'sh', '-c', 'exit 4');
    t.equal(anyhow.code, 4);
    t.match(
      anyhow.err,
      /^wrld: not contained \(user\.max_net_namespaces is 0 here.*real vendor.*\nwrld: this run was not contained: of sh, .*\n$/,
    );
    t.match(await wrld(folder, 'world', 'run', '--open', '--contained', '--', 'true'), {
      code: 2,
      err: /the opposite/,
    });
  });
  t.equal(up.err(), '');
});

t.test('[7.2] declared runs and ownLoopback hold, whatever the client', { skip }, async t => {
  const folder = await worlds.make('declared', { runtime: { network: { ownLoopback: false } } });
  await writeFile(join(folder, 'app.json'), '{"egress":["other.example"]}');
  const clients = { stranger: CLIENTS.name, loopback: CLIENTS.outside };
  const said = await inside(folder, clients, '--declaration', 'app.json');
  t.match(said.stranger, /"rule":"undeclared"/);
  t.match(said.loopback, /"rule":"own-loopback-ungranted"/);
});

const ordinary = process.getuid!() === 0 ? skip || (await noOtherUser()) : 'this user is one';
t.test('an ordinary user’s run', { skip: ordinary }, async t => {
  const home = await worlds.make('ordinary');
  await command(['chown', '-R', '65534:65534', home], home);
  await command(['chmod', 'o+x', worlds.root], home);
  // What a test runner loads into every Node writes into a folder that is not this user's, and fails their ends.
  const only = ['env', '-i', `PATH=${process.env['PATH']}`, `HOME=${home}`];
  const as = [...AS_OTHER, ...only];
  const script = `id -u; env -i ${CLIENTS.twin}; ip link set lo down 2>&1; grep CapEff /proc/self/status`;
  const ended = await command([...as, ...runWords('sh', '-c', script)], home);
  t.equal(ended.code, 0, ended.err);
  t.match(ended.out, /^65534\n[\s\S]*v1\/customers[\s\S]*not permitted[\s\S]*CapEff:\s*0+$/m);
});

t.test('a world that goes down meanwhile: a line, and the program’s own exit code', { skip }, async t => {
  const folder = await worlds.make('gone');
  await using up = await startUp(folder);
  const script = 'echo ready; read line; env -i curl -sS https://api.stripe.com/; exit 5';
  await using live = startRun(folder, runWords('sh', '-c', script));
  await live.said(/ready/);
  await up[Symbol.asyncDispose]();
  live.process.stdin!.end('go\n');
  t.equal(await live.ended(), 5);
  t.match(live.err(), /the world of this run does not answer any more/);
});
