// A house rule as a test: what the pages for newcomers name is there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from './tree.ts';

const PARTS =
  'policy|certs|contained|images|proxy|control|twins|cli|attach|console|authoring|edge|bench|scripts|test|docs|schema|examples';

t.test('every path that the pages for newcomers name is there', t => {
  for (const page of ['ARCHITECTURE.md', 'docs/HACKING.md', 'docs/reliability.md', 'README.md']) {
    const named = readFileSync(join(root, page), 'utf8').matchAll(
      new RegExp(`\`((?:${PARTS})/[\\w./-]*)\``, 'g'),
    );
    const missing = [...named]
      .map(([, path = '']) => path)
      .filter(path => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.ts`)));
    t.strictSame(missing, [], page);
  }
  t.end();
});
