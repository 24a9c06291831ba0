// One check under way: opened in the host's sandbox, shown entries page by page, asked for a verdict of each.
import { parseJson } from '../../../policy/json-text.ts';
import type { Sandbox, SandboxFailure, SandboxModule, SandboxRun } from '../../ports/sandbox.ts';
import {
  CHECK_MEMORY_BYTES_MAX,
  CHECK_MS_MAX,
  CHECK_PRINTED_CHARS_MAX,
  CHECK_SAID_CHARS_MAX,
} from '../limits.ts';
import type { Entry } from '../log/entry.ts';
import { type Asked, CHECK_DRIVER, type Question, type Verdict } from './driver.ts';
import type { Tree } from './tree.ts';

const LIMITS = {
  callMs: CHECK_MS_MAX,
  memoryBytes: CHECK_MEMORY_BYTES_MAX,
  printedChars: CHECK_PRINTED_CHARS_MAX,
  saidChars: CHECK_SAID_CHARS_MAX,
};

type Around = { readonly sandbox: Sandbox; readonly tree: Tree };

export class CheckRun implements AsyncDisposable {
  readonly #module: SandboxModule;
  /** It ended, and looks at nothing more. */
  over = false;

  constructor(module: SandboxModule) {
    this.#module = module;
  }

  static async open(
    { sandbox, tree }: Around,
    source: string,
  ): Promise<
    { readonly ok: true; readonly check: CheckRun } | { readonly ok: false; readonly message: string }
  > {
    const opened = await sandbox.open({
      source,
      driver: CHECK_DRIVER,
      limits: LIMITS,
      ask: question => tree.answer(JSON.parse(question) as Question),
    });
    return opened.ok
      ? { ok: true, check: new CheckRun(opened.module) }
      : { ok: false, message: endOf(opened) };
  }

  /** What is wrong with which of them. */
  async look(
    entries: readonly Entry[],
  ): Promise<readonly { readonly entry: string; readonly message: string }[]> {
    const texts = entries.map(entry => {
      const asked: Asked = { at: Date.parse(entry.occurredAt), entry };
      return JSON.stringify(asked);
    });
    const runs = await this.#module.run(texts);
    const failures: { entry: string; message: string }[] = [];
    for (const [n, run] of runs.entries()) {
      const message = faultOf(run);
      if (message !== null) failures.push({ entry: entries[n]!.id, message });
    }
    this.over = runs.length < entries.length || runs.some(run => !run.ok && run.why !== 'threw');
    return failures;
  }

  get printed(): string {
    return this.#module.printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#module[Symbol.asyncDispose]();
  }
}

/** Null where the check has nothing against it. */
const faultOf = (run: SandboxRun): string | null => {
  if (!run.ok) return endOf(run);
  const said = parseJson(run.text);
  const verdict = (said.ok ? said.value : null) as Verdict | null;
  if (verdict?.ok === true) return null;
  if (verdict?.ok !== false || typeof verdict.message !== 'string') return 'it said what is no verdict';
  const { message, stack } = verdict;
  return typeof stack === 'string' ? `it threw: ${withPlace(message, stack)}` : message;
};

const WORDS: { readonly [why in SandboxFailure['why']]: string } = {
  source: '',
  threw: 'it threw: ',
  time: 'it was ended: ',
  memory: 'it was ended: ',
};

const endOf = ({ why, message }: SandboxFailure): string => `${WORDS[why]}${message}`;

/** The first line, and where in the check it was: the engine calls it `module`. */
const withPlace = (message: string, stack: string): string => {
  const [line = ''] = message.split('\n');
  const [, at] = /\bmodule:(\d+)/.exec(stack) ?? [];
  return at === undefined ? line : `${line} (line ${at})`;
};
