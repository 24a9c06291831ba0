// The thread of sandbox.ts: one module after the other, each in an engine of its own.
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import release from '@jitl/quickjs-wasmfile-release-sync';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import type { SandboxRun } from '../ports/sandbox.ts';
import { type Engine, type OpenedEngine, openEngine } from '../quickjs/engine.ts';
import { SANDBOX_NICE } from './limits.ts';
import { LongCall } from './long-call.ts';
import { processor } from './processor.ts';
import { ANSWERED, CALLS, type SandboxOrder, type SandboxStart, type SandboxWord } from './sandbox.ts';
import { ThreadPriority } from './thread-priority.ts';

const port = parentPort!;
const { bell } = workerData as SandboxStart;
const say = (word: SandboxWord): void => port.postMessage(word);

/** Stands still until there is an order. */
const nextOrder = (): SandboxOrder => {
  for (;;) {
    const rung = Atomics.load(bell, ANSWERED);
    const received = receiveMessageOnPort(port) as { readonly message: SandboxOrder } | undefined;
    if (received !== undefined) return received.message;
    Atomics.wait(bell, ANSWERED, rung);
  }
};

const ask = (question: string): string => {
  say({ asks: question });
  const order = nextOrder();
  if ('answer' in order) return order.answer;
  throw new Error('fault' in order ? order.fault : 'there was no answer');
};

const priority = new ThreadPriority();
const call = new LongCall(priority);

/**
 * Of this thread's own time: on a busy machine a module has as much as on an idle one. Milliseconds. The engine asks again
 * and again while it runs.
 */
const now = (): number => {
  const spent = processor.spent();
  call.look(spent, Date.now);
  return spent;
};

// Its types are those of the package as CommonJS, where it lies one level deeper.
const variant = release as unknown as QuickJSSyncVariant;
const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
const { Module } = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => never } })
  .WebAssembly;
const parts = { variant, wasm: new Module(readFileSync(file)), now };

// Only now: a thread that starts slowly makes the first of them wait.
priority.lower(SANDBOX_NICE);
let engine: Engine | null = null;
for (;;) {
  const order = nextOrder();
  call.begin(processor.spent());
  if ('open' in order) {
    const opened: OpenedEngine = await openEngine(parts, {
      ...order.open,
      source: stripped(order.open.source),
      ask,
    });
    engine = opened.ok ? opened.engine : null;
    call.end();
    say({ began: opened.ok ? null : opened, printed: engine?.printed ?? '' });
  } else if ('close' in order) engine = null;
  else if ('run' in order && engine !== null) {
    const ran: SandboxRun[] = [];
    for (const text of order.run) {
      Atomics.add(bell, CALLS, 1);
      ran.push(engine.run(text));
      if (engine.over) break;
    }
    call.end();
    say({ ran, printed: engine.printed });
  }
}

/** Types leave blanks behind, so that places stay. What has none and cannot be read is the engine's to judge. */
function stripped(text: string): string {
  try {
    return stripTypeScriptTypes(text);
  } catch {
    return text;
  }
}
