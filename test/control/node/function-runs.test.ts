// What runs the functions of a file: types, places, promises, and that no call sees anything of another.
import t from 'tap';
import { FunctionRuns } from '../../../control/node/function-runs.ts';
import { threadSandbox } from '../../../control/node/sandbox.ts';

const AT = Date.UTC(2030, 0, 1);

const open = (source: string): FunctionRuns => new FunctionRuns(threadSandbox, source);
const run = (runs: FunctionRuns, request: unknown = null) => runs.run({ at: AT, request });
const runOnce = async (source: string, request: unknown = null) => {
  const runs = open(source);
  const said = await run(runs, request);
  runs.close();
  return said;
};

t.test('types are stripped, and a place is the one in the file', async t => {
  const source =
    'type A = { n: number };\nexport function answer(a: A): number {\n  return a.n + missing;\n}\n';
  t.match(await runOnce(source, { n: 1 }), { why: 'threw', message: /missing.* is not defined \(line 3, / });
  t.match(await runOnce('export function answer() {\n  return (;\n}'), { why: 'source' });
  t.match(await runOnce('export const reply = 1;'), {
    why: 'source',
    message: /it exports no function answer/,
  });
});

t.test('a promise is waited for; one that never comes is told', async t => {
  const source = 'export const answer = async a => await a + 1;';
  t.same(await runOnce(source, 1), { ok: true, text: '2' });
  t.match(await runOnce('export const answer = () => new Promise(() => {});'), {
    why: 'threw',
    message: 'it waits for what never comes',
  });
});

t.test('calls that come at once are answered, and none sees anything of another', async t => {
  const runs = open(
    'let n = 0; export const answer = a => { globalThis.n = ++n; return [a, globalThis.n]; };',
  );
  const said = await Promise.all([1, 2, 3].map(a => run(runs, a)));
  t.same(
    said,
    ['[1,1]', '[2,1]', '[3,1]'].map(text => ({ ok: true, text })),
  );
  runs.close();
  t.same(await run(runs, 4), { ok: true, text: '[4,1]' }, 'one that was asked before it closed is answered');
  runs.close();
});

t.test('one that never ends, or eats, ends alone; the next is answered', async t => {
  const runs = open(
    "export const answer = a => { if (a === 'loop') for (;;); const all = []; while (a === 'eat') all.push('x'.repeat(1000) + all.length); return a; };",
  );
  const said = await Promise.all(['loop', 'a', 'eat', 'b'].map(a => run(runs, a)));
  t.match(said, [{ why: 'time' }, { text: '"a"' }, { ok: false }, { text: '"b"' }]);
  runs.close();
});

t.test('Date stands at the instant of the call, and there is no chance', async t => {
  t.same(await runOnce('export const answer = () => [new Date(), Date.now()];'), {
    ok: true,
    text: JSON.stringify([new Date(AT), AT]),
  });
  t.match(await runOnce('export const answer = () => Math.random();'), {
    why: 'threw',
    message: /no randomness/,
  });
});

t.test('nothing is imported, by no way of writing it, and there is nothing to reach', async t => {
  for (const source of [
    "import fs from 'node:fs'; export const answer = () => fs.readdirSync('/');",
    "export const answer = () => import('node:fs').then(fs => fs.readdirSync('/'));",
    "export const answer = () => { try { null.x } catch (e) { return e.constructor.constructor('return process')().pid } };",
    "export const answer = () => fetch('https://example.com/');",
  ])
    t.notOk((await runOnce(source)).ok, source);
});

t.test('what says too much has failed', async t => {
  t.match(await runOnce("export const answer = () => 'x'.repeat(9 * 1024 * 1024);"), {
    why: 'threw',
    message: /more than 8388608 characters/,
  });
});
