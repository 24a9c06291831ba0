// House rule: a bound limit is written `LIMIT +?`. SQLite looks at the value of a bare `LIMIT ?` for its plan, and plans the
// statement anew whenever another value is bound: a list of one row took five times as long for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

const RUN = /^(?:control|edge|cli)\//;

t.test('no statement has a bare bound limit', t => {
  const bare = sourceFiles()
    .filter(file => RUN.test(file))
    .flatMap(file =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, n) => (/\b(?:LIMIT|OFFSET) \?/.test(line) ? [`${file}:${n + 1}`] : [])),
    );
  t.strictSame(bare, []);
  t.end();
});
