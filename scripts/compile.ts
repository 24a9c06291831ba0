// `npm run compile`, and so `npm pack`: what people install, as JavaScript and types in `dist/`. The repository itself
// runs without it: Node strips the types of a checkout, but not of what lies in `node_modules`. While npm packs
// (`--as-package`), package.json is the package's; afterwards (`--as-checkout`) it is the repository's again.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const tsc = join(root, 'node_modules', '.bin', 'tsc');

/** What a running wrld consists of. `edge/`, tests, benches and scripts stay in the repository. */
const PARTS = [
  'policy',
  'certs',
  'process',
  'proxy',
  'control',
  'twins',
  'contained',
  'images',
  'cli',
  'authoring',
];
/** Read as they are, by the same relative paths as in the repository. */
const ASSETS = ['attach', 'console', 'schema', 'examples/shop', 'examples/gold-plan'];
/** What people import: these and what they name have types. */
const TYPED = ['twin', 'twin-test', 'test', 'node-test', 'vitest', 'jest', 'playwright'].map(
  name => `authoring/${name}.ts`,
);
/** What people import into a page: JavaScript as it is, whose types are in its comments. */
const PAGE_MODULE = 'console/tab/attach.js';
const PAGE_TYPES = {
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  allowJs: true,
  isolatedDeclarations: false,
};
/** What work in the checkout leaves behind. */
const LEFT_OUT: readonly string[] = ['__pycache__', '.wrld'];
/** From the oldest Node on that has `node:sqlite` without a flag. */
const NODE_RANGE = '>=22.13';
const TARGET = 'es2023';
const STACK = 'process/disposable-stack.js';

const manifest = join(root, 'package.json');
/** The repository's package.json while npm packs; one that a killed `npm pack` left is put back first. */
const kept = join(root, 'package.json.kept');
if (existsSync(kept)) renameSync(kept, manifest);
if (process.argv.includes('--as-checkout')) process.exit(0);

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
emit('code', { include: PARTS.map(part => `../${part}`) });
emit('types', {
  files: TYPED.map(file => `../${file}`),
  compilerOptions: { declaration: true, emitDeclarationOnly: true },
});
keepTypesOf(TYPED.map(file => join(dist, file.replace(/\.ts$/, '.d.ts'))));
emit('page', {
  files: [`../${PAGE_MODULE}`],
  compilerOptions: { ...PAGE_TYPES, declaration: true, emitDeclarationOnly: true },
});
for (const part of [...PARTS, ...ASSETS]) copyAssets(part);
const repository = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
const { name, version, type } = repository;
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type })}\n`);
for (const file of filesIn(dist)) {
  if (file.endsWith('.js')) finish(file);
}

if (process.argv.includes('--as-package')) {
  renameSync(manifest, kept);
  writeFileSync(manifest, `${JSON.stringify(packaged(repository), null, 2)}\n`);
}

type Manifest = {
  readonly exports: { readonly [path: string]: string };
  readonly [field: string]: unknown;
};

/** What a package says of itself: nothing of how it is made, and no Node of ours before the user's own. */
function packaged({
  scripts,
  devDependencies,
  workspaces,
  overrides,
  private: _,
  ...rest
}: Manifest): Manifest {
  const exports = Object.entries(rest.exports).map(([path, file]) => {
    if (!/\.[jt]s$/.test(file)) return [path, file];
    const compiled = file.replace(/^\.\//, './dist/');
    return [path, { types: compiled.replace(/[jt]s$/, 'd.ts'), default: compiled.replace(/[jt]s$/, 'js') }];
  });
  return {
    ...rest,
    engines: { node: NODE_RANGE },
    files: ['dist', 'cli/wrld.js', 'cli/wrld-world.js'],
    exports: Object.fromEntries(exports),
  };
}

function emit(
  what: string,
  config: { readonly compilerOptions?: object; readonly [key: string]: unknown },
): void {
  const file = join(dist, `tsconfig.${what}.json`);
  const { compilerOptions = {} } = config;
  writeFileSync(
    file,
    JSON.stringify({
      extends: '../tsconfig.json',
      include: [],
      exclude: [],
      ...config,
      compilerOptions: {
        noEmit: false,
        rootDir: '..',
        outDir: '.',
        target: TARGET,
        rewriteRelativeImportExtensions: true,
        ...compilerOptions,
      },
    }),
  );
  const { status } = spawnSync(tsc, ['-p', file], { cwd: root, stdio: 'inherit' });
  rmSync(file);
  if (status !== 0) process.exit(status ?? 1);
}

/** Of the files of types, those that `entries` lead to; nobody can import the others. */
function keepTypesOf(entries: readonly string[]): void {
  const kept = new Set<string>();
  const follow = (file: string): void => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)\.ts'/g))
      follow(join(dirname(file), `${path}.d.ts`));
  };
  for (const entry of entries) follow(entry);
  for (const file of filesIn(dist)) {
    if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}

/** All that is no TypeScript: pages, validators made ahead of time, the modules for users' processes. */
function copyAssets(part: string): void {
  cpSync(join(root, part), join(dist, part), {
    recursive: true,
    filter: source => !(extname(source) === '.ts' || LEFT_OUT.includes(basename(source))),
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

/** Node 22 has no `AsyncDisposableStack`. */
function finish(file: string): void {
  const text = readFileSync(file, 'utf8');
  const stack = join(dist, STACK);
  if (file === stack || !/\bAsyncDisposableStack\b/.test(text)) return;
  let path = relative(dirname(file), stack);
  if (!path.startsWith('.')) path = `./${path}`;
  writeFileSync(file, `import '${path}';\n${text}`);
}
