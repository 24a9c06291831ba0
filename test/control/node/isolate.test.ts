// [4.7] The suite of the isolate on Node, and what it tells of what went wrong.
import t from 'tap';
import { ThreadIsolate } from '../../../control/node/isolate.ts';
import { ISOLATE_CONTRACT } from '../../contract/isolate.ts';
import { runContract } from '../../kit/run-contract.ts';

const isolate = new ThreadIsolate();
t.teardown(() => isolate[Symbol.asyncDispose]());
const LIMITS = { ms: 5_000, memoryBytes: 64 * 1024 * 1024 };

runContract(t, ISOLATE_CONTRACT, () => ({ isolate }));

t.test('types are stripped, and a place is the one in the file', async t => {
  const source = 'type A = { n: number };\nexport function f(a: A): number {\n  return a.n + missing;\n}\n';
  t.match(await isolate.call(source, 'f', [{ n: 1 }], LIMITS), {
    why: 'threw',
    message: 'missing is not defined (line 3, column 16)',
  });
  t.match(await isolate.call('export function f() {\n  return (;\n}', 'f', [], LIMITS), { why: 'source' });
});

t.test('a promise is waited for; one that never comes is told', async t => {
  t.same(await isolate.call('export const f = async (a) => await a + 1;', 'f', [1], LIMITS), {
    ok: true,
    value: 2,
  });
  t.match(await isolate.call('export const f = () => new Promise(() => {});', 'f', [], LIMITS), {
    why: 'threw',
    message: 'it waits for what never comes',
  });
});

t.test('nothing is imported, by no way of writing it', async t => {
  for (const source of [
    "import fs from 'node:fs'; export const f = () => fs.readdirSync('/');",
    "export const f = () => import('node:fs').then(fs => fs.readdirSync('/'));",
    "export const f = () => import /* so */ ('node:fs').catch(e => e.constructor.constructor('return process')().pid);",
    "export const f = () => { try { null.x } catch (e) { return e.constructor.constructor('return process')().pid } };",
  ]) {
    const run = await isolate.call(source, 'f', [], LIMITS);
    t.notOk(run.ok, source);
  }
});
