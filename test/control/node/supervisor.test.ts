import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import t from 'tap';
import { Ipc, type Policy } from '../../../control/node/ipc.ts';
import type { SupervisorLimits } from '../../../control/node/limits.ts';
import { type ProxyState, Supervisor } from '../../../control/node/supervisor.ts';
import { isAlive } from '../../../process/alive.ts';
import { within } from '../../kit/deadline.ts';
import { freePort } from '../../kit/free-port.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'kit', 'stand-in-proxy.ts');
const POLICY = { world: 'acme/shop' } as Policy;

const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
t.teardown(() => rm(folder, { recursive: true }));
let starts = 0;

type Open = AsyncDisposable & {
  readonly supervisor: Supervisor;
  readonly ipc: Ipc;
  readonly files: { readonly proxyFile: string; readonly outputFile: string };
  readonly logged: string[];
  /** The next time the state is this one. */
  becomes(state: ProxyState): Promise<void>;
};

async function open(
  options: { mode?: string; port?: number; limits?: Partial<SupervisorLimits>; folder?: string } = {},
): Promise<Open> {
  const place = options.folder ?? (await mkdtemp(join(folder, `${++starts}-`)));
  const logged: string[] = [];
  const say = (fields: object, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: say, info: say, warn: say, error: say };
  const path = join(place, 'ipc.sock');
  const waiting: { state: ProxyState; done: () => void }[] = [];
  const ipc = await Ipc.listen({ path, epoch: `e${++starts}`, log });
  const files = { proxyFile: join(place, 'proxy.json'), outputFile: join(place, 'proxy-output.log') };
  const supervisor: Supervisor = new Supervisor({
    script: SCRIPT,
    host: '127.0.0.1',
    port: options.port ?? 0,
    args: ['--ipc', path, '--mode', options.mode ?? 'good'],
    ipc,
    ...files,
    log,
    ...(options.limits ? { limits: options.limits } : {}),
    onChange: ({ state }) => waiting.filter(one => one.state === state).forEach(one => one.done()),
  });
  await ipc.push(POLICY);
  return {
    supervisor,
    ipc,
    files,
    logged,
    becomes: state => within(state, new Promise<void>(done => waiting.push({ state, done })), 10_000),
    [Symbol.asyncDispose]: async () => {
      await supervisor.close();
      await ipc[Symbol.asyncDispose]();
    },
  };
}

async function answer(port: number): Promise<{ pid: number; version: number; env: string[] }> {
  const [response] = await once(get({ host: '127.0.0.1', port, agent: new Agent() }), 'response');
  return (await json(response)) as { pid: number; version: number; env: string[] };
}

t.test('starts a proxy, with none of the environment’s secrets, and ends it', async t => {
  process.env['STRIPE_SECRET_KEY'] = 'sk_live_secret';
  t.teardown(() => delete process.env['STRIPE_SECRET_KEY']);
  const one = await open();
  await one.supervisor.start();
  const { supervisor, files } = one;
  t.equal(await one.ipc.confirmed(supervisor.pid), 'acknowledged');
  const { pid, version, env } = await answer(supervisor.address.port);
  t.equal(pid, supervisor.pid);
  t.equal(version, 1);
  t.notOk(env.includes('STRIPE_SECRET_KEY'));
  t.ok(env.includes('NODE_COMPILE_CACHE'), 'started again, it starts faster');
  t.match(JSON.parse(await readFile(files.proxyFile, 'utf8')), { pid, port: supervisor.address.port });
  t.equal((await stat(files.outputFile)).mode & 0o777, 0o600);
  await one[Symbol.asyncDispose]();
  t.notOk(isAlive(pid));
  t.equal(supervisor.state, 'stopped');
  await t.rejects(stat(files.proxyFile), /ENOENT/);
});

t.test('a killed proxy is started again, at the same port, with the newest snapshot', async t => {
  await using one = await open();
  const { supervisor, ipc } = one;
  await supervisor.start();
  const { port } = supervisor.address;
  for (let kill = 1; kill <= 3; kill++) {
    const { pid } = supervisor;
    const running = one.becomes('running');
    process.kill(pid, 'SIGKILL');
    await ipc.push(POLICY);
    await running;
    t.not(supervisor.pid, pid);
    t.equal(await ipc.confirmed(supervisor.pid), 'acknowledged');
    t.strictSame(await answer(port).then(({ pid, version }) => ({ pid, version })), {
      pid: supervisor.pid,
      version: kill + 1,
    });
    t.equal(supervisor.restarts, kill);
  }
});

t.test('a proxy that keeps dying is tried less and less often, and reported', async t => {
  const limits = { restartMs: 1, restartMsMax: 4, crashLoopDeaths: 3 };
  await using one = await open({ mode: 'dies', limits });
  const loop = one.becomes('crash-loop');
  await one.supervisor.start();
  await loop;
  t.match(one.logged.join('\n'), 'the proxy keeps ending');
});

t.test('a proxy that cannot start says why', async t => {
  await using broken = await open({ mode: 'broken' });
  await t.rejects(broken.supervisor.start(), /exit code 3; it said:\ncannot start: broken on purpose/);
  await using mute = await open({ mode: 'mute', limits: { helloMs: 300 } });
  await t.rejects(mute.supervisor.start(), /no hello within 300 ms/);
});

t.test('one that does not drain in time is killed', async t => {
  const one = await open({ mode: 'stubborn', limits: { drainMs: 50 } });
  await one.supervisor.start();
  const { pid } = one.supervisor;
  await one[Symbol.asyncDispose]();
  t.notOk(isAlive(pid));
  t.match(one.logged.join('\n'), 'did not drain in time');
});

t.test('a proxy that outlived control is adopted by the next one', async t => {
  const place = await mkdtemp(join(folder, 'adopt-'));
  // What a killed control leaves: its proxy, running and redialling, and the file that names it.
  const port = await freePort();
  const args = ['--host', '127.0.0.1', '--port', String(port), '--ipc', join(place, 'ipc.sock')];
  const orphan = spawn(process.execPath, [SCRIPT, ...args], { stdio: 'ignore' });
  t.teardown(() => orphan.kill('SIGKILL'));
  const record = JSON.stringify({ pid: orphan.pid, host: '127.0.0.1', port });
  await writeFile(join(place, 'proxy.json'), record);

  const one = await open({ folder: place, port });
  await one.supervisor.start();
  t.equal(one.supervisor.pid, orphan.pid);
  t.equal(one.supervisor.address.port, port);
  t.equal(await one.ipc.confirmed(orphan.pid!), 'acknowledged', 'it got the new control’s snapshot');
  const running = one.becomes('running');
  orphan.kill('SIGKILL');
  await running;
  t.equal((await answer(port)).pid, one.supervisor.pid, 'and is started again like one’s own');
  await one[Symbol.asyncDispose]();
});

t.test('one at another address is ended, and one that is no proxy is left alone', async t => {
  const place = await mkdtemp(join(folder, 'other-'));
  const args = ['--host', '127.0.0.1', '--port', '0', '--ipc', join(place, 'ipc.sock')];
  const orphan = spawn(process.execPath, [SCRIPT, ...args], { stdio: 'ignore' });
  t.teardown(() => orphan.kill('SIGKILL'));
  const orphanEnded = once(orphan, 'exit');
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
  t.teardown(() => stranger.kill('SIGKILL'));
  await writeFile(join(place, 'proxy.json'), JSON.stringify({ pid: orphan.pid }));
  const port = await freePort();
  const one = await open({ folder: place, port });
  await one.supervisor.start();
  await within('the other one to end', orphanEnded);
  t.equal(one.supervisor.address.port, port);
  await one[Symbol.asyncDispose]();

  await writeFile(join(place, 'proxy.json'), JSON.stringify({ pid: stranger.pid }));
  const two = await open({ folder: place, limits: { adoptMs: 50 } });
  await two.supervisor.start();
  t.not(two.supervisor.pid, stranger.pid);
  await two[Symbol.asyncDispose]();
  t.equal(stranger.exitCode, null);
  t.equal(stranger.signalCode, null);
});
