// House rules: every source file has its test, every rule of 7.2 has its row and is tested, files stay small.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { RULES } from '../../policy/rules.ts';
import { TESTED_ELSEWHERE } from './tested-elsewhere.ts';
import { root, sourceFiles } from './tree.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

t.test('every source file has its test at the same path, or a stated place', t => {
  const files = sourceFiles();
  const missing: string[] = [];
  for (const file of files) {
    if (existsSync(join(root, 'test', file.replace(/\.[a-z]+$/, '.test.ts')))) continue;
    const stated = TESTED_ELSEWHERE.find(({ files }) =>
      files.some(prefix => file === prefix || (prefix.endsWith('/') && file.startsWith(prefix))),
    );
    if (stated === undefined) missing.push(file);
    else if (stated.by !== null && !existsSync(join(root, stated.by)))
      missing.push(`${file}: ${stated.by} does not exist`);
  }
  t.strictSame(missing, []);
  const stale = TESTED_ELSEWHERE.flatMap(({ files: named }) => named).filter(
    name => !files.some(file => file === name || file.startsWith(name)),
  );
  t.strictSame(stale, [], 'and no place is stated for a file that is gone');
  t.end();
});

t.test('[7.2] every rule has its row, and a test that names it', t => {
  const SPEC_RULES =
    'not-granted sealed policy-unreadable invalid unclaimed-path undeclared raw-socket-twinned raw-socket-app inspected-transport guest-upgrade guest-http2 guest-inspected native-direct service-undeclared own-loopback-ungranted guest-private host-undeclared persist-undeclared read-undeclared mount-outside-world read-invalid'.split(
      ' ',
    );
  t.strictSame(Object.keys(RULES).sort(), SPEC_RULES.toSorted());
  const tests = globSync('test/policy/*.test.ts', { cwd: root }).map(read).join('\n');
  t.strictSame(
    SPEC_RULES.filter(rule => !tests.includes(`'${rule}'`) && !tests.includes(`[7.2 ${rule}]`)),
    [],
  );
  t.end();
});

t.test('no source file is over 400 lines', t => {
  t.strictSame(
    sourceFiles().filter(file => read(file).split('\n').length > 401),
    [],
  );
  t.end();
});

t.test('only config files and entry points read the environment', t => {
  const ALLOWED = /(^|\/)(config|main|worker|environment|wrld)\.(ts|js)$|^attach\/|^cli\//;
  t.strictSame(
    sourceFiles().filter(file => !ALLOWED.test(file) && /process\.env/.test(read(file))),
    [],
  );
  t.end();
});
