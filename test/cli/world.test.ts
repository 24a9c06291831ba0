// The command line from end to end: real processes, the real proxy and control, exit codes and signals.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import {
  COMMAND_MS_MAX,
  cleanEnv,
  command,
  type Ended,
  findOldNode,
  isAlive,
  LAUNCHER,
  openWorlds,
  startUp,
  wrld,
  wrldWords,
} from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);
const oldNode = await findOldNode();

/** Free a moment ago; nobody else on loopback takes ports by number. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

t.test('world init', async t => {
  t.test('writes a config that the rest reads, its schema, and what to leave out of git', async t => {
    const folder = join(worlds.root, 'init');
    await mkdir(folder);
    const made = await wrld(folder, 'world', 'init', 'acme/shop', '--twins', 'stripe');
    t.equal(made.code, 0, made.err);
    const config = JSON.parse(await readFile(join(folder, '.wrld', 'world.json'), 'utf8'));
    t.match(config, {
      $schema: './world.schema.json',
      name: 'acme/shop',
      services: { stripe: { twin: 'stripe' } },
    });
    t.match(JSON.parse(await readFile(join(folder, '.wrld', 'world.schema.json'), 'utf8')), {
      required: ['name'],
    });
    t.match(JSON.parse(await readFile(join(folder, '.wrld', 'handlers.schema.json'), 'utf8')), {
      required: ['version', 'handlers'],
    });
    t.match(
      await readFile(join(folder, '.wrld', '.gitignore'), 'utf8'),
      /^ca\/\nrun\/\nworld\/\nbranches\/\nbrowsers\/\ntoken\n$/,
    );
    const status = await wrld(folder, 'world', 'status');
    t.strictSame([status.code, status.out], [1, '']);
    t.match(status.err, /No world is up/);
  });

  t.test('a world that is there is left as it is', async t => {
    const folder = await worlds.make('init-again');
    const before = await readFile(join(folder, '.wrld', 'world.json'), 'utf8');
    const again = await wrld(folder, 'world', 'init', 'other/name');
    t.equal(again.code, 1);
    t.match(again.err, /is there already/);
    t.equal(await readFile(join(folder, '.wrld', 'world.json'), 'utf8'), before);
  });

  t.test('bad names and twins are refused, and nothing is written', async t => {
    const folder = join(worlds.root, 'init-bad');
    await mkdir(folder);
    for (const [args, says] of [
      [['Acme/shop'], /lower-case letters/],
      [['shop'], /<org>\/<world>/],
      [['acme/shop', '--twins', 'strpe'], /did you mean stripe\?\naccepted: .*stripe/],
    ] as const) {
      const refused = await wrld(folder, 'world', 'init', ...args);
      t.equal(refused.code, 2);
      t.match(refused.err, says);
    }
    await t.rejects(stat(join(folder, '.wrld')));
  });
});

t.test('a call that is wrong exits 2 and says what is accepted', async t => {
  const folder = await worlds.make('wrong');
  for (const [args, says] of [
    [['wrld'], /did you mean wrld world\?\naccepted: world init, world up, world run, .*, demo\n/],
    [['world', 'pu'], /did you mean wrld world up\?/],
    [['world', 'up', '--sandbx'], /did you mean --sandbox\?/],
    [['world', 'up', '--port', '70000'], /--port takes a number from 0 to 65535/],
    [['world', 'up', '--host', 'example.com'], /--host takes an address/],
    [['world', 'run'], /put it after --/],
    [['world', 'run', 'node'], /put the command after --/],
  ] as const) {
    const ended = await wrld(folder, ...args);
    t.equal(ended.code, 2, args.join(' '));
    t.match(ended.err, says, args.join(' '));
    t.equal(ended.out, '');
  }
});

t.test('a bad config exits 2 with file, line and what is accepted', async t => {
  const folder = await worlds.make('bad');
  await writeFile(join(folder, '.wrld', 'world.json'), '{\n  "name": "acme/shop",\n  "runtim": {}\n}');
  await mkdir(join(folder, 'deeper'));
  for (const [at, file] of [
    [folder, '.wrld/world.json'],
    [join(folder, 'deeper'), '../.wrld/world.json'],
  ] as const) {
    for (const args of [
      ['world', 'up'],
      ['world', 'run', '--', 'true'],
    ]) {
      const ended = await wrld(at, ...args);
      t.equal(ended.code, 2);
      t.match(
        ended.err,
        `${file}:3:3  runtim: unknown key; did you mean "runtime"? Accepted: name, services`,
      );
    }
  }
});

t.test('no world exits 2 and says how to make one', async t => {
  for (const args of [
    ['world', 'up'],
    ['world', 'run', '--', 'true'],
    ['world', 'status'],
  ]) {
    const ended = await wrld(worlds.root, ...args);
    t.equal(ended.code, 2);
    t.match(ended.err, /wrld world init/);
  }
});

t.test('world run with a world of its own', async t => {
  const folder = await worlds.make('own world', {
    runtime: { network: { egress: ['https://rates.example.com/v1/'] } },
  });
  const run = (...words: readonly string[]): Promise<Ended> => wrld(folder, 'world', 'run', '--', ...words);

  t.test('the exit code is the command’s own', async t => {
    const ended = await run('sh', '-c', 'echo out; echo err >&2; exit 7');
    t.strictSame(ended, { code: 7, out: 'out\n', err: 'err\n' });
  });

  t.test('a command that a signal ended is 128 and its number', async t => {
    t.equal((await run('sh', '-c', 'kill -TERM $$')).code, 143);
  });

  t.test('no such command is 127, one that cannot be run 126', async t => {
    const missing = await run('no-such-command-here');
    t.equal(missing.code, 127);
    t.match(missing.err, /no-such-command-here: command not found/);
    await writeFile(join(folder, 'data.txt'), 'x');
    await chmod(join(folder, 'data.txt'), 0o600);
    const refused = await run('./data.txt');
    t.equal(refused.code, 126);
  });

  t.test('nothing is left running or listed as up afterwards', async t => {
    const ended = await run('cat', '.wrld/run/up.json');
    const up = JSON.parse(ended.out);
    t.equal(up.forRun, true);
    t.notOk(isAlive(up.pid));
    t.notOk(isAlive(up.proxyPid));
    await t.rejects(stat(join(folder, '.wrld', 'run', 'up.json')));
  });

  t.test('a signal to wrld reaches the command, and wrld ends after it', async t => {
    const script = 'trap "exit 9" TERM; echo ready; while :; do sleep 0.1; done';
    const [program = '', ...args] = wrldWords('world', 'run', '--', 'sh', '-c', script);
    const child = spawn(program, args, {
      cwd: folder,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await within('the command', once(child.stdout, 'data'), COMMAND_MS_MAX);
    child.kill('SIGTERM');
    const [code] = await within('wrld to end', once(child, 'exit'), COMMAND_MS_MAX);
    t.equal(code, 9);
  });

  t.test('a signal while its world starts leaves no proxy behind', async t => {
    const [program = '', ...args] = wrldWords('world', 'run', '--', 'touch', 'ran');
    const started = Promise.withResolvers<void>();
    // The proxy's log is opened as it is started, before the world is up.
    const watcher = watch(join(folder, '.wrld', 'run'), (_event, name) => {
      if (name === 'proxy.log') started.resolve();
    });
    t.teardown(() => watcher.close());
    const child = spawn(program, args, { cwd: folder, env: cleanEnv(), stdio: 'ignore' });
    await within('the proxy', started.promise, COMMAND_MS_MAX);
    child.kill('SIGTERM');
    t.strictSame(await within('wrld to end', once(child, 'exit'), COMMAND_MS_MAX), [143, null]);
    await t.rejects(stat(join(folder, 'ran')), 'the command was not started');
    await t.rejects(stat(join(folder, '.wrld', 'run', 'proxy.json')));
  });

  t.test('a second run says that the world belongs to the first', async t => {
    const ended = await run(...wrldWords('world', 'run', '--', 'true'));
    t.equal(ended.code, 1);
    t.match(ended.err, /up for another wrld world run .* Start wrld world up/);
  });
});

t.test('world up', async t => {
  t.test('--json is one line, and what it names is there', async t => {
    const folder = await worlds.make('up');
    await using world = await startUp(folder);
    const { up } = world;
    t.strictSame(Object.keys(up), ['baseUrl', 'worldUrl', 'proxyUrl', 'caFile', 'pid', 'proxyPid']);
    t.equal(up.pid, world.process.pid);
    t.equal(up.worldUrl, `${up.baseUrl}/acme/shop`);
    t.match(await readFile(up.caFile, 'utf8'), /BEGIN CERTIFICATE/);
    t.ok(isAlive(up.proxyPid));
    const again = await wrld(folder, 'world', 'up');
    t.equal(again.code, 1, 'a world is up once');
    t.match(again.err, /up already/);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    t.test(`${signal} stops both processes, and exits 0`, async t => {
      const folder = await worlds.make(`up-${signal}`);
      await using world = await startUp(folder, '--sandbox');
      const gone = once(world.process, 'exit');
      world.process.kill(signal);
      t.strictSame(await within('the end', gone, COMMAND_MS_MAX), [0, null]);
      t.notOk(isAlive(world.up.proxyPid));
      await t.rejects(stat(join(folder, '.wrld', 'run', 'up.json')));
      t.equal((await wrld(folder, 'world', 'status', '--json')).out, '{"up":false}\n');
    });
  }

  t.test('a bad edit is told with its line, and the last good config stays in force', async t => {
    const folder = await worlds.make('up-edit');
    await using world = await startUp(folder);
    const file = join(folder, '.wrld', 'world.json');
    const good = await readFile(file, 'utf8');
    await writeFile(file, good.replace('"services"', '"servces"'));
    await world.said(/world\.json:3:3 {2}servces: unknown key; did you mean "services"/);
    const status = JSON.parse((await wrld(folder, 'world', 'status', '--json')).out);
    t.match(status.config.fault, /servces: unknown key/);
    const still = await wrld(
      folder,
      'world',
      'run',
      '--',
      'curl',
      '-sS',
      '-u',
      'sk_test_x:',
      'https://api.stripe.com/v1/customers',
    );
    t.match(still.out, /"object": "list"/);
  });

  t.test('[design: on a non-loopback bind credentials are required] --host 0.0.0.0', async t => {
    const folder = await worlds.make('up-beyond');
    await using running = await startUp(folder, '--host', '0.0.0.0');
    const { port } = new URL(running.up.proxyUrl);
    const ask = (proxy: string) =>
      command(
        [
          'curl',
          '-s',
          '-o',
          '/dev/null',
          '-w',
          '%{http_code}',
          '-x',
          proxy,
          'http://api.stripe.com/v1/customers',
        ],
        folder,
      );
    t.equal((await ask(`http://127.0.0.1:${port}`)).out, '407', 'nobody is let in without a run');
    t.equal((await ask(`http://default:wrong@127.0.0.1:${port}`)).out, '407');
    t.equal((await ask(running.up.proxyUrl)).out, '401', 'the twin answers, and wants its own key');
  });

  t.test(
    '[7.2 guest-private] --guest-port: a second way in, that reaches nothing of this machine',
    async t => {
      const folder = await worlds.make('up-guests');
      const port = await freePort();
      await using running = await startUp(folder, '--guest-port', String(port));
      const ask = (proxy: string) =>
        command(['curl', '-s', '-x', proxy, 'http://192.168.0.1:8123/'], folder).then(({ out }) => out);
      t.match(await ask(`http://127.0.0.1:${port}`), /"rule":"guest-private"/);
      t.match(await ask(running.up.proxyUrl), /"rule":"not-granted"/);
    },
  );

  t.test('for people: addresses, and lines to paste that put a shell into the world', async t => {
    const folder = await worlds.make('up-people');
    const [program = '', ...args] = wrldWords('world', 'up');
    const child = spawn(program, args, {
      cwd: folder,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    t.teardown(async () => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    });
    while (!out.includes('Ctrl-C')) await within('the addresses', once(child.stdout, 'data'), COMMAND_MS_MAX);
    t.match(out, /World +http:\/\/127\.0\.0\.1:\d+\/acme\/shop\n/);
    t.match(out, /Page +http:\/\/shop--acme\.localhost:\d+\/-\/acme\/shop\/\n/);
    t.match(out, /Proxy +http:\/\/127\.0\.0\.1:\d+\n/);
    t.notMatch(out, /tok_/, 'no token is shown');
    const lines = out
      .split('\n')
      .filter(line => line.startsWith('  export '))
      .join('\n');
    const asked = `${lines}\ncurl -sS -u sk_test_x: https://api.stripe.com/v1/customers`;
    t.match((await command(['sh', '-c', asked], folder)).out, /"object": "list"/);
  });
});

t.test(
  'the launcher on an older Node',
  { skip: oldNode === null ? 'no older Node here' : false },
  async t => {
    const folder = await worlds.make('launcher');
    const old = (...args: readonly string[]): Promise<Ended> =>
      command([oldNode!, LAUNCHER, ...args], folder);
    t.match(await old('--version'), { code: 0, out: /^\d+\.\d+\.\d+\n$/ });
    t.equal((await old('world', 'pu')).code, 2, 'the exit code passes');
    const ended = await old('world', 'run', '--', 'sh', '-c', 'exit 5');
    t.equal(ended.code, 5, ended.err);
    const child = spawn(oldNode!, [LAUNCHER, 'world', 'up', '--json'], {
      cwd: folder,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await within('world up', once(child.stdout, 'data'), COMMAND_MS_MAX);
    child.kill('SIGTERM');
    t.strictSame(
      await within('the end', once(child, 'exit'), COMMAND_MS_MAX),
      [0, null],
      'and so do signals',
    );
  },
);
