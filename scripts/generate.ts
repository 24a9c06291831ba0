// Writes what is generated and committed, so that nothing is generated when wrld runs: an edge worker allows no
// code generation, and a start should not pay for it. `--check` writes nothing and fails when a file is stale.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { makeBenchmarksPage } from '../bench/results.ts';
import { makeClientsPage } from './clients-page.ts';
import { coverageFile } from './coverage.ts';
import { makeFidelityJson, makeFidelityPage } from './fidelity-report.ts';
import { makeFrameworksPage } from './frameworks-page.ts';
import { makeEndpoints, makeOpenApi, makeRefusals } from './reference.ts';
import { makeStripeCatalog } from './stripe-catalog.ts';
import { makeStripeRoot } from './stripe-root.ts';
import { makeStripeVendor } from './stripe-vendor.ts';
import { makeStripeVersions } from './stripe-versions.ts';
import { describedTwins } from './twins.ts';
import { makeTwinsIndex } from './twins-index.ts';

type Generated = { readonly file: string; readonly make: () => Promise<string> };

const ROOT: URL = new URL('..', import.meta.url);

const GENERATED: readonly Generated[] = [
  {
    file: 'control/world/config/schema.generated.js',
    make: () => validator('schema/world.schema.json', 'validateWorldConfig'),
  },
  {
    file: 'control/world/browsers/schema.generated.js',
    make: () => validator('schema/browser-profile.schema.json', 'validateBrowserProfile'),
  },
  { file: 'console/world/handlers-schema.generated.js', make: handlersSchema },
  { file: 'twins/stripe/api/catalog.generated.ts', make: makeStripeCatalog },
  { file: 'twins/stripe/api/vendor.generated.ts', make: makeStripeVendor },
  ...describedTwins().map(({ manifest, coverage }) => ({
    file: `docs/twins/${manifest.vendor}.coverage.json`,
    make: async () => coverageFile(coverage),
  })),
  { file: 'docs/twins/stripe-root.md', make: makeStripeRoot },
  { file: 'docs/twins/stripe-versions.md', make: makeStripeVersions },
  { file: 'docs/twins/README.md', make: makeTwinsIndex },
  { file: 'docs/twins/fidelity.json', make: makeFidelityJson },
  { file: 'docs/twins/fidelity.md', make: makeFidelityPage },
  { file: 'docs/clients.md', make: makeClientsPage },
  { file: 'docs/frameworks.md', make: makeFrameworksPage },
  { file: 'docs/benchmarks.md', make: async () => makeBenchmarksPage() },
  { file: 'docs/reference/refusals.md', make: makeRefusals },
  { file: 'docs/reference/endpoints.md', make: makeEndpoints },
  { file: 'docs/reference/openapi.json', make: makeOpenApi },
];

const HANDLERS_SCHEMA = 'schema/handlers.schema.json';

/** For the page, which helps those who write such a file. */
async function handlersSchema(): Promise<string> {
  const schema = JSON.parse(await readFile(new URL(HANDLERS_SCHEMA, ROOT), 'utf8'));
  return `// Generated from ${HANDLERS_SCHEMA} by \`npm run generate\`. Do not edit.\nexport const HANDLERS_SCHEMA = ${JSON.stringify(schema)};\n`;
}

/** One self-contained ES module that exports the schema's validator under `name`. */
async function validator(schemaFile: string, name: string): Promise<string> {
  const schema = JSON.parse(await readFile(new URL(schemaFile, ROOT), 'utf8'));
  // `verbose` gives each error the schema it broke, from which the accepted keys are named.
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addSchema(schema, name);
  const source = standalone.default(ajv, { [name]: name });
  const bundle = await build({
    stdin: { contents: source, resolveDir: new URL('.', ROOT).pathname, loader: 'js' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    write: false,
    legalComments: 'none',
  });
  return `// Generated from ${schemaFile} by \`npm run generate\`. Do not edit.\n${bundle.outputFiles[0]!.text}`;
}

const checking = process.argv.includes('--check');
let stale = 0;
for (const { file, make } of GENERATED) {
  const url = new URL(file, ROOT);
  const [made, found] = await Promise.all([make(), readFile(url, 'utf8').catch(() => null)]);
  if (made === found) continue;
  if (checking) {
    console.error(`${file} is not what its source makes. Run: npm run generate`);
    stale += 1;
  } else {
    await mkdir(new URL('.', url), { recursive: true });
    await writeFile(url, made);
    console.log(`wrote ${file}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
