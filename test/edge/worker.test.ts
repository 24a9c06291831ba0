// Each case of the contracts of the store, of the alarms and of what runs a user's modules, and a world, on real workerd: no network, no account.
import { join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import t from 'tap';
import { besideIt, ENGINE, engineBytes } from '../../scripts/edge-bundle.ts';
import { ALARMS_CONTRACT } from '../contract/alarms.ts';
import { ISOLATE_CONTRACT } from '../contract/isolate.ts';
import { SANDBOX_CONTRACT } from '../contract/sandbox.ts';
import { STORE_CONTRACT } from '../contract/store.ts';

const ALONE = [
  'a module that asks without end is ended',
  'a world takes calls, keeps entries and tells its timeline, also after it was opened again',
  'a socket of a twin that cannot go on with it is not put away',
  'a socket whose handshake is too long to be attached is not put away',
  'what is small is attached, what is larger stands in a row, and what is larger than that in none',
  'a socket that nobody used for an hour is ended, and the object is roused to look',
  'rows of sockets that ended with the runtime are dropped, those of others stay',
  'bytes too large for a row go to the bucket, and a twin that needs them gets them from there',
];

const bundled = await build({
  entryPoints: [join(import.meta.dirname, 'worker.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'import', 'default'],
  external: ['cloudflare:workers', 'node:crypto'],
  plugins: [besideIt],
});
const workerd = new Miniflare({
  modulesRoot: '/',
  modules: [
    { type: 'ESModule', path: '/worker.js', contents: bundled.outputFiles[0]!.text },
    { type: 'CompiledWasm', path: `/${ENGINE.file}`, contents: await engineBytes() },
  ],
  compatibilityDate: '2026-07-01',
  compatibilityFlags: ['nodejs_compat'],
  durableObjects: { CASES: { className: 'Cases', useSQLite: true } },
  r2Buckets: ['BUCKET'],
  cf: false,
});
t.teardown(() => workerd.dispose());

const names = [...STORE_CONTRACT, ...ALARMS_CONTRACT, ...ISOLATE_CONTRACT, ...SANDBOX_CONTRACT].map(
  ({ name }) => name,
);
for (const name of [...names, ...ALONE]) {
  t.test(name, async t => {
    const answer = await workerd.dispatchFetch(`http://edge.test/?case=${encodeURIComponent(name)}`);
    t.equal(await answer.json(), null);
  });
}
