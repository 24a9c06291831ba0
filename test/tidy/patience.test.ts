// House rule: a test waits for what happens, on a machine that is as slow as it likes. What bounds a wait is one generous
// limit for all (test/kit/deadline.ts, scripts/test.ts), so that no file has a shorter one of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

/** `{ timeout: 5_000 }` of a test, beside its words. */
const OWN_LIMIT = /\{[^{}]*\btimeout: [\d_]+[^{}]*\}, (?:async )?(?:t|\(\)) =>/;

t.test('no test has a limit of time to itself', t => {
  const files = sourceFiles().filter(file => /^test\/.*\.test\.ts$/.test(file));
  const limited = files.filter(file => OWN_LIMIT.test(readFileSync(join(root, file), 'utf8')));
  t.strictSame(limited, []);
  t.match("t.test('reads', { timeout: 5_000 }, async t => {", OWN_LIMIT);
  t.end();
});
