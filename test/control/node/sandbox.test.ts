// [4.7] The sandbox on Node: all that an isolate promises, and what a module asks, prints, catches and breaks.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import t from 'tap';
import { SANDBOX_LONG_MS, SANDBOX_NICE } from '../../../control/node/limits.ts';
import { threadSandbox } from '../../../control/node/sandbox.ts';
import type { SandboxAsk, SandboxModule, SandboxRun } from '../../../control/ports/sandbox.ts';
import { ISOLATE_CONTRACT } from '../../contract/isolate.ts';
import { openModule, SANDBOX_CONTRACT, SANDBOX_DRIVER, SANDBOX_LIMITS } from '../../contract/sandbox.ts';
import { runContract } from '../../kit/run-contract.ts';
import { asIsolate } from '../../kit/sandbox-isolate.ts';

const LIMITS = SANDBOX_LIMITS;
const host = { sandbox: threadSandbox };

runContract(t, ISOLATE_CONTRACT, () => ({ isolate: asIsolate(threadSandbox) }));
runContract(t, SANDBOX_CONTRACT, () => host);

const opened = (source: string, more: Partial<SandboxAsk> = {}): Promise<SandboxModule> =>
  openModule(host, source, more);

const outcome = (run: SandboxRun | undefined): string | undefined =>
  run === undefined ? undefined : run.ok ? run.text : run.why;

t.test('an answer may take longer than a call: its own time stands still', async t => {
  let asked = 0;
  await using module = await opened('export const f = (text, ask) => ask(text);', {
    limits: { ...LIMITS, callMs: 60 },
    // Three times the watch goes round; the answer comes by what is counted.
    ask: async question => {
      asked += 1;
      await new Promise(resolve => setTimeout(resolve, 250));
      return question;
    },
  });
  t.same(await module.run(['x', 'y']), [
    { ok: true, text: 'x' },
    { ok: true, text: 'y' },
  ]);
  t.equal(asked, 2);
});

const isLinux = process.platform === 'linux';
/** Fields of a thread's `stat`, counted from the third: the second may have spaces. Null of one that has ended meanwhile. */
const statOf = (thread: string): readonly number[] | null => {
  try {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return null;
  }
};
const threads = (): readonly (readonly number[])[] =>
  readdirSync('/proc/self/task').flatMap(thread => {
    const stat = statOf(thread);
    return stat === null ? [] : [stat];
  });
const NICE = 16;
const POLICY = 38;
const SCHED_IDLE = 5;

t.test(
  'on Linux its thread goes behind whoever answers',
  { skip: isLinux ? false : 'not on Linux' },
  async t => {
    await using module = await opened('export const f = text => text;');
    t.same(await module.run(['x']), [{ ok: true, text: 'x' }]);
    const own = getPriority();
    t.ok(threads().some(stat => stat[NICE] === Math.min(own + SANDBOX_NICE, 19)));
    t.equal(statOf(String(process.pid))![NICE], own, 'the loop stays where it is');
  },
);

/** Whether a process of these rights leaves that class again. */
const mayReturn = spawnSync('chrt', ['-i', '0', 'chrt', '-o', '0', 'chrt', '-m']).status === 0;
t.test(
  'on Linux a call that takes long runs only where nobody else would; the next has a processor again',
  { skip: isLinux && mayReturn ? false : 'not on Linux, without chrt or without CAP_SYS_NICE' },
  async t => {
    const last = (): number => threads().filter(stat => stat[POLICY] === SCHED_IDLE).length;
    {
      await using module = await opened(
        'export const f = text => { for (;;) if (text === "x") return text; };',
        {
          limits: { ...LIMITS, callMs: 10 * SANDBOX_LONG_MS },
        },
      );
      t.same(await module.run(['x']), [{ ok: true, text: 'x' }]);
      t.equal(last(), 0, 'what takes no time goes nowhere');
      let over = false;
      const runs = module.run(['y']).finally(() => {
        over = true;
      });
      let seen = 0;
      while (!over) {
        seen = Math.max(seen, last());
        await new Promise(resolve => setTimeout(resolve, 1));
      }
      t.equal(outcome((await runs)[0]), 'time');
      t.equal(seen, 1);
    }
    await using module = await opened('export const f = text => text;');
    t.same(await module.run(['x']), [{ ok: true, text: 'x' }]);
    t.equal(last(), 0);
  },
);

t.test('its interruption is nothing that it can catch, by no way of writing it', async t => {
  for (const body of [
    'for (;;) { try { for (;;); } catch {} finally { continue; } }',
    'return new Proxy({}, { get() { for (;;); } }).x;',
    'return String({ toString() { for (;;); } });',
    'throw { get message() { for (;;); } };',
    'return (async () => { for (;;) await 0; })();',
    'return [2, 1].sort(() => { for (;;); }).join();',
    'return String(/(a+)+$/.test("a".repeat(40) + "b"));',
  ]) {
    await using module = await opened(`export const f = () => { ${body} };`, {
      limits: { ...LIMITS, callMs: 200 },
    });
    const runs = await module.run(['first', 'second']);
    t.same(runs.map(outcome), ['time'], body);
  }
});

t.test('what the engine cannot stop by itself ends with its thread', async t => {
  // One step to the engine, which takes it minutes.
  const search = '"a".repeat(2_000_000).includes("a".repeat(1_000_000) + "b")';
  await using module = await opened(`export const f = () => String(${search});`, {
    limits: { ...LIMITS, callMs: 150 },
  });
  const ended = [{ ok: false, why: 'time', message: 'over 150 ms, in one step' }];
  t.same(await module.run(['x']), ended);
  t.same(await module.run(['y']), ended, 'and stays ended');
});

t.test('too much memory or too deep a call ends it or is thrown, alone', async t => {
  for (const [body, why] of [
    ['const all = []; for (;;) all.push(new Array(1000).fill(all.length));', 'memory'],
    ['return "x".repeat(1e9);', 'memory'],
    ['return String(new Uint8Array(1e9).length);', 'memory'],
    ['const deep = () => deep() + 1; return String(deep());', 'threw'],
    ['return eval("(".repeat(1e5));', 'threw'],
  ] as const) {
    await using module = await opened(`export const f = () => { ${body} };`, {
      limits: { ...LIMITS, callMs: 30_000 },
    });
    t.same((await module.run(['x'])).map(outcome), [why], body);
  }
});

t.test('one that ends as it begins is told, with the line', async t => {
  const source = async (text: string, callMs = 1_000) => {
    const result = await threadSandbox.open({
      source: text,
      driver: SANDBOX_DRIVER,
      limits: { ...LIMITS, callMs },
      ask: async () => '',
    });
    if (!result.ok) return `${result.why}: ${result.message}`;
    await result.module[Symbol.asyncDispose]();
    return 'opened';
  };
  t.match(await source('export const f = (\n  1;'), /^source: .*\(line 2/);
  t.match(await source('const a = 1;\nnull.x;\nexport const f = 1;'), /^source: .*\(line 2/);
  t.match(await source('throw null; export const f = 1;'), /^source: /);
  t.match(await source('await new Promise(() => {}); export const f = 1;'), /^source: .*never comes/);
  t.match(await source("import fs from 'node:fs'; export const f = 1;"), /^source: .*node:fs/);
  t.match(await source('for (;;); export const f = 1;', 100), /^time: /);
  t.equal(await source('export const f: () => number = () => 1;'), 'opened', 'types are stripped');
});
