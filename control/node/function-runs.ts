// The functions of one file, in QuickJS (control/ports/sandbox.ts), as checks are: the language, Date at the world's instant,
// and nothing else. Each call has an engine that nothing ran in before, and the engine of the next one is made ahead: an app
// waits for its answer, and not for that.
import type { Sandbox, SandboxFailure, SandboxModule, SandboxRun } from '../ports/sandbox.ts';
import { standingClock } from '../world/checks/driver.ts';
import {
  FUNCTION_AHEAD_MS_MAX,
  FUNCTION_MEMORY_BYTES_MAX,
  FUNCTION_MS_MAX,
  FUNCTION_SAID_CHARS_MAX,
} from './limits.ts';

const LIMITS = {
  callMs: FUNCTION_MS_MAX,
  memoryBytes: FUNCTION_MEMORY_BYTES_MAX,
  printedChars: 0,
  saidChars: FUNCTION_SAID_CHARS_MAX,
};

/** The text of one call. */
type Asked = { readonly at: number; readonly request: unknown };

const DRIVER = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { construct } = Reflect;
  const text = String;
  const Type = TypeError;

  ${standingClock('a function has no randomness: it answers the same call with the same reply')}
  const said = value => stringify(value === undefined ? null : value) ?? 'null';
  return exported => {
    const call = exported.answer;
    if (typeof call !== 'function') throw new Type('it exports no function answer');
    return given => {
      const asked = parse(given);
      at = asked.at;
      const value = call(asked.request);
      const waits = typeof value === 'object' && value !== null && typeof value.then === 'function';
      return waits ? (async () => said(await value))() : said(value);
    };
  };
})()`;

type Opened = { readonly ok: true; readonly module: SandboxModule } | SandboxFailure;

export class FunctionRuns {
  readonly #sandbox: Sandbox;
  readonly #source: string;
  #ahead: Promise<Opened> | null = null;
  #rest: NodeJS.Timeout | null = null;
  /** Ends with the newest call: they run one after the other, so that a file has one thread. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(sandbox: Sandbox, source: string) {
    this.#sandbox = sandbox;
    this.#source = source;
  }

  /** What `answer` returned, as JSON; undefined becomes null. Never rejects. */
  run(asked: Asked): Promise<SandboxRun> {
    const run = this.#last.then(() => this.#run(JSON.stringify(asked)));
    this.#last = run;
    return run;
  }

  close(): void {
    this.#closed = true;
    this.#letGo();
  }

  async #run(text: string): Promise<SandboxRun> {
    const opened = await this.#take();
    if (!opened.ok) return opened;
    const [run] = await opened.module.run([text]);
    await opened.module[Symbol.asyncDispose]();
    this.#makeAhead();
    return run!;
  }

  #take(): Promise<Opened> {
    const ahead = this.#ahead ?? this.#open();
    this.#ahead = null;
    clearTimeout(this.#rest ?? undefined);
    return ahead;
  }

  #makeAhead(): void {
    if (this.#closed) return;
    this.#ahead = this.#open();
    this.#rest = setTimeout(() => this.#letGo(), FUNCTION_AHEAD_MS_MAX).unref();
  }

  #letGo(): void {
    const ahead = this.#ahead;
    this.#ahead = null;
    clearTimeout(this.#rest ?? undefined);
    void ahead?.then(opened => (opened.ok ? opened.module[Symbol.asyncDispose]() : undefined));
  }

  #open(): Promise<Opened> {
    const limits = LIMITS;
    // The driver asks nothing.
    return this.#sandbox.open({ source: this.#source, driver: DRIVER, limits, ask: async () => '' });
  }
}
