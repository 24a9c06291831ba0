// What the core relies on when a host runs JavaScript of a world's users (control/ports/sandbox.ts; 4.7).
import type { Isolate, IsolateLimits } from '../kit/sandbox-isolate.ts';
import type { Case } from './suite.ts';

export type IsolateHost = { readonly isolate: Isolate };

const LIMITS: IsolateLimits = { ms: 5_000, memoryBytes: 64 * 1024 * 1024 };
/** Memory ends it, however long filling that takes. */
const GREEDY: IsolateLimits = { ...LIMITS, ms: 60_000 };
const SHORT: IsolateLimits = { ...LIMITS, ms: 300 };

const call = ({ isolate }: IsolateHost, body: string, args: readonly unknown[] = [], limits = LIMITS) =>
  isolate.call(`export function check(...args) { ${body} }`, 'check', args, limits);

/** Any value can be thrown, and some become no text. */
const ODD_THROWS = [
  'throw null;',
  'throw undefined;',
  "throw 'a text';",
  "throw Symbol('one');",
  'throw [];',
  'throw Object.create(null);',
  'throw { toString: 1 };',
  'throw { message: Object.create(null) };',
  "throw { message: 'm', stack: { toString() { throw 1; } } };",
  'throw { get message() { throw 2; } };',
  'throw new Proxy({}, { get() { throw 3; } });',
];

const RUNS: readonly Case<IsolateHost>[] = [
  {
    name: 'a function gets its arguments and returns, as JSON says them',
    run: async (host, is) => {
      const args = [{ a: [1, 'ü', null] }, 2];
      is.same(await call(host, 'return { got: args, sum: args[1] + 1 };', args), {
        ok: true,
        value: { got: args, sum: 3 },
      });
      is.same(await call(host, ''), { ok: true, value: null }, 'undefined becomes null');
      is.same(await call(host, 'return { when: new Date(0), gone: undefined, odd: NaN };'), {
        ok: true,
        value: { when: '1970-01-01T00:00:00.000Z', odd: null },
      });
    },
  },
  {
    name: 'the arguments are copies, and one run sees nothing of another',
    run: async (host, is) => {
      const given = { list: [1] };
      await call(host, 'args[0].list.push(2); globalThis.kept = 1; Object.prototype.kept = 1;', [given]);
      is.same(given, { list: [1] });
      is.same(await call(host, 'return [typeof kept, typeof ({}).kept];'), {
        ok: true,
        value: ['undefined', 'undefined'],
      });
      is.equal(({} as { kept?: number }).kept, undefined);
    },
  },
  {
    name: 'several run at once',
    run: async (host, is) => {
      const runs = await Promise.all([1, 2, 3].map(n => call(host, 'return args[0] * 2;', [n])));
      is.same(
        runs.map(run => run.ok && run.value),
        [2, 4, 6],
      );
    },
  },
  {
    name: 'what is no module, or exports no such function, is said to be',
    run: async ({ isolate }, is) => {
      for (const source of [
        'export function check( {',
        '',
        'export const check = 1;',
        'function check() {}',
      ]) {
        const run = await isolate.call(source, 'check', [], LIMITS);
        is.equal(run.ok ? 'ran' : run.why, 'source', source);
      }
    },
  },
  {
    name: 'whatever a module throws as it begins is its own fault, told in a line',
    run: async ({ isolate }, is) => {
      for (const body of ODD_THROWS) {
        const run = await isolate.call(`${body} export function check() {}`, 'check', [], LIMITS);
        is.equal(run.ok ? 'ran' : run.why, 'source', body);
        is.ok(!run.ok && !run.message.includes('\n'), body);
      }
    },
  },
  {
    name: 'what it throws ends it, told in a line',
    run: async (host, is) => {
      for (const body of [
        "throw new Error('no\\nnot at all');",
        ...ODD_THROWS,
        'undefined.x;',
        'const o = {}; o.o = o; return o;',
        'return 1n;',
      ]) {
        const run = await call(host, body);
        is.equal(run.ok ? 'ran' : run.why, 'threw', body);
        is.ok(!run.ok && !run.message.includes('\n'), body);
      }
    },
  },
];

const BOUNDS: readonly Case<IsolateHost>[] = [
  {
    name: 'it reaches nothing: no network, no files, no process, no host',
    run: async (host, is) => {
      const names = 'process,require,module,fetch,XMLHttpRequest,WebSocket,Worker,Deno,Bun,caches,navigator';
      const found = await call(
        host,
        'return args[0].filter(name => typeof globalThis[name] !== "undefined");',
        [names.split(',')],
      );
      is.same(found, { ok: true, value: [] });
      for (const reach of [
        'return this.constructor.constructor("return process.pid")();',
        'return args.constructor.constructor("return process.pid")();',
        'return (async () => {}).constructor("return process.pid")();',
        'return require("node:fs").readdirSync("/");',
      ])
        is.ok(typeof (await outcome(host, reach)) !== 'number', reach);
      const imported = await call(
        host,
        'return import("node:fs").then(fs => { globalThis.reached = 1; }) instanceof Promise && typeof reached;',
      );
      is.ok(!imported.ok || imported.value === 'undefined');
    },
  },
  {
    name: 'one that never ends is ended, alone',
    run: async (host, is) => {
      const [endless, beside] = await Promise.all([
        call(host, 'for (;;);', [], SHORT),
        call(host, 'return 1;'),
      ]);
      is.equal(endless.ok ? 'ran' : endless.why, 'time');
      is.same(beside, { ok: true, value: 1 });
      const promises = await call(
        host,
        'const on = () => Promise.resolve().then(on); on(); return 1;',
        [],
        SHORT,
      );
      is.ok(promises.ok || promises.why === 'time', 'nor by promises');
    },
  },
  {
    name: 'one that takes too much memory is ended, alone',
    run: async (host, is) => {
      const [greedy, beside] = await Promise.all([
        call(
          host,
          'const all = []; for (let n = 0; ; n++) all.push({ n, text: "x".repeat(1000) + n });',
          [],
          GREEDY,
        ),
        call(host, 'return 1;'),
      ]);
      is.equal(greedy.ok ? 'ran' : greedy.why, 'memory');
      is.same(beside, { ok: true, value: 1 });
      is.same(await call(host, 'return 2;'), { ok: true, value: 2 });
    },
  },
];

const outcome = async (host: IsolateHost, body: string): Promise<unknown> => {
  const run = await call(host, body);
  return run.ok ? run.value : run.why;
};

export const ISOLATE_CONTRACT: readonly Case<IsolateHost>[] = [...RUNS, ...BOUNDS];
