// The OpenAPI document of a world as the tests hold it against what is answered: each answer of the world's own
// endpoints has a documented status, the documented media type, and a body with the documented fields and no more.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { answersOf } from '../../control/http/openapi.ts';
import type { Documented } from '../../control/http/route.ts';
import { documented } from '../../control/http/routes.ts';
import type { Schema } from '../../control/http/schema.ts';
import { SHAPES } from '../../control/http/shapes.ts';

export type Exchange = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** Null where the test did not read it (a stream). */
  readonly text: string | null;
};

type Validate = ReturnType<Ajv2020['compile']>;

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
ajv.addKeyword('components');
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const shapes = Object.fromEntries(Object.entries(SHAPES).map(([name, schema]) => [name, closed(schema)]));
const compiled = new Map<Schema, Validate>();

type Operation = { readonly route: Documented; readonly path: RegExp };

const operations = new Map<string, readonly Operation[]>();

/** `<method> <template> <status>` of every answer that was held to the document in this process. */
export const seen: Set<string> = new Set();

/** Throws an error that says what is not as documented. */
export function holdToContract(exchange: Exchange): void {
  hold(operationsOf(exchange.world), exchange);
}

/** As `holdToContract`, of the endpoints of a host of worlds; what is none of them may be a world's. */
export function holdTo(routes: readonly Documented[], exchange: Omit<Exchange, 'world'>): void {
  const path = pathOf(exchange.target);
  const operations = routes.map(route => ({ route, path: pathPattern(route.path) }));
  if (path !== null && operations.some(each => each.path.test(path))) hold(operations, exchange);
}

function hold(operations: readonly Operation[], exchange: Omit<Exchange, 'world'>): void {
  const { method, target, status, contentType, text } = exchange;
  const path = pathOf(target);
  const all = operations.filter(each => path !== null && each.path.test(path));
  const here = all.filter(({ route }) => route.access !== 'vendor');
  // What a vendor's path answers is the twin's own.
  if (here.length < all.length && here.length === 0) return;
  const fail = (why: string): never => {
    throw new Error(`${method} ${target}: ${status} ${text?.slice(0, 300) ?? ''}\nnot as documented: ${why}`);
  };
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = here.find(each => each.route.method === wanted)?.route;
  if (route === undefined) {
    const expected = here.length > 0 ? 405 : 404;
    // An unreadable target, and one that belongs to no route at all.
    if (status !== expected && status !== 400) fail(`a path without this route answers ${expected}`);
    if (method !== 'HEAD' && text !== null) holdBody(SHAPES.Error, text, fail);
    return;
  }
  const answer = answersOf(route)[String(status)];
  if (answer === undefined) return fail(`${method} ${route.path} does not document ${status}`);
  seen.add(`${route.method} ${route.path} ${status}`);
  const type = answer.type ?? (answer.schema === undefined ? undefined : 'application/json');
  if (type === undefined) {
    if (text !== null && text !== '') fail('it has no body');
    return;
  }
  const [given = ''] = (contentType ?? '').split(';');
  // A range, `text/*`, is documented as the OpenAPI document may say it.
  const fits = type.endsWith('/*') ? given.startsWith(type.slice(0, -1)) : given === type;
  if (!fits) fail(`its type is ${type}, not ${contentType}`);
  if (answer.schema !== undefined && type === 'application/json' && method !== 'HEAD' && text !== null)
    holdBody(answer.schema, text, fail);
}

export function key(route: Documented, status: number | string): string {
  return `${route.method} ${route.path} ${status}`;
}

function holdBody(schema: Schema, text: string, fail: (why: string) => never): void {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ ...closed(schema), components: { schemas: shapes } });
    compiled.set(schema, validate);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('the body is no JSON');
  }
  if (!validate(value)) fail(ajv.errorsText(validate.errors, { dataVar: 'body' }));
}

/** An object with named fields has no others; one with a map's values keeps them. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const fields = copy['properties'];
  const isObject = fields !== undefined && copy['additionalProperties'] === undefined && 'type' in copy;
  return (isObject ? { ...copy, additionalProperties: false } : copy) as T;
}

function operationsOf(world: string): readonly Operation[] {
  let of = operations.get(world);
  if (of === undefined) {
    of = documented.map(route => ({
      route,
      path: pathPattern(route.path.replace('<org>/<world>', world)),
    }));
    operations.set(world, of);
  }
  return of;
}

function pathPattern(template: string): RegExp {
  const text = template
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\/<[a-z]+\\\.\\\.\\\.>/g, '(?:/.*)?')
    .replace(/<[a-z]+>/g, '[^/]+');
  return new RegExp(`^${text}$`);
}

function pathOf(target: string): string | null {
  return URL.parse(target, 'http://world.test')?.pathname ?? null;
}
