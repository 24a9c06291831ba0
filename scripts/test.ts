// `npm test`: the whole suite by tap, or the files named, ending with a line `N passed, N failed, N skipped`
// that people and programs can read.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'wrld-tests-'));
const output = join(folder, 'results.tap');
const files = process.argv.slice(2);

const run = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'tap', 'dist', 'esm', 'run.mjs'), `--output-file=${output}`, ...files],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
);
const results = readFileSync(output, { encoding: 'utf8', flag: 'a+' });
rmSync(folder, { recursive: true, force: true });

for (const skip of results.matchAll(/^ *ok \d+ - (.*) # SKIP ?(.*)$/gim))
  console.log(`skipped: ${skip[1]} (${skip[2]})`);
const totals = [...results.matchAll(/^# \{ (.*) \}$/gm)].at(-1)?.[1] ?? '';
const count = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0);
const failed = count('fail');
console.log(`${count('pass')} passed, ${failed} failed, ${count('skip')} skipped`);
process.exit(run.status === 0 && failed === 0 && count('total') > 0 ? 0 : 1);
