// `wrld world up` from end to end: both processes, what it says for programs and for people, signals and edits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  COMMAND_MS_MAX,
  cleanEnv,
  command,
  isAlive,
  openWorlds,
  startUp,
  wrld,
  wrldWords,
} from '../../kit/command-line.ts';
import { within } from '../../kit/deadline.ts';
import { freePort } from '../../kit/free-port.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

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

t.test('`world run` beside an `up` that is starting waits for it, and has its proxy', async t => {
  const folder = await worlds.make('up-starting');
  const starting = startUp(folder);
  const holder = join(folder, '.wrld', 'run', 'control.pid');
  while (!existsSync(holder)) await new Promise(resolve => setTimeout(resolve, 2));
  const print = ['--', process.execPath, '-p', 'process.env.HTTPS_PROXY'];
  const [ran, again] = await Promise.all([
    wrld(folder, 'world', 'run', ...print),
    wrld(folder, 'world', 'run', '--sandbox', ...print),
  ]);
  await using world = await starting;
  const used = new URL(ran.out.trim());
  t.match(used.username, /^run-[0-9a-f]{8}$/, 'under the name of a run of its own');
  t.equal(`http://${used.host}`, world.up.proxyUrl);
  t.match(ran, { code: 0, err: '' });
  t.match(again, { code: 1, err: /the world that is up is no sandbox/ }, 'the same rules hold for it');
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

t.test('[7.2 guest-private] --guest-port: a second way in, that reaches nothing of this machine', async t => {
  const folder = await worlds.make('up-guests');
  const port = await freePort();
  await using running = await startUp(folder, '--guest-port', String(port));
  const ask = (proxy: string) =>
    command(['curl', '-s', '-x', proxy, 'http://192.168.0.1:8123/'], folder).then(({ out }) => out);
  t.match(await ask(`http://127.0.0.1:${port}`), /"rule":"guest-private"/);
  t.match(await ask(running.up.proxyUrl), /"rule":"not-granted"/);
});

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
