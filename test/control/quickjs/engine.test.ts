// [4.7] The engine by itself, as a host without threads has it: it is told the time, and asks at once.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import release from '@jitl/quickjs-wasmfile-release-sync';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import t from 'tap';
import { openEngine } from '../../../control/quickjs/engine.ts';

const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
const { Module } = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => never } })
  .WebAssembly;
const wasm = new Module(readFileSync(file));
const LIMITS = { callMs: 100, memoryBytes: 32 * 1024 * 1024, printedChars: 10, saidChars: 65_536 };

t.test('its time is the host’s clock, which stands still while the host answers', async t => {
  let now = 0;
  const opened = await openEngine(
    { variant: release as unknown as QuickJSSyncVariant, wasm, now: () => now },
    {
      source:
        'export const f = (text, ask) => text === "loop" ? (() => { for (;;) ask("tick"); })() : ask(text);',
      driver: '(exported, ask) => text => exported.f(text, ask)',
      limits: LIMITS,
      ask: question => {
        now += 1_000;
        return question;
      },
    },
  );
  if (!opened.ok) throw new Error(opened.message);
  const { engine } = opened;
  t.same(engine.run('x'), { ok: true, text: 'x' });
  t.same(engine.run('y'), { ok: true, text: 'y' }, 'a call has a time of its own');
  t.equal(now, 2_000);
});

t.test('two of them have nothing in common, and memory that does not grow over its bound', async t => {
  const open = () =>
    openEngine(
      { variant: release as unknown as QuickJSSyncVariant, wasm, now: () => performance.now() },
      {
        source:
          'export const f = text => { const was = typeof globalThis.kept; globalThis.kept = text; return was; };',
        driver: '(exported, ask, print) => text => { print("0123456789"); return exported.f(text); }',
        limits: { ...LIMITS, callMs: 5_000 },
        ask: () => '',
      },
    );
  const [one, two] = [await open(), await open()];
  if (!one.ok || !two.ok) throw new Error('not opened');
  t.same(one.engine.run('x'), { ok: true, text: 'undefined' });
  t.same(one.engine.run('x'), { ok: true, text: 'string' });
  t.same(two.engine.run('x'), { ok: true, text: 'undefined' });
  t.equal(one.engine.printed, '0123456789');
});
