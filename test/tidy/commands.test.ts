// A command without its run bit in git gets it from npm at `npm link` or `npm ci`, and the tree is changed by that.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from './tree.ts';

t.test('every command that package.json names has its run bit in git', t => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly bin: { readonly [name: string]: string };
  };
  for (const [name, file] of Object.entries(bin)) {
    const listed = execFileSync('git', ['ls-files', '--stage', '--', file], { cwd: root, encoding: 'utf8' });
    t.match(listed, /^100755 /, `${name}: git update-index --chmod=+x ${file}`);
  }
  t.end();
});
