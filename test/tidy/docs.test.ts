// A house rule as a test: what the pages for newcomers name is there.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from './tree.ts';

const PARTS =
  'policy|certs|contained|images|proxy|control|twins|cli|attach|console|authoring|edge|bench|scripts|test|docs|schema|examples';

/** A clone is not to be large for pictures. */
const PICTURE_BYTES_MAX = 60 * 1024;

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

t.test('docs/page.md shows every picture there is, each of at most 60 KB', t => {
  const shown = [
    ...readFileSync(join(root, 'docs/page.md'), 'utf8').matchAll(/\]\(pictures\/([\w-]+\.jpg)\)/g),
  ]
    .map(([, name = '']) => name)
    .sort();
  const there = readdirSync(join(root, 'docs/pictures')).sort();
  t.strictSame(shown, there, 'npm run pictures makes them');
  for (const name of there) {
    const { size } = statSync(join(root, 'docs/pictures', name));
    t.ok(size <= PICTURE_BYTES_MAX, `${name}: ${size} bytes`);
  }
  t.end();
});
