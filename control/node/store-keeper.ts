// Keeps what is known of a store outside of it true, and the store's file whole: while a world is written to, its marks
// follow it; when nobody has written for a moment, what is in the write-ahead log goes into the file. The last marks are
// those of the end.
import { randomBytes } from 'node:crypto';
import type { Log } from '../ports/log.ts';
import { SCHEMA_VERSION } from '../world/store/schema.ts';
import { readTips } from '../world/store/tips.ts';
import { Checkpointer } from './checkpointer.ts';
import { COMMITS_PER_LOOK, STORE_IDLE_MS, STORE_MARKS_MS } from './limits.ts';
import { type Marks, writeMarks } from './marks.ts';
import type { Settler } from './settler.ts';
import type { SqliteFile } from './sqlite.ts';
import { storeName, type WorldFiles } from './store-guard.ts';
import { wallClock } from './wall-clock.ts';

export type KeeperOptions = {
  /** At the newest schema. The keeper closes it. */
  readonly sql: SqliteFile;
  readonly files: Pick<WorldFiles, 'database' | 'marks'>;
  readonly log: Log;
  /** Of a process that has many stores. */
  readonly settler?: Settler | undefined;
  readonly limits?: { readonly idleMs: number; readonly marksMs: number };
};

export class StoreKeeper implements AsyncDisposable {
  readonly #options: KeeperOptions;
  readonly #store: string;
  readonly #checkpointer: Checkpointer;
  readonly #limits: { readonly idleMs: number; readonly marksMs: number };
  #commits = 0;
  #timer: NodeJS.Timeout | null = null;
  #seen = 0;
  #marked = performance.now();
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: KeeperOptions) {
    const { sql, limits } = options;
    this.#options = options;
    this.#limits = limits ?? { idleMs: STORE_IDLE_MS, marksMs: STORE_MARKS_MS };
    this.#store = storeName(sql) || nameStore(sql);
    const { files, log, settler } = options;
    this.#checkpointer = new Checkpointer({ sql, file: files.database, log, settler });
    sql.onCommit(() => {
      this.#commits += 1;
      if (this.#commits % COMMITS_PER_LOOK === 0) this.#checkpointer.look();
      if (this.#timer === null && !this.#closed) this.#arm();
    });
    this.#arm();
  }

  /** Resolves when the marks tell of all that lasts now. */
  mark(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#mark());
    return this.#writing;
  }

  /** While the store goes back on purpose, its marks tell of nothing that it may not have whenever the process ends. */
  goingBack(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(async () => {
      await writeMarks(this.#options.files.marks, { ...this.#read(), positions: {} });
      try {
        await work();
      } finally {
        await this.#mark();
      }
    });
    this.#writing = done.catch(() => {});
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#writing;
    await this.#checkpointer[Symbol.asyncDispose]();
    const { sql } = this.#options;
    // What the last group has is in them too: it is committed by the closing, or that throws.
    const marks = this.#read();
    sql.close();
    await this.#write(marks);
  }

  #arm(): void {
    this.#seen = this.#commits;
    this.#timer = setTimeout(() => this.#look(), this.#limits.idleMs).unref();
  }

  #look(): void {
    this.#timer = null;
    if (this.#commits === this.#seen) {
      void this.#settle();
      return;
    }
    if (performance.now() - this.#marked >= this.#limits.marksMs) void this.mark();
    this.#arm();
  }

  /** Nobody has written for a while: the file is the world from here on. */
  async #settle(): Promise<void> {
    try {
      await this.#checkpointer.settle();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the store could not be brought up to date');
    }
    await this.mark();
  }

  async #mark(): Promise<void> {
    if (this.#closed) return;
    const { sql } = this.#options;
    this.#marked = performance.now();
    try {
      const marks = this.#read();
      // First on disk, then told of.
      await sql.onDisk();
      if (!this.#closed) await this.#write(marks);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'what the store holds could not be noted beside it');
    }
  }

  #read(): Marks {
    return {
      store: this.#store,
      at: new Date(wallClock.now()).toISOString(),
      schema: SCHEMA_VERSION,
      positions: readTips(this.#options.sql),
    };
  }

  async #write(marks: Marks): Promise<void> {
    const { files, log } = this.#options;
    await writeMarks(files.marks, marks).catch((error: NodeJS.ErrnoException) =>
      log.warn({ code: error.code }, 'what the store holds could not be noted beside it'),
    );
  }
}

/** Tells this store from every other, whatever they hold. */
const STORE_NAME_BYTES = 8;

export function nameStore(sql: SqliteFile): string {
  const name = randomBytes(STORE_NAME_BYTES).toString('hex');
  sql.durable(() => sql.run("INSERT INTO meta(k, v) VALUES ('store', ?)", name));
  return name;
}
