// The command line from end to end: real processes, the real proxy and control, exit codes and signals.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
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
  wrld,
  wrldWords,
} from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);
const oldNode = await findOldNode();

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
      /^ca\/\nrun\/\nworld\/\nbranches\/\nbackups\/\nset-aside\/\nrestoring\/\nbrowsers\/\ntoken\nseal\.key\n$/,
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
    [
      ['wrld'],
      /did you mean wrld world\?\naccepted: world init, world up, world run, .*, demo, demo deploy\n/,
    ],
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
