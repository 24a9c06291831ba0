// Compiles the stripe package's declarations to data that the twin reads at run time: operations, the shapes of
// their parameters and answers, and the names of events. Equal shapes are written once and named by number.
import { readdirSync, readFileSync } from 'node:fs';
import { type Shape, StripeTypes } from './stripe-types.ts';

const ESM: URL = new URL('../node_modules/stripe/esm/', import.meta.url);
const NAMESPACE = /this\.(\w+) = new (\w+)\((?:this|stripe)\)/g;
const IMPORT = /import \{ ([^}]+?),? \} from '([^']+)'/g;
const METHOD = /^ {4}(\w+)\([^)]*\) \{$([\s\S]*?)^ {4}\}$/gm;
const REQUEST = /_makeRequest\('(GET|POST|DELETE)',\s*(['`])([^'`]+)\2/;

/** A shape is written once when it is at least this long. Characters of JSON. */
const SHARED_CHARS_MIN = 24;

class Table {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The shape with its inner hashes as `#<number>`. */
  put(shape: Shape): unknown {
    if (typeof shape === 'string') return shape;
    if (Array.isArray(shape)) return [this.put(shape[0] as Shape)];
    const flat = Object.fromEntries(
      Object.entries(shape).map(([name, inner]) => [
        name,
        name === '|' ? (inner as unknown as Shape[]).map(part => this.put(part)) : this.put(inner as Shape),
      ]),
    );
    const text = JSON.stringify(flat);
    if (text.length < SHARED_CHARS_MIN) return flat;
    const known = this.#numbers.get(text) ?? this.texts.push(text) - 1;
    this.#numbers.set(text, known);
    return `#${known}`;
  }
}

/** `resources/Coupons.js` and its class → `coupons`, as the SDK's own constructor names it. */
function accessors(file: string, prefix: string, found: Map<string, string>): void {
  const source = readFileSync(new URL(file, ESM), 'utf8');
  const from = new Map<string, string>();
  for (const [, names = '', path = ''] of source.matchAll(IMPORT)) {
    for (const name of names.split(',')) {
      const [own = '', alias] = name.trim().split(' as ');
      from.set(alias ?? own, path);
    }
  }
  for (const [, field = '', type = ''] of source.matchAll(NAMESPACE)) {
    const path = from.get(type);
    if (path === undefined) continue;
    const whole = new URL(path, new URL(file, ESM)).href.slice(ESM.href.length);
    const name = prefix === '' ? field : `${prefix}.${field}`;
    if (whole.endsWith('/index.js')) accessors(whole, name, found);
    else found.set(`${whole} ${type}`, name);
  }
}

export async function makeStripeVendor(): Promise<string> {
  const types = new StripeTypes();
  const table = new Table();
  const names = new Map<string, string>();
  accessors('stripe.core.js', '', names);
  const operations: string[] = [];
  for (const file of readdirSync(new URL('resources/', ESM), { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.js')) continue;
    const path = `resources/${file.replaceAll('\\', '/')}`;
    const source = readFileSync(new URL(path, ESM), 'utf8');
    const scope = types.file(path.replace(/\.js$/, '.d.ts'));
    if (scope === undefined) continue;
    for (const [, name = '', body = ''] of source.matchAll(/class (\w+Resource)[^{]*\{([\s\S]*?)^\}/gm)) {
      const accessor = names.get(`${path} ${name}`);
      if (accessor === undefined) continue;
      for (const [, method = '', code = ''] of body.matchAll(METHOD)) {
        const request = REQUEST.exec(code);
        const declared = scope.classes.get(name)?.get(method);
        if (request === null || declared === undefined) continue;
        const route = (request[3] ?? '').replaceAll(/\$\{encodeURIComponent\((\w+)\)\}/g, '{$1}');
        const params = declared.params === null ? {} : types.shape(scope, declared.params);
        const { object, how } = types.answerOf(scope, declared.answer);
        operations.push(
          [
            `${accessor}.${method}`,
            request[1],
            route,
            how,
            object ?? '-',
            JSON.stringify(table.put(params)),
          ].join(' '),
        );
      }
    }
  }
  const objects = [...types.objects]
    .filter(([object]) => object !== 'list' && object !== 'search_result')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([object, { scope, name }]) =>
        `  ${JSON.stringify(object)}: '${JSON.stringify(table.put(types.shape(scope, name)))}',`,
    );
  const event = types.file('resources/Events.d.ts');
  const told = event === undefined ? '' : String(types.shape(event, 'Event.Type'));
  const seen = new Set<string>();
  const sorted = operations.sort().filter(line => {
    const [, method, route = ''] = line.split(' ');
    const key = `${method} ${route.replaceAll(/\{\w+\}/g, '{}')}`;
    return seen.has(key) ? false : seen.add(key);
  });
  const quoted = (text: string): string => `  '${text.replaceAll("'", "\\'")}',`;
  return [
    '// Generated from the stripe package by `npm run generate`. Do not edit.',
    '/** `<name> <method> <path> <one|list|search|gone> <object> <shape of the parameters>` */',
    `export const VENDOR_OPERATIONS: readonly string[] = [\n${sorted.map(quoted).join('\n')}\n];`,
    '/** Object → the shape of its fields. */',
    `export const VENDOR_OBJECTS: { readonly [object: string]: string } = {\n${objects.join('\n')}\n};`,
    '/** Shapes that others name as `#<number>`. */',
    `export const VENDOR_SHAPES: readonly string[] = [\n${table.texts.map(quoted).join('\n')}\n];`,
    `export const VENDOR_EVENTS: readonly string[] = [\n${told.slice(1).split('|').map(quoted).join('\n')}\n];\n`,
  ].join('\n');
}
