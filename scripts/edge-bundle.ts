// The worker of edge/ as one module and the WebAssembly beside it (docs/edge.md): what wrangler uploads, what `npm run edge` serves, and what the tests
// run. Made by esbuild of the tree as it is.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { PAGE_FILES } from '../control/http/page-files.ts';

export type EdgeBundle = {
  readonly script: string;
  /** What its worlds name in `x-wrld-world-code`. */
  readonly code: string;
  /** What it imports: modules of the platform's, and those beside it. */
  readonly imports: readonly string[];
  /** The modules of WebAssembly beside it, by their file. */
  readonly wasm: ReadonlyMap<string, Uint8Array>;
};

/** The engine of checks: a worker compiles nothing while it runs, so the platform is given it as a module. */
export const ENGINE = { specifier: '@jitl/quickjs-wasmfile-release-sync/wasm', file: 'quickjs.wasm' };

/** Leaves the engine beside the worker. */
export const besideIt: Plugin = {
  name: 'beside-it',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/wasm$/ }, ({ path }) =>
      path === ENGINE.specifier ? { path: `./${ENGINE.file}`, external: true } : undefined,
    ),
};

export const engineBytes = (): Promise<Buffer> =>
  readFile(createRequire(import.meta.url).resolve(ENGINE.specifier));

const ROOT = join(import.meta.dirname, '..');
/** As long as what takes its place, so that the bundle's map stays true. */
const CODE = '@@wrld-code@@';
const FINGERPRINT_CHARS = CODE.length;

export type BundleOptions = {
  readonly minify: boolean;
  /** Of a bench: what takes the worker's place, from the root. */
  readonly entry?: string;
  readonly plugins?: readonly Plugin[];
};

export async function bundleEdge({
  minify,
  entry = 'edge/worker.ts',
  plugins = [],
}: BundleOptions): Promise<EdgeBundle> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const page: { [file: string]: string } = {};
  for (const file of PAGE_FILES.keys()) page[file] = await readFile(join(ROOT, 'console', file), 'utf8');
  const bundled = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    minify,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'import', 'default'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [besideIt, ...plugins],
    define: {
      WRLD_CODE: JSON.stringify(`${version}+${CODE}`),
      WRLD_VERSION: JSON.stringify(version),
      WRLD_PAGE: JSON.stringify(page),
    },
  });
  const made = bundled.outputFiles[0]!.text;
  const engine = await engineBytes();
  const fingerprint = createHash('sha256')
    .update(made)
    .update(engine)
    .digest('hex')
    .slice(0, FINGERPRINT_CHARS);
  const imports = Object.values(bundled.metafile.outputs).flatMap(output => output.imports);
  return {
    imports: [...new Set(imports.map(({ path }) => path))].sort(),
    script: made.replaceAll(CODE, fingerprint),
    code: `${version}+${fingerprint}`,
    wasm: new Map([[ENGINE.file, new Uint8Array(engine)]]),
  };
}
