// `npm test`: the whole suite by tap, or the files named. A line a file as it ends, everything of a file that
// failed, what was skipped and why, and at the end `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
const tap = join(root, 'node_modules', 'tap', 'dist', 'esm', 'run.mjs');
const run = spawn(process.execPath, [tap, '--reporter=tap', ...process.argv.slice(2)], {
  cwd: root,
  // Hundreds of processes load the same modules: they are compiled once.
  env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'wrld-tests') },
  stdio: ['ignore', 'pipe', 'inherit'],
});

/** Lines of the file that is being reported; tap gives each file's lines together. */
let lines: string[] = [];
const skips: string[] = [];
const counts = { total: 0, pass: 0, fail: 0, skip: 0, todo: 0 };
for await (const line of createInterface({ input: run.stdout })) {
  const ended = /^(ok|not ok) \d+ - (\S+)(?: # time=([\d.]+)ms)?/.exec(line);
  const totals = /^# \{ (.*) \}$/.exec(line)?.[1];
  if (totals !== undefined) {
    for (const [, name, value] of totals.matchAll(/(\w+): (\d+)/g))
      if (name! in counts) counts[name as keyof typeof counts] = Number(value);
  }
  if (ended === null) {
    const skipped = /^ +ok \d+ - (.*) # SKIP ?(.*)$/i.exec(line);
    if (skipped !== null) skips.push(`${skipped[1]} (${skipped[2] || 'no reason given'})`);
    lines.push(line);
    continue;
  }
  const [, verdict, file, ms] = ended;
  if (verdict === 'not ok') console.log(lines.join('\n'));
  const seconds = ms === undefined ? '' : ` ${(Number(ms) / 1_000).toFixed(1)} s`;
  console.log(`${verdict === 'ok' ? 'ok    ' : 'FAILED'} ${file}${seconds}`);
  lines = [];
}
const code = await new Promise<number | null>(resolve => run.on('exit', resolve));
for (const skip of skips) console.log(`skipped: ${skip}`);
console.log(`${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped`);
process.exit(code === 0 && counts.fail === 0 && counts.pass > 0 ? 0 : 1);
