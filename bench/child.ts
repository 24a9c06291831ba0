// A process of a bench: started on its core, spoken to over Node's own channel, and always ended by its pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Machine, type Seat, seated } from './machine.ts';

/** How long a child may take to say it is ready, or to end after being asked. */
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 2_000;

export type ChildOptions = {
  readonly machine: Machine;
  readonly seat: Seat;
  readonly command: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** True for our own scripts, which speak over the channel and end when it closes. */
  readonly channel: boolean;
};

export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  #said = '';

  constructor({ machine, seat, command, env = {}, channel }: ChildOptions) {
    const [file, ...args] = seated(machine, seat, command);
    this.#process = spawn(file!, args, {
      stdio: ['ignore', 'pipe', 'pipe', ...(channel ? (['ipc'] as const) : [])],
      env: { ...process.env, ...env },
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', text => {
        this.#said = (this.#said + text).slice(-4_000);
      });
    }
    this.#process.on('error', error => {
      this.#said += error.message;
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The end of what it printed, for error messages. */
  get said(): string {
    return this.#said.trim();
  }

  /** The next message, within the limit. */
  async message<T>(what: string, ms = START_MS_MAX): Promise<T> {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), ms);
    try {
      const ended = once(this.#process, 'exit', { signal: stop.signal }).then(([code, signal]) => {
        throw new Error(`it ended (${code ?? signal}) before ${what}: ${this.said}`);
      });
      const [message] = (await Promise.race([
        once(this.#process, 'message', { signal: stop.signal }),
        ended,
      ])) as [T];
      return message;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
      throw new Error(`${what} did not come within ${ms} ms: ${this.said}`);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  send(message: object): void {
    this.#process.send?.(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#process;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
  }
}

/** In a child script: says it is ready. When the bench that started it is gone, `close` ends the process. */
export function ready(message: object, close: () => void = () => process.exit(0)): void {
  process.once('disconnect', close);
  process.send?.(message);
}
