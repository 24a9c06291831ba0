// What a native run's program asked for and did not get, as the kernel tells it (observer.pl): connections past the world,
// and files of this machine that a container would not have. Where it cannot be told, the run is as it is without.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, posix } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Asked, RunStart } from './messages.ts';

/** Where it is; enter.pl is told, which has a part of it. */
export const OBSERVER: string = fileURLToPath(new URL('./observer.pl', import.meta.url));
/** Of the program's descriptors, while it is not the program yet: what it says is read from it, and its environment given. */
const DESCRIPTOR = 3;

export class Observer {
  readonly #watcher: ChildProcess;
  /** False where it cannot be: then the program is started by itself. */
  readonly ready: Promise<boolean>;
  readonly #ended: Promise<void>;
  readonly #heard: (asked: Asked) => void;
  #said: (line: string) => void = () => {};

  /** Null where this machine has no perl. */
  static open(path: string, heard: (asked: Asked) => void): Observer | null {
    const perl = path.split(delimiter).find(folder => isProgram(join(folder, 'perl')));
    return perl === undefined ? null : new Observer(join(perl, 'perl'), heard);
  }

  private constructor(perl: string, heard: (asked: Asked) => void) {
    this.#heard = heard;
    const watcher = spawn(perl, [OBSERVER], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
    this.#watcher = watcher;
    const ready = Promise.withResolvers<boolean>();
    this.ready = ready.promise;
    watcher.on('error', () => ready.resolve(false));
    watcher.stdin!.on('error', () => {});
    const lines = createInterface({ input: watcher.stdout! });
    lines.on('line', line => {
      if (line === 'ready') ready.resolve(true);
      else if (line === 'watching' || line.startsWith('no ')) this.#said(line);
      else this.#tell(line);
    });
    this.#ended = new Promise(resolve => lines.once('close', resolve));
    lines.once('close', () => {
      ready.resolve(false);
      this.#said('no end');
    });
  }

  /** Resolves to whether it is observed, when the process is the program, with that environment; false: nothing is. */
  async become(
    child: ChildProcess,
    { env, worldAddress }: Pick<RunStart, 'env' | 'worldAddress'>,
  ): Promise<boolean> {
    const line = child.stdio[DESCRIPTOR] as Duplex;
    line.on('error', () => {});
    const first = await firstLine(line);
    const number = /^fd (\d+)$/.exec(first ?? '')?.[1];
    const watched =
      number !== undefined &&
      (await new Promise<boolean>(resolve => {
        this.#said = said => resolve(said === 'watching');
        this.#watcher.stdin!.write(`${child.pid} ${number} ${worldAddress}\n`);
      }));
    // Whom nobody answers waits for ever.
    if (number !== undefined && !watched) child.kill('SIGKILL');
    else giveEnvironment(child, env);
    return watched;
  }

  /** When all that was heard is told. The program has ended. */
  async end(): Promise<void> {
    this.#watcher.kill('SIGKILL');
    await this.#ended;
  }

  #tell(line: string): void {
    const [what, ...rest] = line.split(' ').map(word => Buffer.from(word, 'hex').toString());
    if (what === 'read') this.#heard({ what, path: posix.normalize(rest[0] ?? '') });
    else if (what === 'connect')
      this.#heard({ what, port: Number(rest[0]), pid: Number(rest[1]), program: rest[2] ?? '' });
  }
}

/** To a process that waits for it, to become a program. */
export function giveEnvironment(child: ChildProcess, env: RunStart['env']): void {
  const line = child.stdio[DESCRIPTOR] as Duplex;
  line.on('error', () => {});
  const all = Object.entries(env).map(([name, value]) => `${name}=${value}\0`);
  line.end(`${all.join('')}\0`);
}

function firstLine(input: Readable): Promise<string | null> {
  return new Promise(resolve => {
    let said = '';
    input.on('data', (bytes: Buffer) => {
      said += bytes.toString('latin1');
      const end = said.indexOf('\n');
      if (end !== -1) resolve(said.slice(0, end));
    });
    input.once('close', () => resolve(null));
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
