// Modules of a world's users, each in QuickJS (control/quickjs/engine.ts) on a thread that it has for itself meanwhile. What it asks of its host
// is asked over this: the thread stands still until the answer is there, and the world goes on meanwhile. A module that the
// engine cannot stop, deep inside of one of its own functions, ends with its thread.
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../process/module-file.ts';
import type { Sandbox, SandboxAsk, SandboxFailure, SandboxModule, SandboxRun } from '../ports/sandbox.ts';
import {
  SANDBOX_IDLE_MS_MAX,
  SANDBOX_START_MS_MAX,
  SANDBOX_STEP_TIMES_MAX,
  SANDBOX_THREAD_STACK_MIB,
} from './limits.ts';

const THREAD = moduleFile(import.meta.url, './sandbox-thread');

/** What a thread is given as it begins: what it waits at, and where it counts the calls that it has begun. */
export type SandboxStart = { readonly bell: Int32Array };
export type SandboxOrder =
  | { readonly open: Omit<SandboxAsk, 'ask'> }
  | { readonly close: true }
  | { readonly run: readonly string[] }
  | { readonly answer: string }
  | { readonly fault: string };
export type SandboxWord =
  | { readonly began: SandboxFailure | null; readonly printed: string }
  | { readonly ran: readonly SandboxRun[]; readonly printed: string }
  | { readonly asks: string };

/** Places of the bell. */
export const ANSWERED = 0;
export const CALLS = 1;

export const threadSandbox: Sandbox = {
  open: async asked => {
    const thread = Thread.take();
    const failure = await thread.open(asked);
    if (failure === null) return { ok: true, module: new KeptModule(thread) };
    await thread.leave();
    return failure;
  },
};

class KeptModule implements SandboxModule {
  readonly #thread: Thread;
  #left = false;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  get printed(): string {
    return this.#thread.printed;
  }

  run(texts: readonly string[]): Promise<readonly SandboxRun[]> {
    return this.#left ? Promise.resolve([OVER]) : this.#thread.run(texts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    await this.#thread.leave();
  }
}

const OVER: SandboxFailure = { ok: false, why: 'threw', message: 'it has ended' };

class Thread {
  /** The one that waits for the next module: to start another takes far longer than most checks. */
  static #idle: Thread | null = null;
  printed = '';
  #asked: SandboxAsk | null = null;
  #rest: NodeJS.Timeout | null = null;
  readonly #bell = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;
  #heard: ((word: SandboxWord | SandboxFailure) => void) | null = null;
  #ended: SandboxFailure | null = null;
  /** Its host is looking for an answer: it has all the time that takes. */
  #answering = false;

  static take(): Thread {
    const idle = Thread.#idle;
    Thread.#idle = null;
    if (idle === null || idle.#ended !== null) return new Thread();
    clearTimeout(idle.#rest!);
    return idle;
  }

  constructor() {
    const workerData: SandboxStart = { bell: this.#bell };
    this.#worker = new Worker(THREAD, {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      workerData,
      resourceLimits: { stackSizeMb: SANDBOX_THREAD_STACK_MIB },
    });
    this.#worker.on('message', (word: SandboxWord) => {
      if ('asks' in word) void this.#answer(word.asks);
      else this.#hear(word);
    });
    this.#worker.on('error', (error: Error) => {
      const [message = ''] = error.message.split('\n');
      this.#hear({ ok: false, why: 'memory', message });
    });
    this.#worker.on('exit', () => {
      this.#ended ??= OVER;
      this.#hear({ ok: false, why: 'threw', message: 'its thread ended' });
    });
    // It waits for work, and nobody for it: after the listeners, which would have somebody wait.
    this.#worker.unref();
  }

  async open(asked: SandboxAsk): Promise<SandboxFailure | null> {
    this.#asked = asked;
    const { source, driver, limits } = asked;
    this.#order({ open: { source, driver, limits } });
    const word = await this.#word(SANDBOX_START_MS_MAX);
    if ('ok' in word) return word;
    this.printed = word.printed;
    return 'began' in word ? word.began : null;
  }

  async run(texts: readonly string[]): Promise<readonly SandboxRun[]> {
    if (this.#ended !== null) return [this.#ended];
    this.#order({ run: texts });
    const word = await this.#word(this.#asked!.limits.callMs * SANDBOX_STEP_TIMES_MAX);
    if ('ok' in word) return [word];
    this.printed = word.printed;
    return 'ran' in word ? word.ran : [];
  }

  /** What it ran is over; it waits for the next for a while. */
  async leave(): Promise<void> {
    this.#asked = null;
    // What is still under way would be taken for the next one's.
    const busy = this.#heard !== null || this.#answering;
    if (busy || this.#ended !== null || Thread.#idle !== null) {
      this.#ended ??= OVER;
      await this.#worker.terminate();
      return;
    }
    this.#order({ close: true });
    Thread.#idle = this;
    this.#rest = setTimeout(() => {
      if (Thread.#idle === this) Thread.#idle = null;
      void this.#worker.terminate();
    }, SANDBOX_IDLE_MS_MAX).unref();
  }

  /** The next of its words that is no question. A call that takes so long on the wall is not stopped by the engine any more. */
  async #word(ms: number): Promise<(SandboxWord & { printed: string }) | SandboxFailure> {
    const { promise, resolve } = Promise.withResolvers<SandboxWord | SandboxFailure>();
    this.#heard = resolve;
    let seen = -1;
    const watch = setInterval(() => {
      const calls = Atomics.load(this.#bell, CALLS);
      if (calls === seen && !this.#answering)
        this.#hear({ ok: false, why: 'time', message: `over ${this.#asked?.limits.callMs} ms, in one step` });
      seen = calls;
    }, ms);
    try {
      const word = await promise;
      if ('ok' in word) {
        this.#ended = word;
        await this.#worker.terminate();
      }
      return word as (SandboxWord & { printed: string }) | SandboxFailure;
    } finally {
      clearInterval(watch);
    }
  }

  #hear(word: SandboxWord | SandboxFailure): void {
    const heard = this.#heard;
    this.#heard = null;
    heard?.(word);
  }

  async #answer(question: string): Promise<void> {
    this.#answering = true;
    try {
      this.#order({ answer: await this.#asked!.ask(question) });
    } catch (error) {
      this.#order({ fault: (error as Error).message });
    } finally {
      this.#answering = false;
      // A call goes on from here: the watch begins anew.
      Atomics.add(this.#bell, CALLS, 1);
    }
  }

  #order(order: SandboxOrder): void {
    this.#worker.postMessage(order);
    Atomics.add(this.#bell, ANSWERED, 1);
    Atomics.notify(this.#bell, ANSWERED);
  }
}
