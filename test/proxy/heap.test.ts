import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

const HEAP = join(import.meta.dirname, '../../proxy/heap.ts');
/** When the whole heap is marked is V8's choice of the moment: of several processes each, the sums are far apart. */
const ROUNDS = 2;

/** Lets a gibibyte of buffers pass beside a heap as a proxy's, and says how often all of it was collected. */
const BODIES = `
  const { constants, PerformanceObserver } = require('node:perf_hooks');
  const turn = () => new Promise(resolve => setImmediate(resolve));
  globalThis.held = Array.from({ length: 200_000 }, (_, n) => ({ n, text: String(n) }));
  let majors = 0;
  const observer = new PerformanceObserver(list => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majors++;
  });
  (async () => {
    globalThis.gc();
    observer.observe({ entryTypes: ['gc'] });
    for (let nth = 0; nth < 65_536; nth++) {
      Buffer.allocUnsafeSlow(16_384);
      if (nth % 64 === 0) await turn();
    }
    await turn();
    console.log(majors);
  })();
`;

function collections(...flags: readonly string[]): number {
  let sum = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const args = ['--no-warnings', '--expose-gc', ...flags, '--eval', BODIES];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    t.match(stdout, /^\d+\n$/, stderr);
    sum += Number(stdout);
  }
  return sum;
}

t.test('bodies that pass through do not have the whole heap marked', t => {
  const usual = collections();
  const ours = collections('--import', HEAP);
  t.ok(ours < usual, `${ours} collections of the whole heap, and ${usual} as it usually is`);
  t.end();
});
