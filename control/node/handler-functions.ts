// Functions beside a handlers file: `openai.ts` or `openai.js` beside `openai.json`. Its export `answer` is asked about each
// call before the handlers are: a reply as a handlers file has it, a text, or nothing, which leaves the call to them. It runs
// in a sandbox (function-runs.ts), before the call is begun: what goes wrong in it is told with its place, and nothing is stored.
import { basename, resolve } from 'node:path';
import { parseJson } from '../../policy/json-text.ts';
import type { Call } from '../../twins/kit/call.ts';
import type { Features } from '../../twins/kit/generative.ts';
import { type HandlerReply, replyFault } from '../../twins/kit/handlers.ts';
import type { Log } from '../ports/log.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { readIfThere } from './files.ts';
import { FunctionRuns } from './function-runs.ts';
import { FUNCTIONS_FILE_CHARS_MAX, HANDLERS_SETTLE_MS } from './limits.ts';
import { twinRequestOf } from './twin-request.ts';
import { watchFiles } from './watched-files.ts';

const EXTENSIONS = ['.ts', '.js'];

export type HandlerFunctionsOptions = {
  /** The world's. */
  readonly folder: string;
  readonly vendor: string;
  /** Of the handlers file, relative to the folder. */
  readonly path: string;
  readonly sandbox: Sandbox;
  readonly log: Log;
};

type Source = { readonly name: string; readonly text: string; readonly runs: FunctionRuns };

export class HandlerFunctions {
  readonly #options: HandlerFunctionsOptions;
  /** Where they may be; the first that is there counts. */
  readonly #files: readonly string[];
  #source: Source | null = null;
  #watcher: Disposable | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: HandlerFunctionsOptions) {
    this.#options = options;
    const stem = resolve(options.folder, options.path).replace(/\.[a-z]+$/i, '');
    this.#files = EXTENSIONS.map(extension => `${stem}${extension}`);
  }

  async open(): Promise<void> {
    this.#watch();
    // Before whatever is saved meanwhile is read.
    const read = this.#read().then(source => {
      this.#source = source;
    });
    this.#reading = read.catch(() => {});
    await read;
  }

  /** Whether there are any: who asks costs nothing where there are none. */
  get any(): boolean {
    return this.#source !== null;
  }

  /** `now`: at which Date stands. Null leaves the call to the handlers. */
  async answer(
    call: Call,
    features: () => Promise<Features | null>,
    now: () => Promise<number>,
  ): Promise<HandlerReply | null> {
    const source = this.#source;
    if (source === null) return null;
    if (source.text.length > FUNCTIONS_FILE_CHARS_MAX)
      return this.#failed(source, `is longer than ${FUNCTIONS_FILE_CHARS_MAX} characters`);
    const request = twinRequestOf(call, await features());
    const run = await source.runs.run({ at: await now(), request });
    if (!run.ok) return this.#failed(source, `${WORDS[run.why]}: ${run.message}`);
    const said = parseJson(run.text);
    if (!said.ok) return this.#failed(source, `returned ${said.fault}`);
    const { value } = said;
    if (value === null) return null;
    const reply = typeof value === 'string' ? { text: value } : value;
    const fault = replyFault(reply, { generative: request.said !== null });
    return fault === null
      ? (reply as HandlerReply)
      : this.#failed(source, `returned what is no reply: ${fault}`);
  }

  close(): void {
    this.#watcher?.[Symbol.dispose]();
    this.#watcher = null;
    this.#source?.runs.close();
  }

  /** A status that no SDK tries again: what the function would say then is the same. */
  #failed({ name }: Source, what: string): HandlerReply {
    const { vendor, log } = this.#options;
    const message = `${name} ${what}`;
    log.warn({ twin: vendor }, `the functions of ${vendor}: ${message}`);
    return { error: { status: 400, type: 'invalid_request_error', code: 'wrld_handler_failed', message } };
  }

  async #read(): Promise<Source | null> {
    for (const file of this.#files) {
      const text = await readIfThere(file);
      if (text !== null)
        return { name: basename(file), text, runs: new FunctionRuns(this.#options.sandbox, text) };
    }
    return null;
  }

  #watch(): void {
    const { vendor, path, log } = this.#options;
    const fail = (error: unknown): void =>
      log.warn(
        { err: error, twin: vendor },
        `what is beside ${path} cannot be watched; an edit is read at the next start`,
      );
    const changed = (): void => {
      this.#reading = this.#reading.then(() => this.#readAgain()).catch(fail);
    };
    this.#watcher = watchFiles({ files: this.#files, settleMs: HANDLERS_SETTLE_MS, changed, fail });
  }

  async #readAgain(): Promise<void> {
    const source = await this.#read();
    const before = this.#source;
    if (this.#watcher === null || (source?.text === before?.text && source?.name === before?.name)) return;
    this.#source = source;
    before?.runs.close();
    const { vendor, log } = this.#options;
    const name = source?.name ?? before?.name ?? '';
    log.info(
      { twin: vendor },
      source === null ? `${name} is gone: ${vendor} has no functions` : `${name} is in force`,
    );
  }
}

const WORDS = {
  source: 'cannot be used',
  threw: 'threw',
  time: 'did not come to its end',
  memory: 'took too much memory',
} as const;
