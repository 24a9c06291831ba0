// `npm test`: every test, or the files and folders named. A line a file as it ends, everything of a file that failed, what
// was skipped and why, and at the end `N passed, N failed, N skipped`.
//
// Each file is a program of its own that tells by TAP (tap's library) how it went, and is run as one. tap's own runner puts
// hooks for coverage and mocks into every process, those that a test starts too: a third of the time, and not what users run.
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative, resolve as resolved } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

/** How long a file may take, unless `--timeout=<seconds>` says otherwise: what waits in a test has its own, shorter bound. */
const FILE_SECONDS_MAX = 300;
/** What tap gets beyond that to say which test did not end, before its process is ended. */
const LAST_WORDS_SECONDS = 30;
const JOBS_MIN = 2;
const JOBS_MAX = 4;

const root = join(import.meta.dirname, '..');

/** How one file went. Counts are of assertions. */
interface Outcome {
  readonly file: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly lines: readonly string[];
  readonly skips: readonly string[];
  readonly counts: { readonly pass: number; readonly fail: number; readonly skip: number };
}

/** The test files that `named` (files, or folders with all below) stand for; paths from the root. */
function filesOf(named: readonly string[]): string[] {
  const files = named.flatMap(each => {
    const path = relative(root, resolved(root, each));
    const found = statSync(resolved(root, path), { throwIfNoEntry: false });
    if (found === undefined) throw new Error(`${each} is not there; name files, or folders with tests`);
    if (!found.isDirectory()) return [path];
    // The programs that a suite of its own has installed have tests too.
    const exclude = (name: string): boolean =>
      basename(name) === 'node_modules' || basename(name) === '.venv';
    return globSync(join(path, '**/*.test.ts'), { cwd: root, exclude }).sort();
  });
  return [...new Set(files)];
}

function runFile(file: string, secondsMax: number): Promise<Outcome> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--no-warnings', file], {
    cwd: root,
    env: {
      ...process.env,
      // Hundreds of processes load the same modules: they are compiled once.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'wrld-tests'),
      TAP_TIMEOUT: String(secondsMax),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', line => lines.push(line));
  let late = setTimeout(
    () => {
      lines.push(`${file} did not end within ${secondsMax} s`);
      child.kill('SIGKILL');
    },
    (secondsMax + LAST_WORDS_SECONDS) * 1_000,
  );
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => {
      clearTimeout(late);
      // What a test started and left running holds its output open.
      late = setTimeout(() => {
        lines.push(`not ok - ${file} ended, and what it started did not`);
        child.stdout.destroy();
        child.stderr.destroy();
      }, LAST_WORDS_SECONDS * 1_000);
    });
    child.on('close', (code, signal) => {
      clearTimeout(late);
      const seconds = (performance.now() - started) / 1_000;
      if (signal !== null) lines.push(`${file} was ended by ${signal}`);
      resolve(outcome(file, code === 0, seconds, lines));
    });
  });
}

/** A file's lines read: one that ends well without a plan (`1..N`) ended before its tests did, and is no success. */
function outcome(file: string, endedWell: boolean, seconds: number, lines: readonly string[]): Outcome {
  const counts = { pass: 0, fail: 0, skip: 0 };
  const skips: string[] = [];
  let plan = false;
  for (const line of lines) {
    if (/^not ok\b/.test(line)) counts.fail++;
    plan ||= /^1\.\.\d+/.test(line);
    const skip = /^ *ok \d+ - (.*) # SKIP ?(.*)$/i.exec(line);
    if (skip !== null) skips.push(`${skip[1]} (${skip[2] || 'no reason given'})`);
    const whole = /^1\.\.0 # (.*)$/.exec(line);
    if (whole !== null) skips.push(`${file} (${whole[1]})`);
    const totals = /^# \{ (.*) \}$/.exec(line)?.[1] ?? '';
    for (const [, name, count] of totals.matchAll(/(\w+): (\d+)/g))
      if (name! in counts) counts[name as keyof typeof counts] = Number(count);
  }
  return { file, ok: endedWell && plan && counts.fail === 0, seconds, lines, skips, counts };
}

function told({ file, ok, seconds, lines }: Outcome): void {
  if (!ok) console.log(lines.join('\n'));
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${file} ${seconds.toFixed(1)} s`);
}

const { values, positionals } = parseArgs({
  options: { timeout: { type: 'string' } },
  allowPositionals: true,
});
const secondsMax = Number(values.timeout ?? FILE_SECONDS_MAX);
const files = filesOf(positionals.length > 0 ? positionals : ['test']);
const outcomes: Outcome[] = [];
const waiting = files[Symbol.iterator]();
const jobs = Math.min(JOBS_MAX, Math.max(JOBS_MIN, availableParallelism()));
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (const file of waiting) {
      const ended = await runFile(file, secondsMax);
      told(ended);
      outcomes.push(ended);
    }
  }),
);

for (const skip of outcomes.flatMap(each => each.skips)) console.log(`skipped: ${skip}`);
const sum = (name: 'pass' | 'fail' | 'skip'): number =>
  outcomes.reduce((so, { counts }) => so + counts[name], 0);
const broken = outcomes.filter(each => !each.ok);
// A file that broke without a failing assertion counts as one.
const fail = sum('fail') + broken.filter(each => each.counts.fail === 0).length;
for (const { file } of broken) console.log(`failed: ${file}`);
console.log(`${sum('pass')} passed, ${fail} failed, ${sum('skip')} skipped`);
process.exit(fail === 0 && sum('pass') > 0 ? 0 : 1);
