// The generic tier: operations that nobody wrote by hand, answered from the vendor's own description, statefully. What was
// made can be read, listed, changed and deleted again; a field that no caller gave is a sample of its schema.
import type { Catalog, CatalogOperation, Does } from './catalog.ts';
import { serial, uuid } from './ids.ts';
import { field, isJsonObject, type Json, type JsonObject, objectField, textField } from './json.ts';
import type { Listed } from './paging.ts';
import { Refusal } from './refusal.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { RestAsk, RestRoute } from './rest-twin.ts';
import type { RouteLike } from './routes.ts';
import { sampleOf } from './schema-sample.ts';
import type { RecordType } from './twin.ts';
import type { RecordBody } from './tx.ts';

export type GenericTier = {
  readonly catalog: Catalog;
  /** Ids of a type begin so; those that are numbers, or a uuid by their format, are made so without. */
  readonly idPrefixes?: { readonly [type: string]: string };
  /** One page of a type in the vendor's own style (paging.ts). */
  readonly list: (asked: RestAsk, type: string, of: Listed) => Reply;
};

export type GenericParts = {
  readonly routes: readonly RestRoute[];
  readonly records: { readonly [type: string]: RecordType };
};

const ID_CHARS = 16;
/** What stands between a record and its path: the ids before its own. Never answered. */
const PARENT = '$parent';

/** Those of the catalog that are not among `modelled`, of types that can be made and read and are not among `kept`. */
export function genericTier(
  { catalog, idPrefixes = {}, list }: GenericTier,
  modelled: readonly RouteLike[],
  kept: readonly string[],
): GenericParts {
  const taken = new Set(modelled.map(shapeOf));
  const free = catalog.operations.filter(operation => !taken.has(shapeOf(operation)));
  const find = (type: string, what: Does): CatalogOperation | undefined =>
    free.find(operation => operation.type === type && operation.does === what);
  const routes: RestRoute[] = [];
  for (const operation of free) {
    const { type, does: what, method, path } = operation;
    if (type === undefined || what === undefined || kept.includes(type)) continue;
    const [made, read] = [find(type, 'create'), find(type, 'get')];
    if (made === undefined || read === undefined || !Object.hasOwn(catalog.schemas, type)) continue;
    const nested = (read.path.match(/\{/g) ?? []).length > 1;
    // What is made elsewhere than it is read belongs to something that its path does not say.
    if (nested && `${shapeOf(made)}/{}` !== shapeOf({ ...read, method: made.method })) continue;
    const shape = shapeOf(operation);
    if (taken.has(shape)) continue;
    taken.add(shape);
    const prefix = idPrefixes[type] ?? `${type.slice(0, 4).toLowerCase()}_`;
    const desk: Desk = { type, path, nested, key: keyField(catalog, type, read.path), catalog, prefix, list };
    routes.push({
      method: method as RestRoute['method'],
      path,
      operation: `${type}.${what}`,
      run: asked => WORK[what](desk, asked),
    });
  }
  const types = new Set(routes.map(({ operation }) => operation.slice(0, operation.lastIndexOf('.'))));
  return {
    routes,
    records: {
      ...Object.fromEntries([...types].map(type => [type, { indexes: [[PARENT]] }])),
      ...(types.size === 0 ? {} : { counter: { indexes: [] } }),
    },
  };
}

/** Two routes of one shape are one, whatever their parameters are called. */
export function shapeOf({ method, path }: RouteLike): string {
  return `${method} ${path.replaceAll(/\/\{[^/]*/g, '/{}')}`;
}

type Desk = {
  readonly type: string;
  readonly path: string;
  /** Its records are read at paths that name what they belong to. */
  readonly nested: boolean;
  /** The field that their paths end in. */
  readonly key: string;
  readonly catalog: Catalog;
  readonly prefix: string;
  readonly list: GenericTier['list'];
};

const WORK: { readonly [what in Does]: (desk: Desk, asked: RestAsk) => Reply } = {
  create: (desk, asked) => {
    const schema = schemaOf(desk);
    const parent = parentOf(desk, asked, 'list');
    const sampled = sampleOf({ ...schema, $defs: desk.catalog.schemas });
    const body = given(schema, asked.body);
    const made: { [name: string]: Json } = {
      ...(isJsonObject(sampled) ? sampled : {}),
      ...namedInPath(schema, asked),
      ...body,
      ...times(schema, asked, ['created', 'updated']),
      ...newIds(desk, asked, schema, parent, body),
    };
    const kept = keyOf(desk, parent, made);
    if (asked.tx.get(desk.type, kept) !== undefined)
      throw new Refusal(409, 'already_exists', `There is a ${desk.type} ${String(made[desk.key])} already.`);
    asked.tx.put(desk.type, kept, { ...made, [PARENT]: parent });
    return jsonReply(201, made);
  },
  get: (desk, asked) => jsonReply(200, shown(needed(desk, asked))),
  list: (desk, asked) => {
    const parent = parentOf(desk, asked, 'list');
    // A list that stands under nothing has them all, whatever each belongs to.
    return desk.list(asked, desk.type, parent === '' ? {} : { where: { [PARENT]: parent } });
  },
  update: (desk, asked) => {
    const schema = schemaOf(desk);
    const held = needed(desk, asked);
    const { id, [desk.key]: key } = held;
    const same = { ...(id === undefined ? {} : { id }), [desk.key]: key };
    const next = { ...held, ...given(schema, asked.body), ...times(schema, asked, ['updated']), ...same };
    asked.tx.put(desk.type, keyOf(desk, String(held[PARENT]), next), next);
    return jsonReply(200, shown(next));
  },
  delete: (desk, asked) => {
    const held = needed(desk, asked);
    asked.tx.delete(desk.type, keyOf(desk, String(held[PARENT]), held));
    return { status: 204, headers: [], body: null };
  },
};

function schemaOf({ catalog, type }: Desk): JsonObject {
  const schema = catalog.schemas[type];
  return isJsonObject(schema) ? schema : {};
}

/** What is read under its parent is kept under it too: numbers count by their place (issues of a repository). */
function keyOf({ nested, key }: Desk, parent: string, record: RecordBody): string {
  return nested ? `${parent}/${String(record[key])}` : String(record[key]);
}

/** `{number}` where the object has a number, else its id. */
function keyField({ schemas }: Catalog, type: string, path: string): string {
  const name = lastParameter(path);
  return Object.hasOwn(objectField(schemas[type], 'properties') ?? {}, name) ? name : 'id';
}

function lastParameter(path: string): string {
  return /\{([^}]+)\}$/.exec(path)?.[1] ?? '';
}

/** What a record is called by: its id, and the field that its paths end in, which a caller may give. */
function newIds(
  desk: Desk,
  { tx }: RestAsk,
  schema: JsonObject,
  parent: string,
  body: JsonObject,
): JsonObject {
  const { type, prefix, nested, key } = desk;
  const properties = objectField(schema, 'properties') ?? {};
  const made = (name: string, series: string): Json => {
    const property = properties[name];
    if (['integer', 'number'].includes(textField(property, 'type') ?? '')) return serial(tx, series);
    return textField(property, 'format') === 'uuid' ? uuid(tx) : tx.id(prefix, ID_CHARS);
  };
  const place = nested ? `${type} ${parent}` : type;
  if (key === 'id') return { id: made('id', place) };
  return {
    ...(Object.hasOwn(properties, 'id') ? { id: made('id', type) } : {}),
    [key]: body[key] ?? made(key, place),
  };
}

/** The ids of a path before its own: what the record belongs to. */
function parentOf({ path }: Desk, asked: RestAsk, of: 'list' | 'one'): string {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const before = of === 'list' ? names : names.slice(0, -1);
  return before.map(name => encodeURIComponent(asked.path[name] ?? '')).join('/');
}

function needed(desk: Desk, asked: RestAsk): RecordBody {
  const key = asked.path[lastParameter(desk.path)] ?? '';
  const held = asked.tx.get(desk.type, keyOf(desk, parentOf(desk, asked, 'one'), { [desk.key]: key }));
  if (held !== undefined) return held;
  throw new Refusal(404, 'not_found', `There is no ${desk.type} ${key}.`);
}

/** A record as its callers see it. */
export function shown(record: RecordBody): RecordBody {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('$')));
}

/** What the body gives of the object's own fields, where it is of a kind that the field takes. */
function given(schema: JsonObject, body: JsonObject): JsonObject {
  const properties = objectField(schema, 'properties') ?? {};
  const made: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(body)) {
    if (Object.hasOwn(properties, name) && takes(properties[name], value)) made[name] = value;
  }
  return made;
}

function takes(property: Json | undefined, value: Json): boolean {
  const types = [field(property, 'type') ?? []].flat();
  if (value === null) return types.includes('null') || field(property, 'nullable') === true;
  if (types.length === 0) return true;
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return types.some(type => type === kind || (type === 'integer' && Number.isInteger(value)));
}

/** `{board}` or `{board_id}` of the path, where the object says what it belongs to. */
function namedInPath(schema: JsonObject, { path }: RestAsk): JsonObject {
  const properties = objectField(schema, 'properties') ?? {};
  const made: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(path)) {
    for (const property of [name, `${name}_id`, `${name}Id`]) {
      if (field(properties[property], 'type') === 'string') made[property] = value;
    }
  }
  return made;
}

/** `created`, `created_at`, `createdAt`: seconds where it is a number, else ISO 8601; by the world's clock. */
function times(schema: JsonObject, { tx }: RestAsk, words: readonly string[]): JsonObject {
  const made: { [name: string]: Json } = {};
  for (const [name, property] of Object.entries(objectField(schema, 'properties') ?? {})) {
    if (!words.some(word => [word, `${word}_at`, `${word}At`].includes(name))) continue;
    const number = [field(property, 'type') ?? []]
      .flat()
      .some(type => type === 'integer' || type === 'number');
    made[name] = number ? Math.floor(tx.now / 1000) : new Date(tx.now).toISOString();
  }
  return made;
}
