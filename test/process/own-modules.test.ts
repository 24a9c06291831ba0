// Where the program's own modules lie is said by their imports; everything else is left to Node.
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'tap';

const root = join(import.meta.dirname, '..', '..');
const url = (path: string): string => JSON.stringify(pathToFileURL(join(root, path)).href);

/** What Node was asked to find while a module was imported, as `<specifier> <from>`. */
function leftToNode(path: string): { readonly asked: readonly string[]; readonly said: string } {
  const program = `
    import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({ resolve: (specifier, context, next) => {
      asked.push(specifier + ' ' + context.parentURL);
      return next(specifier, context);
    } });
    await import(${url('process/own-modules.ts')});
    asked.length = 0;
    await import(${url(path)});
    process.stdout.write(JSON.stringify(asked));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
  });
  return { asked: stdout === '' ? [] : JSON.parse(stdout), said: stderr };
}

test('of the program’s own modules Node is asked for none, of packages for all', async t => {
  const { asked, said } = leftToNode('control/node/control.ts');
  const [entry, ...rest] = asked;
  t.match(entry, 'control/node/control.ts', said);
  t.same(
    rest.filter(each => /^\.\S+\.ts /.test(each)),
    [],
  );
  t.ok(
    rest.some(each => each.startsWith('jsonc-parser ')),
    'a package by its name',
  );
  t.ok(
    rest.some(each => each.startsWith('./') && each.includes('/node_modules/ws/')),
    'what is inside of one',
  );
});

test('what a world brings is Node’s to find, wherever it lies', async t => {
  const folder = t.testdir({
    'twin.ts': "import './shapes.ts';",
    'shapes.ts': 'export const none: null = null;',
  });
  const { asked, said } = leftToNode(relative(root, join(folder, 'twin.ts')));
  t.ok(
    asked.some(each => each.startsWith('./shapes.ts ')),
    said,
  );
});

test('a module that is not there is named, with who imports it', async t => {
  const { said } = leftToNode('test/process/own-modules-gone.ts');
  t.match(said, /own-modules-gone\.ts/);
});
