// What runs the tests: nothing that went wrong in a file is taken for success.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

const root = join(import.meta.dirname, '..', '..');

/** Runs files of these texts; what they print is TAP, as tap's library writes it. */
function ran(folder: string, ...named: string[]): { code: number | null; out: string } {
  const run = spawnSync(
    process.execPath,
    [join(root, 'scripts/test.ts'), ...named.map(name => join(folder, name))],
    {
      encoding: 'utf8',
    },
  );
  return { code: run.status, out: run.stdout };
}

const PASSES =
  'console.log("TAP version 14\\nok 1 - a\\n    ok 1 - b # SKIP no tool here\\n1..2\\n# { total: 2, pass: 1, skip: 1 }")';

t.test('files that pass are told in a line each, with what was skipped and why', t => {
  const folder = t.testdir({
    tests: { 'a.test.ts': PASSES, 'b.test.ts': PASSES, 'c.suite.ts': 'process.exit(1)' },
  });
  const { code, out } = ran(folder, 'tests');
  t.equal(code, 0, out);
  t.match(out, /^ok {5}\S+a\.test\.ts \d+\.\d s$/m);
  t.match(out, 'skipped: b (no tool here)');
  t.match(out, /\n2 passed, 0 failed, 2 skipped\n$/);
  t.end();
});

for (const [what, text, said] of [
  [
    'an assertion that fails',
    'console.log("not ok 1 - a\\n1..1\\n# { total: 1, fail: 1 }"); process.exit(1)',
    'not ok 1 - a',
  ],
  ['a file that throws', 'throw new Error("as it loads")', 'as it loads'],
  ['a file that ends early, as if all were well', 'console.log("ok 1 - a"); process.exit(0)', 'ok 1 - a'],
  ['a file that is killed', 'process.kill(process.pid, "SIGKILL")', 'was ended by SIGKILL'],
  [
    'a failure that the file keeps to itself',
    'console.log("not ok 1 - a\\n1..1\\n# { total: 1, fail: 1 }")',
    'not ok 1 - a',
  ],
] as const) {
  t.test(`${what}: shown whole, and the run fails`, t => {
    const folder = t.testdir({ 'good.test.ts': PASSES, 'bad.test.ts': text });
    const { code, out } = ran(folder, 'good.test.ts', 'bad.test.ts');
    t.equal(code, 1, out);
    t.match(out, said);
    t.match(out, /^FAILED \S+bad\.test\.ts/m);
    t.match(out, /\n1 passed, 1 failed, 1 skipped\n$/);
    t.end();
  });
}

t.test('nothing that passed is no success', t => {
  const folder = t.testdir({ 'none.test.ts': 'console.log("1..0 # no Chromium here")' });
  const { code, out } = ran(folder, 'none.test.ts');
  t.equal(code, 1);
  t.match(out, 'none.test.ts (no Chromium here)');
  t.end();
});
