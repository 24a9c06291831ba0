// A house rule as a test: a bound that somebody can meet stands in the limits file of its part, named with its unit,
// beside the bounds that it must agree with. What a vendor bounds stands with that vendor's noun.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

const PARTS = /^(policy|certs|proxy|control|edge|cli|images|attach|console|twins\/kit)\//;

t.test('limits stand in limits files', t => {
  const elsewhere = sourceFiles()
    .filter(file => PARTS.test(file) && !/(^|\/)limits\.[a-z]+$/.test(file))
    .flatMap(file =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]*_MAX)\b/gm),
      ].map(([, name]) => `${file}: ${name}`),
    );
  t.strictSame(elsewhere, []);
  t.end();
});
