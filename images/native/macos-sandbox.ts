// A native run on macOS: its program under the profile that the system's own `sandbox-exec` is given, in a copy of the image's
// files. There are no namespaces there: addresses and ports are this machine's.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { join as joinSockets } from '../../contained/joint.ts';
import { END_MS_MAX } from '../limits.ts';
import { macProfile } from './macos-profile.ts';
import { makeMacRoot, wordsHere } from './macos-root.ts';
import type { RunStart } from './messages.ts';
import type { NativeSandbox, SandboxEnd, SandboxOptions } from './sandbox.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

export type MacOpened =
  | { readonly ok: true; readonly sandbox: MacSandbox }
  | { readonly ok: false; readonly why: string };

export function openMacSandbox(options: SandboxOptions, program: string = PROGRAM): MacOpened {
  if (!existsSync(program)) return { ok: false, why: `${program} is not there` };
  return { ok: true, sandbox: new MacSandbox(options, program) };
}

type Begun = {
  readonly folder: string;
  readonly start: Omit<RunStart, 'type' | 'path'>;
  readonly profile: string;
};

class MacSandbox implements NativeSandbox {
  readonly started: Promise<void>;
  readonly output: { readonly out: PassThrough; readonly err: PassThrough };
  readonly #started = Promise.withResolvers<void>();
  readonly #options: SandboxOptions;
  readonly #program: string;
  readonly #early: NodeJS.Signals[] = [];
  #child: ChildProcess | null = null;
  #begun: Begun | null = null;
  #over = false;

  constructor(options: SandboxOptions, program: string) {
    this.#options = options;
    this.#program = program;
    this.output = { out: new PassThrough(), err: new PassThrough() };
    this.started = this.#started.promise;
  }

  async run(start: Begun['start']): Promise<SandboxEnd> {
    const failed = (why: string): SandboxEnd => ({ ok: false, why, kept: { paths: [], more: 0 } });
    if (start.leads.length > 0)
      return failed('what it depends on has no address of its own on macOS, and is not reached from there');
    this.#options.tell(
      'on macOS no limit of processes or memory binds, and what it reads or keeps is not told',
    );
    const work = await realpath(await mkdtemp(join(tmpdir(), 'wrld-image-')));
    const folder = join(work, 'root');
    try {
      makeMacRoot(folder, start.root);
      const ports = [start.proxyPort, ...start.worldPorts, ...start.directPorts];
      this.#begun = { folder, start, profile: macProfile({ root: start.root, folder, ports }) };
      const child = this.#spawn(this.#begun);
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      return { ok: true, code, signal, kept: { paths: [], more: 0 } };
    } catch (error) {
      return failed((error as Error).message);
    } finally {
      this.#over = true;
      this.#started.resolve();
      await rm(work, { recursive: true, force: true });
    }
  }

  #spawn(begun: Begun): ChildProcess {
    const { out, err } = this.output;
    const { labelled } = this.#options;
    const child = spawn(this.#program, this.#wordsIn(begun, begun.start.words), {
      ...placeOf(begun),
      stdio: labelled ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    child.stdout?.pipe(out);
    child.stderr?.pipe(err);
    child.once('spawn', () => this.#started.resolve());
    this.#child = child;
    for (const signal of this.#early) child.kill(signal);
    return child;
  }

  #wordsIn({ profile, folder }: Begun, words: readonly string[]): string[] {
    return ['-p', profile, ...wordsHere(words, folder)];
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#child === null) this.#early.push(signal);
    else this.#child.kill(signal);
  }

  async check(words: readonly string[], timeout: number): Promise<boolean> {
    const begun = this.#begun;
    if (begun === null || this.#over) return false;
    const check = spawn(this.#program, this.#wordsIn(begun, words), {
      ...placeOf(begun),
      ...{ stdio: 'ignore', timeout, killSignal: 'SIGKILL' },
    });
    return await new Promise(resolve => {
      check.once('error', () => resolve(false));
      check.once('exit', code => resolve(code === 0));
    });
  }

  /** The program listens on this machine itself: where it does so on that very port, whoever is here is there already. */
  accept(client: Socket, port: number): void {
    client.on('error', () => client.destroy());
    const program = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    program.on('error', () => client.destroy());
    client.on('close', () => program.destroy());
    program.once('connect', () => joinSockets(client, program));
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
    child.kill('SIGTERM');
    await once(child, 'exit');
    clearTimeout(late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function placeOf({ folder, start: { env, root } }: Begun) {
  const here = { HOME: join(folder, root.user.home), TMPDIR: join(folder, 'tmp') };
  return { cwd: join(folder, root.workingFolder), env: { ...env, ...here } };
}
