// Runs a world's users' JavaScript (control/ports/isolate.ts) on threads of its own, each run in a context that has the
// language and nothing else: no network, no files, no modules, no timers, nothing of another run. What does not end, or
// takes too much memory, ends with its thread.
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../process/module-file.ts';
import type { Isolate, IsolateLimits, IsolateRun } from '../ports/isolate.ts';
import { ISOLATE_START_MS_MAX, ISOLATE_THREADS_KEPT_MAX } from './limits.ts';

const THREAD = moduleFile(import.meta.url, './isolate-thread');
const MIB = 1024 * 1024;
const YOUNG_MIB = 8;

/** What a thread is asked, and what it says: `free` when what it ran has left nothing behind. */
export type IsolateAsk = readonly [source: string, name: string, args: string];
export type IsolateWord = 'ready' | 'free' | IsolateRun;

export class ThreadIsolate implements Isolate, AsyncDisposable {
  /** Those that have nothing to do. */
  #idle: Thread[] = [];
  #closed = false;

  async call(
    source: string,
    name: string,
    args: readonly unknown[],
    limits: IsolateLimits,
  ): Promise<IsolateRun> {
    const known = this.#idle.findIndex(({ memoryBytes }) => memoryBytes === limits.memoryBytes);
    const [found] = known < 0 ? [] : this.#idle.splice(known, 1);
    const thread = found ?? new Thread(limits.memoryBytes);
    const run = await thread.run([source, name, JSON.stringify(args)], limits.ms);
    void thread.free().then(free => {
      if (free && !this.#closed && this.#idle.length < ISOLATE_THREADS_KEPT_MAX) this.#idle.push(thread);
      else void thread.end();
    });
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map(thread => thread.end()));
  }
}

class Thread {
  readonly memoryBytes: number;
  readonly #worker: Worker;
  readonly #broken = Promise.withResolvers<IsolateRun>();
  #heard: ((word: IsolateWord) => void) | null = null;
  /** What it said while nobody listened. */
  readonly #words: IsolateWord[] = [];
  #ready = false;
  #over = false;

  constructor(memoryBytes: number) {
    this.memoryBytes = memoryBytes;
    this.#worker = new Worker(THREAD, {
      env: {},
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: memoryBytes / MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    // It waits for work, and nobody for it.
    this.#worker.unref();
    this.#worker.on('message', (word: IsolateWord) => {
      const heard = this.#heard;
      this.#heard = null;
      if (heard === null) this.#words.push(word);
      else heard(word);
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#over = true;
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const message = memory ? `over ${memoryBytes} bytes of memory` : lineOf(error.message);
      this.#broken.resolve({ ok: false, why: memory ? 'memory' : 'threw', message });
    });
  }

  async run(ask: IsolateAsk, ms: number): Promise<IsolateRun> {
    if (!this.#ready) {
      const started = await this.#word(ISOLATE_START_MS_MAX);
      if (started !== 'ready') return asRun(started, ISOLATE_START_MS_MAX);
      this.#ready = true;
    }
    this.#worker.postMessage(ask);
    return asRun(await this.#word(ms), ms);
  }

  /** Whether it can be used again. */
  async free(): Promise<boolean> {
    return !this.#over && (await this.#word(ISOLATE_START_MS_MAX)) === 'free';
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#worker.terminate();
  }

  /** The next word of the thread; null when none came in time, and the thread is over. */
  async #word(ms: number): Promise<IsolateWord | null> {
    const said = this.#words.shift();
    if (said !== undefined) return said;
    const { promise, resolve } = Promise.withResolvers<IsolateWord | null>();
    this.#heard = resolve;
    const late = setTimeout(() => resolve(null), ms);
    const word = await Promise.race([promise, this.#broken.promise]);
    clearTimeout(late);
    this.#heard = null;
    if (word === null) await this.end();
    return word;
  }
}

function asRun(word: IsolateWord | null, ms: number): IsolateRun {
  if (word === null) return { ok: false, why: 'time', message: `over ${ms} ms` };
  return typeof word === 'string' ? { ok: false, why: 'threw', message: `said ${word}` } : word;
}

const lineOf = (text: string): string => text.split('\n')[0] ?? '';
