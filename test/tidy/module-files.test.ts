// House rule: what is started by the name of a file (a thread, a process, a module of somebody's) is named by
// process/module-file.ts: in the package, which is compiled, there is no TypeScript, and no other test would see it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

const SHIPPED = /^(?:policy|certs|process|proxy|control|twins|contained|images|cli|authoring)\/.*\.ts$/;
/** Imports are rewritten when the package is made. */
const IMPORTS = /^(?:import|export|\}) .*$|\bimport\('[^']+'\)/gm;
const COMMENTS = /^\s*(?:\/\/|\*|\/\*).*$/gm;

t.test('no file of ours is named with the extension of a source', t => {
  const files = sourceFiles().filter(file => SHIPPED.test(file));
  t.ok(files.length > 100);
  const named = files.flatMap(file => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(COMMENTS, '').replaceAll(IMPORTS, '');
    return (code.match(/['"`][\w./-]*\w\.ts['"`]/g) ?? []).map(name => `${file}: ${name}`);
  });
  t.strictSame(named, []);
  t.end();
});

t.test('no file is compiled onto one that is there already', t => {
  const files = new Set(sourceFiles());
  t.strictSame(
    [...files].filter(file => SHIPPED.test(file) && files.has(file.replace(/\.ts$/, '.js'))),
    [],
  );
  t.end();
});
