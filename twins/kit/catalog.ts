// A vendor's whole API, compact: which operations there are, and of which objects. It is compiled ahead of time from the
// vendor's published description (OpenAPI 3), and what is large about that is never read while a world starts.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from './json.ts';

/** What an operation does to a record; those that do something else have none. */
export type Does = 'create' | 'get' | 'list' | 'update' | 'delete';

export type CatalogOperation = {
  readonly method: string;
  readonly path: string;
  /** The object that it is about: a name of `schemas`. */
  readonly type?: string;
  readonly does?: Does;
};

export type Catalog = {
  readonly operations: readonly CatalogOperation[];
  /** JSON Schemas of the objects, and of what those refer to (`#/$defs/<name>`). */
  readonly schemas: { readonly [type: string]: Json };
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const REFERENCES = '#/components/schemas/';
const REFERENCE_HOPS_MAX = 8;
const ENDS_IN_PARAMETER = /\{[^}]+\}$/;

/** Compiles an OpenAPI document. Operations keep the path of the document's first server before their own. */
export function catalogOf(document: JsonObject): Catalog {
  const base = basePath(textField(arrayField(document, 'servers')[0], 'url') ?? '');
  const operations: CatalogOperation[] = [];
  for (const [path, item] of Object.entries(objectField(document, 'paths') ?? {})) {
    const read = objectField(item, 'get');
    const held = read === null ? null : objectOf(document, read);
    for (const method of METHODS) {
      const operation = objectField(item, method);
      if (operation === null) continue;
      const about = aboutOf(document, { method, path, operation, held });
      operations.push({ method: method.toUpperCase(), path: `${base}${path}`, ...about });
    }
  }
  const types = new Set(operations.flatMap(({ type }) => (type === undefined ? [] : [type])));
  return { operations, schemas: schemasOf(document, types) };
}

function basePath(server: string): string {
  const path = server.startsWith('/') ? server : (URL.parse(server)?.pathname ?? '');
  return path.replace(/\/+$/, '');
}

type Asked = {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly operation: JsonObject;
  /** The object that a GET at the same path answers. */
  readonly held: string | null;
};

/** Only what the description says for certain: an object that is answered by name, at a path of its own or its list's. */
function aboutOf(
  document: JsonObject,
  { method, path, operation, held }: Asked,
): Pick<CatalogOperation, 'type' | 'does'> {
  const one = ENDS_IN_PARAMETER.test(path);
  const about = (type: string | null, does: Does): Pick<CatalogOperation, 'type' | 'does'> =>
    type === null ? {} : { type, does };
  switch (method) {
    case 'get':
      return one ? about(objectOf(document, operation), 'get') : about(listedBy(document, operation), 'list');
    case 'post': {
      const type = objectOf(document, operation);
      if (one) return type === held ? about(type, 'update') : {};
      return /^[^{]*$/.test(lastSegment(path)) ? about(type, 'create') : {};
    }
    case 'put':
    case 'patch':
      return one && objectOf(document, operation) === held ? about(held, 'update') : {};
    case 'delete':
      return one ? about(held, 'delete') : {};
  }
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The schema of what the operation answers where it goes well. */
function answered(document: JsonObject, operation: JsonObject): Json | undefined {
  const responses = objectField(operation, 'responses') ?? {};
  const named = ['200', '201'].map(status => field(responses, status)).find(each => each !== undefined);
  const response = followed(document, named);
  const content = objectField(response, 'content') ?? {};
  return field(content[Object.keys(content).find(type => type.includes('json')) ?? ''], 'schema');
}

/** The name of the object that is answered; null where it is none of a name. */
function objectOf(document: JsonObject, operation: JsonObject): string | null {
  return nameOf(answered(document, operation));
}

/** The name of the objects in the list that is answered: the whole of it, or its one array of objects with a name. */
function listedBy(document: JsonObject, operation: JsonObject): string | null {
  const schema = followed(document, answered(document, operation));
  const whole = nameOf(field(schema, 'items'));
  if (whole !== null) return whole;
  const inside = Object.values(objectField(schema, 'properties') ?? {})
    .map(property => nameOf(field(followed(document, property), 'items')))
    .filter(name => name !== null);
  return inside.length === 1 ? inside[0]! : null;
}

function nameOf(schema: Json | undefined): string | null {
  const reference = textField(schema, '$ref');
  return reference?.startsWith(REFERENCES) === true ? reference.slice(REFERENCES.length) : null;
}

function followed(document: JsonObject, given: Json | undefined): Json | undefined {
  let at = given;
  for (let hop = 0; hop < REFERENCE_HOPS_MAX; hop += 1) {
    const reference = textField(at, '$ref');
    if (reference === null || !reference.startsWith('#/')) return at;
    at = reference
      .slice(2)
      .split('/')
      .reduce<Json | undefined>(
        (of, name) => field(of, name.replaceAll('~1', '/').replaceAll('~0', '~')),
        document,
      );
  }
  return undefined;
}

/** Those schemas and the ones they refer to, without the prose. */
function schemasOf(document: JsonObject, types: ReadonlySet<string>): Catalog['schemas'] {
  const all = objectField(objectField(document, 'components'), 'schemas') ?? {};
  const made: { [name: string]: Json } = {};
  const wanted = [...types];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (Object.hasOwn(made, name) || !Object.hasOwn(all, name)) continue;
    made[name] = compact(all[name]!, other => wanted.push(other));
  }
  return made;
}

const PROSE = ['description', 'title', 'externalDocs', 'example', 'examples', 'deprecated', 'xml'];

/** `within`: whether the names are those of properties, where `description` is one like others. */
function compact(schema: Json, refers: (name: string) => void, within = false): Json {
  if (Array.isArray(schema)) return schema.map(each => compact(each, refers));
  if (!isJsonObject(schema)) return schema;
  const made: { [name: string]: Json } = {};
  for (const [name, held] of Object.entries(schema)) {
    if (!within && (PROSE.includes(name) || name.startsWith('x-'))) continue;
    if (!within && name === '$ref' && typeof held === 'string' && held.startsWith(REFERENCES)) {
      const other = held.slice(REFERENCES.length);
      refers(other);
      made[name] = `#/$defs/${other}`;
    } else made[name] = compact(held, refers, !within && name === 'properties');
  }
  return made;
}
