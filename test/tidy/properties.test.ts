// House rule: a run of the tests is the run before it. Properties get their seed from test/kit/property.ts, and nothing else
// draws lots but by a seed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

const SOURCES = ['test/kit/property.ts', 'test/kit/seed.ts', 'test/tidy/properties.test.ts'];

t.test('no test draws lots of its own', t => {
  const files = sourceFiles().filter(file => file.startsWith('test/') && !SOURCES.includes(file));
  const drawn = files.filter(file =>
    /from 'fast-check'|\bMath\.random\(\)(?!;')/.test(readFileSync(join(root, file), 'utf8')),
  );
  t.strictSame(drawn, []);
  t.end();
});
