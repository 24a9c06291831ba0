// Brings a store's write-ahead log into its file on a thread of its own, because that takes a tenth of a second and more
// and the loop has others to answer. The thread begins when the log grows and ends when nobody writes; without one (few
// stores ever need it, and a thread may die) the store's own connection does it, as SQLite does by itself.
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { moduleFile } from '../../process/module-file.ts';
import type { Log } from '../ports/log.ts';
import { syncFile } from './files.ts';
import {
  CHECKPOINT_THREAD_MS_MAX,
  WAL_BYTES_MAX,
  WAL_GROWTH_BYTES,
  WAL_REST_MS_MAX,
  WAL_THREAD_BYTES,
  WAL_TURN_MS_MAX,
} from './limits.ts';
import type { Settler } from './settler.ts';
import type { SqliteFile } from './sqlite.ts';

/** The writer goes on as it likes. */
export const TURN_OVER = 0;
/** The thread waits for the writer to let it have the log to itself. */
export const TURN_WANTED = 1;
/** The writer waits for the thread. */
const TURN_GIVEN = 2;

export type ThreadData = { readonly file: string; readonly turn: Int32Array };
/** `some`: as much as can be had while others write. `all`: and the log is empty afterwards. */
export type Asked = 'some' | 'all' | 'end';
/** `wanted`: its turn, and then it says that it is done. */
export type Said = 'wanted' | 'done';

const THREAD = moduleFile(import.meta.url, './checkpoint-thread');

export type CheckpointerOptions = {
  readonly sql: Pick<SqliteFile, 'checkpoint' | 'checkpointElsewhere' | 'lasting' | 'logEmptied'>;
  /** The store. */
  readonly file: string;
  readonly log: Log;
  /** Empties the log when nobody writes; without one the loop does. */
  readonly settler?: Settler | undefined;
};

/** The thread has its turn. */
type Resting = PromiseWithResolvers<void> & { readonly late: NodeJS.Timeout };

type Asking = { readonly done: Promise<void>; readonly settle: () => void };

export class Checkpointer implements AsyncDisposable {
  readonly #options: CheckpointerOptions;
  readonly #turn = new Int32Array(new SharedArrayBuffer(4));
  #thread: Worker | null = null;
  #asking: Asking | null = null;
  #resting: Resting | null = null;
  /** The size of the log that is none to do anything about. */
  #known = 0;
  /** How often somebody was asked for what may cut it. */
  #cuts = 0;
  #broken = false;
  #closed = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Whether a thread does it now. */
  get onThread(): boolean {
    return this.#thread !== null;
  }

  /** Resolves when the thread has done what it is at; null when that is nothing. */
  get working(): Promise<void> | null {
    return this.#asking?.done ?? null;
  }

  /** After commits: has the thread begin when the log has grown. */
  look(): void {
    if (this.#broken || this.#closed || this.#asking !== null) return;
    const bytes = this.#walBytes();
    if (bytes < this.#known) this.#known = 0;
    if (bytes < this.#known + (this.#thread === null ? WAL_THREAD_BYTES : WAL_GROWTH_BYTES)) return;
    this.#known = bytes;
    void this.#ask('some');
  }

  /** Nobody writes: resolves when the log is empty, unless somebody reads there. */
  async settle(): Promise<void> {
    await this.#asking?.done;
    if (this.#closed) return;
    if (this.#thread === null) await this.#settleWithoutThread();
    else {
      await this.#ask('all');
      this.#known = 0;
      await this.#end();
    }
    const cuts = this.#cuts;
    const empty = this.#walBytes() === 0;
    await syncFile(this.#wal, 'sync');
    // It may be cut again meanwhile.
    if (empty && cuts === this.#cuts) this.#options.sql.logEmptied(true);
  }

  async #settleWithoutThread(): Promise<void> {
    const { settler, sql, file } = this.#options;
    this.#mayCut();
    const settled = settler === undefined ? 'lost' : await settler.settle(file);
    if (typeof settled === 'object') throw new Error(settled.fault);
    if (settled === 'lost' && !this.#closed) sql.checkpoint();
  }

  /** The thread has let go of the store when it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#options.settler?.release(this.#options.file);
    await this.#asking?.done;
    await this.#end();
  }

  get #wal(): string {
    return `${this.#options.file}-wal`;
  }

  #walBytes(): number {
    return statSync(this.#wal, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** From here on the log may be cut to nothing at any moment, which is not on the disk then. */
  #mayCut(): void {
    this.#cuts += 1;
    this.#options.sql.logEmptied(false);
  }

  #ask(asked: Asked): Promise<void> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const settle = (): void => {
      this.#asking = null;
      resolve();
    };
    this.#asking = { done, settle };
    this.#mayCut();
    this.#thread ??= this.#start();
    this.#thread.postMessage({ asked });
    return done;
  }

  #start(): Worker {
    const { sql, file } = this.#options;
    const workerData: ThreadData = { file, turn: this.#turn };
    // It needs nothing of what this process was started with.
    const thread = new Worker(THREAD, { workerData, execArgv: [] });
    thread.unref();
    thread.on('message', (said: Said) => {
      if (said === 'wanted') void this.#rest();
      else this.#done();
    });
    thread.on('error', error => this.#lose(thread, error));
    thread.on('exit', () => this.#lose(thread, null));
    sql.checkpointElsewhere({
      beforeWriting: () => this.#giveTurn(),
      resting: () => this.#resting?.promise ?? null,
    });
    return thread;
  }

  /** Gives the thread its turn as soon as nothing is half written; whoever can wait writes after it. */
  async #rest(): Promise<void> {
    const { sql } = this.#options;
    for (let lasting = sql.lasting(); lasting !== null; lasting = sql.lasting())
      await lasting.catch(() => {});
    if (!this.#handOver()) return;
    const late = setTimeout(() => this.#takeBack(), WAL_REST_MS_MAX);
    this.#resting = { ...Promise.withResolvers<void>(), late };
  }

  /** Before somebody writes who cannot wait: the thread needs it for a moment alone, and everybody here waits with it. */
  #giveTurn(): void {
    if (!this.#handOver() && this.#resting === null) return;
    Atomics.wait(this.#turn, 0, TURN_GIVEN, this.#turnMs);
    this.#takeBack();
  }

  /** False when the thread does not wait for it. */
  #handOver(): boolean {
    if (Atomics.compareExchange(this.#turn, 0, TURN_WANTED, TURN_GIVEN) !== TURN_WANTED) return false;
    Atomics.notify(this.#turn, 0);
    return true;
  }

  /** What is written from here on adds to the log, which is not begun anew unless it was. */
  #takeBack(): void {
    Atomics.compareExchange(this.#turn, 0, TURN_GIVEN, TURN_OVER);
    const resting = this.#resting;
    this.#resting = null;
    clearTimeout(resting?.late);
    resting?.resolve();
  }

  /** The longer, the longer the log is: a disk that is always slow has to catch up some time. */
  get #turnMs(): number {
    return WAL_TURN_MS_MAX * Math.max(1, this.#known / WAL_BYTES_MAX);
  }

  #done(): void {
    this.#takeBack();
    this.#asking?.settle();
  }

  /** It died in the middle of its work, which SQLite's locks survive; from here on the loop does it itself. */
  #lose(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#broken = true;
    this.#forget();
    this.#options.log.warn(
      { err: error },
      'the thread that empties the write-ahead log ended; requests wait for that from here on, until the world is opened again',
    );
  }

  #forget(): void {
    this.#thread = null;
    Atomics.store(this.#turn, 0, TURN_OVER);
    this.#takeBack();
    this.#options.sql.checkpointElsewhere(null);
    this.#asking?.settle();
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    if (thread === null) return;
    const ended = new Promise<void>(resolve => thread.once('exit', () => resolve()));
    this.#forget();
    thread.ref();
    thread.postMessage({ asked: 'end' satisfies Asked });
    const late = setTimeout(() => void thread.terminate(), CHECKPOINT_THREAD_MS_MAX);
    await ended;
    clearTimeout(late);
  }
}
