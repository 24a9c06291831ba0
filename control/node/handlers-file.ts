// The handlers file of one twin on disk: read at the start, and again whenever it was saved, so that an edit is in
// force from the next call on. A bad edit leaves the last good one in force.
import { rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { HandlersFault } from '../../twins/kit/handlers.ts';
import type { LoadResult, MountedTwin } from '../../twins/kit/twin.ts';
import type { Log } from '../ports/log.ts';
import { readIfThere, writeWhole } from './files.ts';
import { HANDLERS_SETTLE_MS } from './limits.ts';
import { watchFiles } from './watched-files.ts';

export type HandlersFileOptions = {
  /** The world's. */
  readonly folder: string;
  readonly vendor: string;
  /** Relative to the folder. */
  readonly path: string;
  readonly twin: Required<MountedTwin>;
  readonly log: Log;
};

export class HandlersFile {
  readonly #options: HandlersFileOptions;
  readonly #file: string;
  #watcher: Disposable | null = null;
  /** As it was last loaded, so that a save that changes nothing is not told of. */
  #text: string | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: HandlersFileOptions) {
    this.#options = options;
    this.#file = resolve(options.folder, options.path);
  }

  /** Null, or why the world cannot start: a file with faults, each by its pointer. One that is not there is none. */
  async open(): Promise<string | null> {
    const { twin, vendor, path, log } = this.#options;
    // Watched before it is read: an edit in between is not missed.
    this.#watch();
    const text = await readIfThere(this.#file);
    this.#text = text;
    if (text === null) {
      log.warn({ twin: vendor }, `the twin ${vendor} has no handlers: ${path} is not there`);
      return null;
    }
    const loaded = twin.load(text);
    return loaded.ok ? null : this.#told(loaded.faults);
  }

  /** Relative to the world's folder. */
  get path(): string {
    return this.#options.path;
  }

  /** As the file has it that is in force or was refused; null where there is none. */
  get text(): string | null {
    return this.#text;
  }

  /** Writes the file (null: removes it) and puts it in force; with faults nothing is changed. */
  put(text: string | null): Promise<LoadResult> {
    // After what is being read: an older text that is read meanwhile would take its place.
    const put = this.#reading.then(() => this.#put(text));
    this.#reading = put.then(
      () => undefined,
      () => undefined,
    );
    return put;
  }

  async #put(text: string | null): Promise<LoadResult> {
    const { twin } = this.#options;
    const loaded = twin.load(text);
    if (!loaded.ok) {
      twin.load(this.#text);
      return loaded;
    }
    this.#text = text;
    if (text === null) await rm(this.#file, { force: true });
    else await writeWhole(this.#file, text);
    return loaded;
  }

  close(): void {
    this.#watcher?.[Symbol.dispose]();
    this.#watcher = null;
  }

  #watch(): void {
    const fail = (error: unknown): void =>
      this.#options.log.warn(
        { err: error, twin: this.#options.vendor },
        `${this.#options.path} cannot be watched; an edit is read at the next start`,
      );
    const changed = (): void => {
      this.#reading = this.#reading.then(() => this.#readAgain()).catch(fail);
    };
    this.#watcher = watchFiles({ files: [this.#file], settleMs: HANDLERS_SETTLE_MS, changed, fail });
  }

  async #readAgain(): Promise<void> {
    const { twin, vendor, path, log } = this.#options;
    const text = await readIfThere(this.#file);
    if (this.#watcher === null || text === this.#text) return;
    this.#text = text;
    const loaded = twin.load(text);
    if (loaded.ok) {
      log.info(
        { twin: vendor },
        text === null ? `${path} is gone: ${vendor} has no handlers` : `${path} is in force`,
      );
    } else {
      log.warn(
        { twin: vendor, faults: loaded.faults },
        `${path} has faults; the handlers before it stay in force\n${this.#told(loaded.faults)}`,
      );
    }
  }

  #told(faults: readonly HandlersFault[]): string {
    const name = relative(this.#options.folder, this.#file);
    return faults.map(({ pointer, message }) => `${name}${pointer}: ${message}`).join('\n');
  }
}
