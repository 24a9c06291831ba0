// `npm run check`: what a change must satisfy besides its tests. Each line is one check; all of them run, and
// the exit code says whether every one passed. `npm run check -- types` runs the named ones.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

const CHECKS: { readonly [name: string]: readonly (readonly string[])[] } = {
  types: [
    [bin('tsc'), '-p', 'tsconfig.json'],
    [bin('tsc'), '-p', 'tsconfig.neutral.json'],
    [bin('tsc'), '-p', 'tsconfig.edge.json'],
    [bin('tsc'), '-p', 'tsconfig.page.json'],
  ],
  lint: [[bin('biome'), 'check', '--error-on-warnings', '.']],
  unused: [[process.execPath, join(root, 'node_modules', 'knip', 'bin', 'knip.js')]],
  generated: [[process.execPath, '--disable-warning=ExperimentalWarning', 'scripts/generate.ts', '--check']],
};

const asked = process.argv.slice(2);
const unknown = asked.filter(name => !(name in CHECKS));
if (unknown.length > 0) {
  console.error(`No check is called ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}.`);
  process.exit(2);
}
let failed = 0;
for (const [name, commands] of Object.entries(CHECKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const started = performance.now();
  const ok = commands
    .map(([command, ...args]) => spawnSync(command!, args, { cwd: root, stdio: 'inherit' }).status === 0)
    .every(passed => passed);
  if (!ok) failed++;
  console.log(
    `${ok ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - started) / 1_000).toFixed(1)} s)`,
  );
}
process.exit(failed === 0 ? 0 : 1);
