import { constants, PerformanceObserver } from 'node:perf_hooks';
import t from 'tap';
import '../../proxy/heap.ts';

const BYTES = 1024 * 1024 * 1024;
const CHUNK_BYTES = 16 * 1024;

t.test('bodies that pass through do not have the whole heap marked', async t => {
  let majors = 0;
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as typeof entry & { readonly detail: { readonly kind: number } };
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majors++;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let nth = 0; nth < BYTES / CHUNK_BYTES; nth++) {
    Buffer.allocUnsafeSlow(CHUNK_BYTES);
    if (nth % 64 === 0) await new Promise(resolve => setImmediate(resolve));
  }
  await new Promise(resolve => setImmediate(resolve));
  observer.disconnect();
  t.ok(majors <= 6, `${majors} collections of the whole heap`);
});
