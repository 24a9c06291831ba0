// The keeper of a native run: the first process of its namespaces. It makes the run's network, from which nobody but the world
// is reached, and its root folder, starts the program in them without any right over either, and ends with it; everything
// that the program left ends with the keeper.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, isIPv6, type Socket } from 'node:net';
import { release } from 'node:os';
import { basename, dirname } from 'node:path';
import { openDirect } from '../../contained/direct.ts';
import { answerDatagrams } from '../../contained/dns-sockets.ts';
import { Egress } from '../../contained/egress.ts';
import { join as joinSockets } from '../../contained/joint.ts';
import { listenInside } from '../../contained/mirror.ts';
import { NameTable } from '../../contained/name-table.ts';
import { networkOf } from '../../contained/survivors.ts';
import { KEPT_PATHS_MAX } from '../limits.ts';
import { entering, joining } from './entering.ts';
import { isHarmless } from './ground.ts';
import type { FromKeeper, RootPlan, RunStart, ToKeeper } from './messages.ts';
import { openNeighbours } from './neighbours.ts';
import { giveEnvironment, Observer } from './observer.ts';
import { Root } from './root.ts';

/** The relay's own standard error says why there is no namespace; the user's is here. */
const USERS_STANDARD_ERROR = 4;

/** From this kernel on each namespace of processes has a `pid_max` of its own. */
const PID_MAX_OWN: readonly [major: number, minor: number] = [6, 14];
/** The kernel gives none of the lowest numbers a second time; this process and its like have some of them. */
const PIDS_KEPT = 300;

/** An address of this machine's, as one of the run's own: nobody is there but those who are led in. */
function admitted(address: string): string {
  const [any, whole] = isIPv6(address) ? ['::/0', 128] : ['0.0.0.0/0', 32];
  return `
address add ${address}/${whole} dev lo
xfrm policy add src ${any} dst ${address}/${whole} dir out action allow priority 1
`;
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

const SYSTEM_PLACES = /^\/(?:bin|sbin|etc|var|run|boot)\//;

class Keeper {
  #program: ChildProcess | null = null;
  #started: (RunStart & { readonly waits: boolean }) | null = null;
  readonly #early: NodeJS.Signals[] = [];
  #work = '';

  constructor() {
    process.on('message', (message: ToKeeper, handle) => this.#told(message, handle as Socket));
    // Whoever started the run has ended, however: so does the run.
    process.on('disconnect', () => process.exit(1));
    // A terminal's own signals reach the program by themselves.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)
      process.on(signal, () => {});
  }

  /**
   * `outside`: the network of whoever started the run. In that one all of this would cut the machine itself off. `work`: the
   * ground, which is made meanwhile.
   */
  open(outside: string | undefined, work: string): void {
    this.#work = work;
    const here = networkOf('self');
    if (!outside || here === null || here === outside)
      throw new Error('this keeps a native run, in namespaces of its own alone; start one: wrld image run');
    for (const name of ['disable_xfrm', 'disable_policy'])
      writeFileSync(`/proc/sys/net/ipv4/conf/lo/${name}`, '0');
    // As in a container: a program of any user listens where it likes.
    writeFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', '0');
    say({ type: 'ready' });
  }

  #told(message: ToKeeper, handle: Socket): void {
    switch (message.type) {
      case 'start':
        return void this.#begin(message).catch((error: Error) =>
          say({ type: 'not-started', why: error.message }),
        );
      case 'signal':
        if (this.#program === null) this.#early.push(message.signal);
        else this.#program.kill(message.signal);
        return;
      case 'check':
        return this.#check(message.words, message.timeout);
      case 'accepted':
        return lead(handle, message.port);
    }
  }

  async #begin(start: RunStart): Promise<void> {
    const { proxySocket, credentials, worldAddress, proxyPort } = start;
    const direct = [
      ...start.worldPorts.map(port => ({ address: worldAddress, port })),
      ...start.directPorts.map(port => ({ address: '127.0.0.1', port })),
    ];
    const names = new NameTable();
    const tell = (line: string): void => say({ type: 'tell', line });
    const egress = new Egress({ proxySocket, credentials, names, tell });
    const observer = Observer.open(start.path, asked => {
      if (asked.what !== 'read' || !isNobodys(asked.path, start.root)) say({ type: 'asked', asked });
    });
    if (observer === null && start.root.base !== null)
      throw new Error(
        'a program goes into an image’s own root by perl, which is not on this machine: install it',
      );
    const root = new Root(this.#work, start.root);
    limitProcesses(start.limits.processes);
    if (!isLoopback(worldAddress)) await runIp(admitted(worldAddress));
    await Promise.all([
      nameHost(start.root.hostname),
      root.make(),
      answerNames(names),
      listenInside({ address: worldAddress, port: proxyPort }, client => egress.leadToProxy(client)),
      ...direct.map(place =>
        openDirect(place, (server, there) =>
          process.send!({ type: 'direct', ...place } satisfies FromKeeper, server, {}, there),
        ),
      ),
    ]);
    await openNeighbours(start.leads, (client, to) => {
      if (to.to === 'world') return egress.lead(client, to.target);
      process.send!({ type: 'dialled', service: to.service, port: to.port } satisfies FromKeeper, client);
    });
    const observed = observer !== null && (await observer.ready) ? observer : null;
    if (observed === null)
      tell('what the program dials or reads past its sandbox is not told: there is no perl here');
    const child = this.#spawn(root.folder, start, observed);
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    if (observed !== null && !(await observed.become(child, start)) && child.exitCode === null)
      tell('what the program dials or reads past its sandbox is not told: the kernel does not tell it');
    say({ type: 'started' });
    const [code, signal] = await ended;
    // What the program left, all at once: one that went on would find nobody who answers what it asks the kernel.
    if (process.pid === 1) killOthers();
    await observer?.end();
    if (start.saves !== null && code === 0) root.save(start.saves);
    const kept = start.saves === null ? root.kept() : [];
    if (kept.length > 0)
      say({
        type: 'kept',
        paths: kept.slice(0, KEPT_PATHS_MAX),
        more: Math.max(0, kept.length - KEPT_PATHS_MAX),
      });
    process.send!({ type: 'ended', code, signal } satisfies FromKeeper, () => process.exit(0));
  }

  #spawn(root: string, start: RunStart, observer: Observer | null): ChildProcess {
    const { env, path } = start;
    const { words, waits } = entering(start, root, observer !== null);
    const [program = '', ...args] = words;
    const child = spawn(
      program,
      args,
      waits
        ? { env: { PATH: path }, stdio: [0, 1, USERS_STANDARD_ERROR, 'pipe'] }
        : { env: { ...env }, stdio: [0, 1, USERS_STANDARD_ERROR] },
    );
    if (waits && observer === null) giveEnvironment(child, env);
    this.#program = child;
    this.#started = { ...start, waits };
    for (const signal of this.#early) child.kill(signal);
    return child;
  }

  /** In the program's own root, which is where the program's process has it. */
  #check(words: readonly string[], timeout: number): void {
    const { pid } = this.#program ?? {};
    const start = this.#started;
    // Not before the program is in its root: the folders that are there until then are this machine's.
    if (pid === undefined || start === null || !isRootOf(pid, `${this.#work}/root`))
      return say({ type: 'checked', healthy: false });
    const joined = joining(start, pid, words, start);
    const [program = '', ...args] = joined.words;
    const check = spawn(program, args, {
      env: joined.waits ? { PATH: start.path } : { ...start.env },
      stdio: ['ignore', 'ignore', 'ignore', ...(joined.waits ? ['pipe' as const] : [])],
      timeout,
      killSignal: 'SIGKILL',
    });
    if (joined.waits) giveEnvironment(check, start.env);
    check.once('error', () => say({ type: 'checked', healthy: false }));
    check.once('exit', code => say({ type: 'checked', healthy: code === 0 }));
  }
}

/** Not on every system; who asks is told by /etc/hostname too. */
async function nameHost(name: string): Promise<void> {
  try {
    writeFileSync('/proc/sys/kernel/hostname', name);
  } catch {
    // The file is root's alone, outside; this process may by the call itself.
    await new Promise<void>(resolve => execFile('hostname', [name], () => resolve()));
  }
}

function killOthers(): void {
  try {
    process.kill(-1, 'SIGKILL');
  } catch {
    // There is nobody else.
  }
}

/**
 * Of all users together, root among them, whom `prlimit` does not bind: where the numbers of processes are this namespace's own.
 * On an older kernel they are the machine's, and are left alone.
 */
function limitProcesses(count: number): void {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  if (process.pid !== 1 || major < PID_MAX_OWN[0] || (major === PID_MAX_OWN[0] && minor < PID_MAX_OWN[1]))
    return;
  writeFileSync('/proc/sys/kernel/pid_max', String(PIDS_KEPT + count));
}

function isRootOf(pid: number, folder: string): boolean {
  const [has, is] = [`/proc/${pid}/root/`, folder].map(path => statSync(path, { throwIfNoEntry: false }));
  return has !== undefined && has.dev === is?.dev && has.ino === is.ino;
}

/** Files that nobody would declare: the world's own, what Node looks for above its own folder, and its cache. */
function isNobodys(path: string, { base, hidden, system }: RootPlan): boolean {
  // An image's own root has a system of its own, and what that has not, this machine's has for itself.
  if (base !== null && SYSTEM_PLACES.test(path)) return true;
  if (path.startsWith('/tmp/node-compile-cache/')) return true;
  if (hidden.some(each => path.startsWith(`${each}/`))) return true;
  return basename(path) === 'package.json' && system.some(each => each.startsWith(`${dirname(path)}/`));
}

function runIp(batch: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const ip = execFile('ip', ['-force', '-batch', '-'], (_, _out, said) => {
      const failed = said.split('\n').filter(line => line !== '' && !isHarmless(line));
      if (failed.length > 0) reject(new Error(failed[0]));
      else resolve();
    });
    ip.stdin!.end(batch);
  });
}

/** A connection from outside, to a port that the program listens on. */
function lead(client: Socket, port: number): void {
  client.on('error', () => client.destroy());
  const program = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  program.on('error', () => client.destroy());
  client.on('close', () => program.destroy());
  program.once('connect', () => joinSockets(client, program));
}

async function answerNames(names: NameTable): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  answerDatagrams(socket, names);
}

function say(message: FromKeeper): void {
  if (process.connected) process.send!(message, () => {});
}

try {
  new Keeper().open(process.argv[2], process.argv[3] ?? '');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
