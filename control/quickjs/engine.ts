// One module of a user's in QuickJS, compiled to WebAssembly: an engine of its own for each, in a memory of its own that
// cannot grow beyond its bound. (QuickJS's own limit counts no bytes in this build.) The language and nothing else: no
// clock is read but for the bound on time, and nothing of the host is in it but two functions that take and give texts.
import {
  type CustomizeVariantOptions,
  errors,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type SuccessOrFail,
} from 'quickjs-emscripten-core';
import type { SandboxFailure, SandboxLimits, SandboxRun } from '../ports/sandbox.ts';
import { ENGINE_PAGES_MIN, ENGINE_STACK_BYTES, PAGE_BYTES } from './limits.ts';

export type EngineParts = {
  readonly variant: QuickJSSyncVariant;
  /** Compiled by the host: one of the two compiles nothing while it runs. */
  readonly wasm: NonNullable<CustomizeVariantOptions['wasmModule']>;
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
};

export type EngineAsk = {
  /** JavaScript. */
  readonly source: string;
  readonly driver: string;
  readonly limits: SandboxLimits;
  /** At once: whoever runs the engine waits for it. */
  readonly ask: (question: string) => string;
};

/** What the stack of an error calls the user's module. */
export const MODULE_NAME = 'module';

type GivenMemory = NonNullable<CustomizeVariantOptions['wasmMemory']> & { readonly buffer: ArrayBuffer };

/** Every host has it; the types of one of them do not. */
const { Memory } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Memory: new (pages: { initial: number; maximum: number }) => GivenMemory;
    };
  }
).WebAssembly;

/** Said of a module by us, and thrown by nobody's code. */
class Told extends Error {}

export type OpenedEngine = { readonly ok: true; readonly engine: Engine } | SandboxFailure;

export const openEngine = async (parts: EngineParts, asked: EngineAsk): Promise<OpenedEngine> => {
  const { memoryBytes } = asked.limits;
  const maximum = Math.max(Math.floor(memoryBytes / PAGE_BYTES), ENGINE_PAGES_MIN);
  const wasmMemory = new Memory({ initial: ENGINE_PAGES_MIN, maximum });
  const variant = newVariant(parts.variant, { wasmModule: parts.wasm, wasmMemory });
  const quickjs = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(ENGINE_STACK_BYTES);
  const context = runtime.newContext();
  const engine = new Engine({ ...parts, ...asked, runtime, context, memory: wasmMemory });
  const failure = engine.begin();
  return failure ?? { ok: true, engine };
};

type Parts = EngineParts &
  EngineAsk & {
    readonly runtime: QuickJSRuntime;
    readonly context: QuickJSContext;
    readonly memory: GivenMemory;
  };

/** All that a module is between two calls. */
export type EngineState = { readonly bytes: Uint8Array; readonly printed: string };

export class Engine {
  readonly #parts: Parts;
  #call: QuickJSHandle | null = null;
  #deadline = Number.POSITIVE_INFINITY;
  /** It ran until it was stopped. */
  #stopped = false;
  /** How it ended: nothing of it can be called any more. */
  #end: SandboxFailure | null = null;
  printed = '';

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.runtime.setInterruptHandler(() => {
      if (parts.now() < this.#deadline) return false;
      this.#stopped = true;
      return true;
    });
  }

  /** Null when there is something to call. */
  begin(): SandboxFailure | null {
    const { context, driver, source } = this.#parts;
    const made = this.#bounded(() => {
      const drive = this.#value(context.evalCode(`(${driver})`, 'driver'));
      const exported = this.#settled(this.#value(context.evalCode(source, MODULE_NAME, { type: 'module' })));
      if (exported === null) throw new Told('it waits for what never comes as it begins');
      const ask = context.newFunction('ask', question => this.#ask(question));
      const print = context.newFunction('print', line => this.#print(line));
      return this.#value(context.callFunction(drive, context.undefined, exported, ask, print));
    });
    if (!made.ok) {
      this.#end = made.why === 'threw' ? { ...made, why: 'source' } : made;
      return this.#end;
    }
    this.#call = made.value;
    return null;
  }

  get over(): boolean {
    return this.#end !== null;
  }

  /** A copy of it all, some MiB. */
  state(): EngineState {
    return { bytes: new Uint8Array(this.#parts.memory.buffer).slice(), printed: this.printed };
  }

  /** As if what was called since had never been; not once it was out of room, which leaves the engine itself half way. */
  goBack({ bytes, printed }: EngineState): void {
    const memory = new Uint8Array(this.#parts.memory.buffer);
    memory.set(bytes);
    memory.fill(0, bytes.length);
    this.printed = printed;
    this.#end = null;
  }

  run(text: string): SandboxRun {
    const { context, limits } = this.#parts;
    if (this.#end !== null) return this.#end;
    const ran = this.#bounded(() => {
      const given = context.newString(text);
      const result = context.callFunction(this.#call!, context.undefined, given);
      given.dispose();
      const settled = this.#settled(this.#value(result));
      if (settled === null) throw new Told('it waits for what never comes');
      const said = context.getString(settled);
      settled.dispose();
      if (said.length > limits.saidChars) throw new Told(`it said more than ${limits.saidChars} characters`);
      return said;
    });
    return ran.ok ? { ok: true, text: ran.value } : ran;
  }

  /** What was thrown may be anything, such as what becomes no text. */
  #value<T>(result: SuccessOrFail<T, QuickJSHandle>): T {
    try {
      return this.#parts.context.unwrapResult(result);
    } catch (error) {
      throw error instanceof TypeError ? new Told('something was thrown') : error;
    }
  }

  #bounded<T>(work: () => T): { readonly ok: true; readonly value: T } | SandboxFailure {
    const { now, limits } = this.#parts;
    this.#stopped = false;
    this.#deadline = now() + limits.callMs;
    try {
      return { ok: true, value: work() };
    } catch (error) {
      const failure = this.#failure(error);
      if (failure.why !== 'threw') this.#end = failure;
      return failure;
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
    }
  }

  #failure(error: unknown): SandboxFailure {
    const { callMs, memoryBytes } = this.#parts.limits;
    if (this.#stopped) return { ok: false, why: 'time', message: `over ${callMs} ms` };
    const { name, message, stack } = error as Error;
    const thrown = error instanceof errors.QuickJSUnwrapError;
    // Where the engine itself gives way, it was out of room: on its heap or on the stack that it stands on.
    if (!(thrown || error instanceof Told) || (name === 'InternalError' && message === 'out of memory'))
      return { ok: false, why: 'memory', message: `over ${memoryBytes} bytes of memory` };
    return { ok: false, why: 'threw', message: placed(message, thrown ? String(stack) : '') };
  }

  /** What a promise comes to, or the value that is none; null for a promise that nothing will settle. */
  #settled(handle: QuickJSHandle): QuickJSHandle | null {
    const { context, runtime } = this.#parts;
    const jobs = runtime.executePendingJobs();
    if (jobs.error) this.#value(jobs);
    const state = context.getPromiseState(handle);
    if (state.type === 'pending') return null;
    if (state.type === 'rejected') return this.#value(state);
    return state.value;
  }

  #ask(question: QuickJSHandle): QuickJSHandle {
    const { context, ask, now } = this.#parts;
    const from = now();
    const answer = ask(context.getString(question));
    // While it waits for its host its own time stands still.
    this.#deadline += now() - from;
    return context.newString(answer);
  }

  #print(line: QuickJSHandle): void {
    const { context, limits } = this.#parts;
    const room = limits.printedChars - this.printed.length;
    if (room > 0) this.printed += `${context.getString(line)}\n`.slice(0, room);
  }
}

const PLACE = new RegExp(`\\b${MODULE_NAME}:(\\d+)(?::(\\d+))?`);

/** A line of it, with where in the user's module it was. */
export const placed = (message: string, stack: string): string => {
  const [line = ''] = message.split('\n');
  const [, at, column] = PLACE.exec(stack) ?? [];
  if (at === undefined) return line;
  return `${line} (line ${at}${column === undefined ? '' : `, column ${column}`})`;
};
