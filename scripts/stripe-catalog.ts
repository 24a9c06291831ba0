// Every operation of Stripe's API, read from the routes inside its SDK: by it the twin tells what it does not
// model from what does not exist.
import { readdir, readFile } from 'node:fs/promises';

const RESOURCES: URL = new URL('../node_modules/stripe/esm/resources/', import.meta.url);
const REQUEST = /_makeRequest\('(GET|POST|DELETE)',\s*(['`])([^'`]+)\2/g;

export async function makeStripeCatalog(): Promise<string> {
  const routes = new Set<string>();
  for (const file of await readdir(RESOURCES, { recursive: true })) {
    if (!file.endsWith('.js')) continue;
    const source = await readFile(new URL(file, RESOURCES), 'utf8');
    for (const [, method, , path = ''] of source.matchAll(REQUEST)) {
      // Parameter names are left out: all that counts is where one stands.
      routes.add(`${method} ${path.replaceAll(/\$\{encodeURIComponent\(\w+\)\}/g, '{}')}`);
    }
  }
  const sorted = [...routes].sort((a, b) => (a.split(' ')[1]! < b.split(' ')[1]! ? -1 : 1));
  const lines = sorted.map(route => `  '${route}',`).join('\n');
  return (
    '// Generated from the stripe package by `npm run generate`. Do not edit.\n' +
    `export const STRIPE_ROUTES: readonly string[] = [\n${lines}\n];\n`
  );
}
