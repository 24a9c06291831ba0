// The worker as it is uploaded (4.11): what it weighs, what it needs of its platform, and what describes its deployment.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'jsonc-parser';
import t from 'tap';
import { BUNDLE_COMPRESSED_BYTES_MAX, BUNDLE_START_CPU_MS_MAX } from '../../edge/limits.ts';
import { bundleEdge } from '../../scripts/edge-bundle.ts';

const { script, code, imports, wasm } = await bundleEdge({ minify: true });

t.test('the bundle is as small as the smallest plan asks for', async t => {
  const files = [script, ...wasm.values()];
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  t.comment(`${files.reduce((sum, file) => sum + file.length, 0)} bytes, ${bytes} compressed`);
  t.ok(bytes < BUNDLE_COMPRESSED_BYTES_MAX, `${bytes} bytes compressed`);
});

/** In a process of its own, with nothing of the platform behind it: what runs before the first request asks it nothing. */
const BEGINS = `
const before = process.cpuUsage();
await import('./worker.mjs');
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1_000);
`;

t.test('its modules begin within what the platform allows', async t => {
  const folder = t.testdir({
    'platform.mjs': 'export class DurableObject {}\nexport class WorkerEntrypoint {}\nexport const env = {};',
    'engine.mjs': 'export default null;',
    'begins.mjs': BEGINS,
  });
  const worker = script
    .replaceAll(/(["'])cloudflare:workers\1/g, '"./platform.mjs"')
    .replaceAll(/(["'])\.\/quickjs\.wasm\1/g, '"./engine.mjs"');
  writeFileSync(join(folder, 'worker.mjs'), worker);
  const ms = Number(execFileSync(process.execPath, [join(folder, 'begins.mjs')], { encoding: 'utf8' }));
  t.comment(`${ms.toFixed(0)} ms of CPU`);
  // CPU is no time: a machine that is at work takes longer for it, and not more of it.
  t.ok(ms > 0 && ms < BUNDLE_START_CPU_MS_MAX, `${ms} ms`);
});

t.test(
  'it imports nothing but what the platform has and the engine beside it, and compiles nothing while it runs',
  async t => {
    t.strictSame(imports, ['./quickjs.wasm', 'cloudflare:workers', 'node:crypto']);
    t.notMatch(script, /\bnew Function\(/);
  },
);

t.test('[4.11-5] its code is named by its version and its own bytes', async t => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  t.match(code, new RegExp(`^${version.replaceAll('.', '\\.')}\\+[0-9a-f]{13}$`));
  t.equal((await bundleEdge({ minify: true })).code, code, 'the same for the same tree');
});

t.test('wrangler.jsonc names every object, and keeps all of them in SQLite', async t => {
  const config = parse(readFileSync(join(import.meta.dirname, '../../edge/wrangler.jsonc'), 'utf8'));
  const classes = config.durable_objects.bindings
    .map((each: { class_name: string }) => each.class_name)
    .sort();
  t.strictSame(classes, ['InventoryObject', 'WorldObject']);
  t.strictSame(
    config.migrations.flatMap((each: { new_sqlite_classes: string[] }) => each.new_sqlite_classes).sort(),
    classes,
  );
  t.strictSame(
    config.r2_buckets.map((each: { binding: string }) => each.binding),
    ['BLOBS'],
  );
});
