// A native run as whoever starts it has it: namespaces with a keeper in them, and what has to be done for it outside.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { leadOut } from '../../contained/direct.ts';
import { possible, whatForbids } from '../../contained/possible.ts';
import { networkOf } from '../../contained/survivors.ts';
import { moduleFile } from '../../process/module-file.ts';
import { END_MS_MAX, NATIVE_SAID_CHARS_MAX, NATIVE_START_MS_MAX } from '../limits.ts';
import { GROUND_DESCRIPTOR, GROUND_SCRIPT, groundOf, openGround, whyNoGround } from './ground.ts';
import type { Asked, FromKeeper, RunStart, ToKeeper } from './messages.ts';

const KEEPER = fileURLToPath(moduleFile(import.meta.url, './keeper'));

export type SandboxOptions = {
  readonly env: { readonly [name: string]: string | undefined };
  /** All that may be written in its root, in memory. */
  readonly bytesMax: number;
  /** Its output is read here, and its input is empty; else they are the terminal's. */
  readonly labelled: boolean;
  readonly tell: (line: string) => void;
  /** What its program asked for and did not get. */
  readonly heard: (asked: Asked) => void;
  /** A connection that it opened to another service. */
  readonly dial: (service: string, port: number, socket: Socket) => void;
};

export type Opened =
  | { readonly ok: true; readonly sandbox: Sandbox }
  /** Why this machine cannot, and what to change. */
  | { readonly ok: false; readonly why: string };

export type SandboxEnd = {
  readonly kept: { readonly paths: readonly string[]; readonly more: number };
} & (
  | { readonly ok: true; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly ok: false; readonly why: string }
);

/** As whoever starts a run has it, on whatever system. */
export type NativeSandbox = AsyncDisposable &
  Pick<Sandbox, 'started' | 'output' | 'run' | 'signal' | 'check' | 'accept' | 'stop'>;

export async function openSandbox(options: SandboxOptions): Promise<Opened> {
  const can = possible(options.env);
  if (!can.ok) return can;
  const work = await mkdtemp(join(tmpdir(), 'wrld-image-'));
  const sandbox = new Sandbox(options, { path: can.path, work });
  const failed = await sandbox.ready;
  if (failed === null) return { ok: true, sandbox };
  await sandbox[Symbol.asyncDispose]();
  return { ok: false, why: await whatForbids(failed) };
}

export class Sandbox implements AsyncDisposable {
  /** Null, or what was said of why there are no namespaces. */
  readonly ready: Promise<string | null>;
  /** The program is in its root and runs; or the sandbox has ended, and it never will. */
  readonly started: Promise<void>;
  readonly #options: SandboxOptions;
  readonly #keeper: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<SandboxEnd>();
  readonly #direct: Server[] = [];
  readonly #path: string;
  readonly #work: string;
  #kept: SandboxEnd['kept'] = { paths: [], more: 0 };
  #checked: ((healthy: boolean) => void) | null = null;
  #said = '';
  #begun = false;

  /** `work`: an empty folder, which goes with it. */
  constructor(options: SandboxOptions, { path, work }: { readonly path: string; readonly work: string }) {
    this.#options = options;
    this.#path = path;
    this.#work = work;
    const cache = getCompileCacheDir?.();
    const spawned: SpawnOptions = {
      stdio: options.labelled
        ? ['ignore', 'pipe', 'pipe', 'ipc', 'pipe', 'pipe']
        : ['inherit', 'inherit', 'pipe', 'ipc', 2, 'pipe'],
      // Compiled from the time before: most of its start, else.
      env: { PATH: path, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
    };
    const namespaces = [
      '--user',
      '--map-root-user',
      '--net',
      '--mount',
      '--pid',
      // Who is asked for by number is somebody in it.
      '--mount-proc',
      '--ipc',
      '--uts',
      '--fork',
      '--kill-child',
    ];
    const outside = networkOf('self') ?? '';
    const keeper = spawn(
      'unshare',
      [
        ...[...namespaces, '--propagation', 'private', '--'],
        ...['sh', '-c', GROUND_SCRIPT, 'sh', outside, openGround(work, options.bytesMax)],
        ...[process.execPath, KEEPER, outside, work],
      ],
      spawned,
    );
    this.#keeper = keeper;
    keeper.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(0, NATIVE_SAID_CHARS_MAX);
    });
    const ready = Promise.withResolvers<string | null>();
    const said = (keeper.stdio as readonly unknown[])[GROUND_DESCRIPTOR] as Readable;
    // Whoever else has its other end may keep it open.
    const grounded = whyNoGround(said).finally(() => said.destroy());
    this.ready = ready.promise;
    this.started = this.#started.promise;
    const late = setTimeout(() => ready.resolve('the namespaces took too long'), NATIVE_START_MS_MAX);
    keeper.on('message', (message: FromKeeper, handle) => {
      if (message.type === 'ready') void grounded.then(ready.resolve);
      else this.#told(message, handle as Server & Socket);
    });
    this.#exited = new Promise(resolve => {
      keeper.once('error', error => {
        ready.resolve(error.message);
        resolve();
      });
      keeper.once('exit', async (code, signal) => {
        await finished(keeper.stderr!).catch(() => {});
        ready.resolve(this.#said || 'the namespaces could not be made');
        const how = this.#said.trim() || signal || `exit code ${code}`;
        this.#ended.resolve({ ok: false, why: `what keeps this run ended: ${how}`, kept: this.#kept });
        resolve();
      });
    });
    void this.#exited.then(() => this.#started.resolve());
    void this.ready.then(() => clearTimeout(late));
  }

  /** Of one that is labelled. */
  get output(): { readonly out: Readable; readonly err: Readable } {
    return { out: this.#keeper.stdout!, err: this.#keeper.stdio[4] as unknown as Readable };
  }

  async run(start: Omit<RunStart, 'type' | 'path'>): Promise<SandboxEnd> {
    this.#begun = true;
    this.#tell({ type: 'start', path: this.#path, ...start });
    const ended = await this.#ended.promise;
    await this[Symbol.asyncDispose]();
    return ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#tell({ type: 'signal', signal });
  }

  /** Runs it beside the program; one at a time. Resolves to whether it ended well, and in time (milliseconds). */
  check(words: readonly string[], timeout: number): Promise<boolean> {
    return new Promise(resolve => {
      this.#checked = resolve;
      void this.#exited.then(() => resolve(false));
      this.#tell({ type: 'check', words, timeout });
    });
  }

  /** A connection that was accepted on this machine, for a port that the program listens on. */
  accept(socket: Socket, port: number): void {
    if (this.#keeper.connected) this.#keeper.send({ type: 'accepted', port } satisfies ToKeeper, socket);
    else socket.destroy();
  }

  /** Asked to end first, where there is a program to ask. */
  async stop(): Promise<void> {
    if (!this.#begun) return await this[Symbol.asyncDispose]();
    this.signal('SIGTERM');
    const late = setTimeout(() => void this[Symbol.asyncDispose](), END_MS_MAX);
    await this.#exited;
    clearTimeout(late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#direct.splice(0)) server.close();
    if (this.#keeper.connected) this.#keeper.disconnect();
    await this.#exited;
    // What was mounted there was gone with the namespaces.
    await rm(groundOf(this.#work).table, { force: true });
    for (const name of ['root', 'changes', '']) await rmdir(join(this.#work, name)).catch(() => {});
  }

  #tell(message: ToKeeper): void {
    if (this.#keeper.connected) this.#keeper.send(message, () => {});
  }

  #told(message: Exclude<FromKeeper, { type: 'ready' }>, handle: Server & Socket): void {
    switch (message.type) {
      case 'started':
        return this.#started.resolve();
      case 'tell':
        return this.#options.tell(message.line);
      case 'asked':
        return this.#options.heard(message.asked);
      case 'checked':
        return this.#checked?.(message.healthy);
      case 'direct':
        return this.#lead(handle, message.address, message.port);
      case 'dialled':
        return this.#options.dial(message.service, message.port, handle);
      case 'kept':
        this.#kept = message;
        return;
      case 'ended':
        return this.#ended.resolve({
          ok: true,
          code: message.code,
          signal: message.signal,
          kept: this.#kept,
        });
      case 'not-started':
        return this.#ended.resolve({ ok: false, why: message.why, kept: this.#kept });
    }
  }

  #lead(server: Server, address: string, port: number): void {
    this.#direct.push(server);
    leadOut(server, { address, port });
  }
}
