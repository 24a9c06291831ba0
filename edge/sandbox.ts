// Modules of a world's users on the edge, each in QuickJS (control/quickjs/engine.ts) in the object itself: a worker has no
// threads. What a module asks is not known at once, and an engine that runs cannot be held: it is stopped, set back to where
// the call began, and called again when the answer is there. No clock goes on meanwhile either, so its looks are counted; what
// never comes to one (deep inside of one function of the engine's) is ended by the platform's own bound, with its object.

import release from '@jitl/quickjs-wasmfile-release-sync';
import engineWasm from '@jitl/quickjs-wasmfile-release-sync/wasm';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import type {
  Sandbox,
  SandboxAsk,
  SandboxFailure,
  SandboxModule,
  SandboxRun,
} from '../control/ports/sandbox.ts';
import { type Engine, type EngineState, openEngine } from '../control/quickjs/engine.ts';
import { CALL_QUESTIONS_MAX, ENGINE_LOOK_MS } from './limits.ts';

// Its types are those of the package as CommonJS, where it lies one level deeper.
const VARIANT = release as unknown as QuickJSSyncVariant;

export const engineSandbox: Sandbox = {
  open: async asked => {
    const answers = new Answers();
    let looks = 0;
    const parts = {
      variant: VARIANT,
      wasm: engineWasm,
      now: () => {
        looks += 1;
        // It runs for an answer that is not there: no need to.
        return answers.missing === null ? looks * ENGINE_LOOK_MS : Number.POSITIVE_INFINITY;
      },
    };
    const opened = await openEngine(parts, { ...asked, ask: question => answers.of(question) });
    return opened.ok ? { ok: true, module: new EngineModule(opened.engine, answers, asked) } : opened;
  },
};

/** What was asked so far. */
class Answers {
  readonly #known = new Map<string, { readonly text: string } | { readonly fault: string }>();
  missing: string | null = null;

  /** Throws while there is none. */
  of(question: string): string {
    const known = this.#known.get(question);
    if (known === undefined) this.missing ??= question;
    if (known === undefined || 'fault' in known) throw new Error(known?.fault ?? 'it is asked for');
    return known.text;
  }

  get size(): number {
    return this.#known.size;
  }

  async fetch(question: string, ask: SandboxAsk['ask']): Promise<void> {
    this.missing = null;
    try {
      this.#known.set(question, { text: await ask(question) });
    } catch (error) {
      this.#known.set(question, { fault: (error as Error).message });
    }
  }

  /** They are of one call: what the next asks is about another entry. */
  forget(): void {
    this.#known.clear();
  }
}

class EngineModule implements SandboxModule {
  #engine: Engine | null;
  readonly #answers: Answers;
  readonly #asked: SandboxAsk;
  #ended: SandboxFailure | null = null;
  /** It has asked before: where it was is kept before each call. */
  #asks = false;

  constructor(engine: Engine, answers: Answers, asked: SandboxAsk) {
    this.#engine = engine;
    this.#answers = answers;
    this.#asked = asked;
  }

  get printed(): string {
    return this.#engine?.printed ?? '';
  }

  async run(texts: readonly string[]): Promise<readonly SandboxRun[]> {
    const engine = this.#engine;
    if (engine === null) return [OVER];
    if (this.#ended !== null) return [this.#ended];
    const answers = this.#answers;
    const ran: SandboxRun[] = [];
    let from: { readonly n: number; readonly state: EngineState } = { n: 0, state: engine.state() };
    while (ran.length < texts.length) {
      const n = ran.length;
      if (this.#asks && from.n !== n) from = { n, state: engine.state() };
      const said = engine.run(texts[n]!);
      const { missing } = answers;
      // Out of room it cannot be set back.
      if (missing === null || (!said.ok && said.why === 'memory')) {
        answers.missing = null;
        ran.push(said);
        if (engine.over) break;
        if (this.#asks) answers.forget();
        continue;
      }
      this.#asks = true;
      if (answers.size >= CALL_QUESTIONS_MAX) {
        ran.push(TOO_CURIOUS);
        this.#ended = TOO_CURIOUS;
        break;
      }
      ran.length = from.n;
      engine.goBack(from.state);
      await answers.fetch(missing, this.#asked.ask);
    }
    return ran;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine = null;
  }
}

const OVER: SandboxFailure = { ok: false, why: 'threw', message: 'it has ended' };
/** Each is answered by calling it once more. */
const TOO_CURIOUS: SandboxFailure = {
  ok: false,
  why: 'time',
  message: `over ${CALL_QUESTIONS_MAX} questions in one call`,
};
