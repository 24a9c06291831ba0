// Each case of the store's contract and of the alarms', and a world, on real workerd: no network, no account.
import { join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import t from 'tap';
import { ALARMS_CONTRACT } from '../contract/alarms.ts';
import { STORE_CONTRACT } from '../contract/store.ts';

const WORLD = [
  'a world takes calls, keeps entries and tells its timeline, also after it was opened again',
  'bytes too large for a row go to the bucket, and a twin that needs them gets them from there',
];

const bundled = await build({
  entryPoints: [join(import.meta.dirname, 'worker.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  external: ['cloudflare:workers', 'node:crypto'],
});
const workerd = new Miniflare({
  modules: true,
  script: bundled.outputFiles[0]!.text,
  compatibilityDate: '2026-07-01',
  compatibilityFlags: ['nodejs_compat'],
  durableObjects: { CASES: { className: 'Cases', useSQLite: true } },
  r2Buckets: ['BUCKET'],
  cf: false,
});
t.teardown(() => workerd.dispose());

const names = [...STORE_CONTRACT, ...ALARMS_CONTRACT].map(({ name }) => name);
for (const name of [...names, ...WORLD]) {
  t.test(name, async t => {
    const answer = await workerd.dispatchFetch(`http://edge.test/?case=${encodeURIComponent(name)}`);
    t.equal(await answer.json(), null);
  });
}
