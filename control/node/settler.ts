// Brings the write-ahead logs of stores that nobody writes to just now into their files, one store after the other on one thread.
// Each waits for the disk several times, and of hundreds of worlds some come to rest at every moment: on the loop that held
// up all the others for seconds.
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../process/module-file.ts';

/**
 * `whole`: the log is empty. `busy`: somebody reads or writes there, so it will come to rest again. `lost`: the thread ended.
 * `fault`: why it could not be done.
 */
export type Settled = 'whole' | 'busy' | 'lost' | 'released' | { readonly fault: string };

type Asking = { readonly file: string } & PromiseWithResolvers<Settled>;

const THREAD = moduleFile(import.meta.url, './settler-thread');

export class Settler implements AsyncDisposable {
  readonly #waiting: Asking[] = [];
  #now: Asking | null = null;
  #thread: Worker | null = null;

  /** Never rejects. */
  settle(file: string): Promise<Settled> {
    const known = this.#waiting.find(asking => asking.file === file);
    if (known !== undefined) return known.promise;
    const asking = { file, ...Promise.withResolvers<Settled>() };
    this.#waiting.push(asking);
    this.#next();
    return asking.promise;
  }

  /** The thread has let go of that store when it resolves, and has not taken it if it had not yet. */
  async release(file: string): Promise<void> {
    const at = this.#waiting.findIndex(asking => asking.file === file);
    if (at >= 0) this.#waiting.splice(at, 1)[0]!.resolve('released');
    if (this.#now?.file === file) await this.#now.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const asking of this.#waiting.splice(0)) asking.resolve('released');
    await this.#now?.promise;
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#now !== null) return;
    this.#now = this.#waiting.shift() ?? null;
    if (this.#now === null) return;
    this.#thread ??= this.#start();
    this.#thread.postMessage(this.#now.file);
  }

  #start(): Worker {
    // It needs nothing of what this process was started with.
    const thread = new Worker(THREAD, { execArgv: [] });
    thread.unref();
    thread.on('message', (settled: Settled) => this.#done(settled));
    const lose = (): void => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      this.#done('lost');
    };
    thread.on('error', lose);
    thread.on('exit', lose);
    return thread;
  }

  #done(settled: Settled): void {
    this.#now?.resolve(settled);
    this.#now = null;
    this.#next();
  }
}
