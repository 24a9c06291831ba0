// A house rule as a test: no circle of value imports anywhere. What a module does as it loads must not depend on who
// was loaded first; a circle works until somebody sorts the imports. Types may point anywhere: they are gone by then.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import t from 'tap';
import { root } from './tree.ts';

const FILES = globSync(
  '{policy,certs,proxy,control,twins,attach,cli,authoring,edge,console,scripts,bench,test}/**/*.{ts,js,mjs,cjs}',
  { cwd: root },
).filter(file => !file.endsWith('.d.ts') && !file.includes('node_modules'));

/** `import type` and `import { type A }` are no edges; `export … from` is one. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\s)([^;'"]*?)from\s*'(\.[^']+)'|(?:^|\n)import\s+'(\.[^']+)'|\brequire\('(\.[^']+)'\)/g;

t.test('no circle of value imports', t => {
  const edges = new Map(FILES.map(file => [file, valueImports(file)]));
  t.strictSame(
    circles(edges).map(circle => circle.sort().join(' ↔ ')),
    [],
  );
  t.end();
});

t.test('a circle is found where there is one', t => {
  const edges = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b', 'd']],
    ['d', []],
  ]);
  t.strictSame(
    circles(edges).map(circle => circle.sort()),
    [['b', 'c']],
  );
  t.end();
});

function valueImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(([, names = '', from, bare, required]) => {
    const named = /\{([^}]*)\}/
      .exec(names)?.[1]
      ?.split(',')
      .map(name => name.trim());
    const typesOnly = named?.filter(Boolean).every(name => name.startsWith('type ')) === true;
    if (typesOnly && names.trim().startsWith('{')) return [];
    const target = relative(root, normalize(join(root, dirname(file), (from ?? bare ?? required)!)));
    return existsSync(join(root, target)) ? [target] : [];
  });
}

/** Tarjan's strongly connected components of more than one member. */
function circles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    low.set(file, order.get(file)!);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) {
        visit(next);
        low.set(file, Math.min(low.get(file)!, low.get(next)!));
      } else if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, order.get(next)!));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) found.push(circle);
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return found;
}
