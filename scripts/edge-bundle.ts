// The worker of edge/ as one module (docs/edge.md): what wrangler uploads, what `npm run edge` serves, and what the tests
// run. Made by esbuild of the tree as it is.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PAGE_FILES } from '../control/http/page-files.ts';

export type EdgeBundle = {
  readonly script: string;
  /** What its worlds name in `x-wrld-world-code`. */
  readonly code: string;
  /** What it imports: modules of the platform's. */
  readonly imports: readonly string[];
};

const ROOT = join(import.meta.dirname, '..');
/** As long as what takes its place, so that the bundle's map stays true. */
const CODE = '@@wrld-code@@';
const FINGERPRINT_CHARS = CODE.length;

export async function bundleEdge({ minify }: { readonly minify: boolean }): Promise<EdgeBundle> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const page: { [file: string]: string } = {};
  for (const file of PAGE_FILES.keys()) page[file] = await readFile(join(ROOT, 'console', file), 'utf8');
  const bundled = await build({
    absWorkingDir: ROOT,
    entryPoints: ['edge/worker.ts'],
    bundle: true,
    write: false,
    metafile: true,
    minify,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'import', 'default'],
    external: ['cloudflare:*', 'node:*'],
    define: {
      WRLD_CODE: JSON.stringify(`${version}+${CODE}`),
      WRLD_VERSION: JSON.stringify(version),
      WRLD_PAGE: JSON.stringify(page),
    },
  });
  const made = bundled.outputFiles[0]!.text;
  const fingerprint = createHash('sha256').update(made).digest('hex').slice(0, FINGERPRINT_CHARS);
  const imports = Object.values(bundled.metafile.outputs).flatMap(output => output.imports);
  return {
    imports: [...new Set(imports.map(({ path }) => path))].sort(),
    script: made.replaceAll(CODE, fingerprint),
    code: `${version}+${fingerprint}`,
  };
}
