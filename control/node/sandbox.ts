// Modules of a world's users, each in QuickJS (control/quickjs/engine.ts) on a thread of its own. What it asks of its host
// is asked over this: the thread stands still until the answer is there, and the world goes on meanwhile. A module that the
// engine cannot stop, deep inside of one of its own functions, ends with its thread.
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../process/module-file.ts';
import type { Sandbox, SandboxAsk, SandboxFailure, SandboxModule, SandboxRun } from '../ports/sandbox.ts';
import { ISOLATE_START_MS_MAX, SANDBOX_STEP_TIMES_MAX, SANDBOX_THREAD_STACK_MIB } from './limits.ts';

const THREAD = moduleFile(import.meta.url, './sandbox-thread');

/** What a thread is given as it begins. `bell`: what it waits at; then how many calls it has begun. */
export type SandboxStart = Omit<SandboxAsk, 'ask'> & { readonly bell: Int32Array };
export type SandboxOrder =
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
    const thread = new Thread(asked);
    const failure = await thread.began();
    if (failure === null) return { ok: true, module: thread };
    await thread[Symbol.asyncDispose]();
    return failure;
  },
};

class Thread implements SandboxModule {
  printed = '';
  readonly #asked: SandboxAsk;
  readonly #bell = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;
  #heard: ((word: SandboxWord | SandboxFailure) => void) | null = null;
  #ended: SandboxFailure | null = null;
  /** Its host is looking for an answer: it has all the time that takes. */
  #answering = false;

  constructor(asked: SandboxAsk) {
    this.#asked = asked;
    const { source, driver, limits } = asked;
    const workerData: SandboxStart = { source, driver, limits, bell: this.#bell };
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
    this.#worker.on('exit', () => this.#hear({ ok: false, why: 'threw', message: 'its thread ended' }));
    // It waits for work, and nobody for it: after the listeners, which would have somebody wait.
    this.#worker.unref();
  }

  async began(): Promise<SandboxFailure | null> {
    const word = await this.#word(ISOLATE_START_MS_MAX);
    if ('ok' in word) return word;
    this.printed = word.printed;
    return 'began' in word ? word.began : null;
  }

  async run(texts: readonly string[]): Promise<readonly SandboxRun[]> {
    if (this.#ended !== null) return [this.#ended];
    this.#order({ run: texts });
    const word = await this.#word(this.#asked.limits.callMs * SANDBOX_STEP_TIMES_MAX);
    if ('ok' in word) return [word];
    this.printed = word.printed;
    return 'ran' in word ? word.ran : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= { ok: false, why: 'threw', message: 'it has ended' };
    await this.#worker.terminate();
  }

  /** The next of its words that is no question. A call that takes so long on the wall is not stopped by the engine any more. */
  async #word(ms: number): Promise<(SandboxWord & { printed: string }) | SandboxFailure> {
    const { promise, resolve } = Promise.withResolvers<SandboxWord | SandboxFailure>();
    this.#heard = resolve;
    let seen = -1;
    const watch = setInterval(() => {
      const calls = Atomics.load(this.#bell, CALLS);
      if (calls === seen && !this.#answering)
        this.#hear({ ok: false, why: 'time', message: `over ${this.#asked.limits.callMs} ms, in one step` });
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
      this.#order({ answer: await this.#asked.ask(question) });
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
