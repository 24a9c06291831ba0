// Schemas that a model must keep to: the vendors take one only if every object in it says all that it has.
import { field, isJsonObject, type Json, type JsonObject } from './json.ts';
import { SAMPLE_DEPTH_MAX } from './limits.ts';

/** Where it stands in the schema: `['properties', 'steps', 'items']`. */
export type SchemaPath = readonly string[];

/** The first object without `additionalProperties: false`; null where there is none. */
export function openObjectIn(schema: Json): SchemaPath | null {
  for (const [path, each] of objectsIn(schema, [], 0))
    if (field(each, 'additionalProperties') !== false) return path;
  return null;
}

/** The first object that does not require each of its properties, and one that it leaves open. */
export function optionalIn(schema: Json): { readonly path: SchemaPath; readonly property: string } | null {
  for (const [path, each] of objectsIn(schema, [], 0)) {
    const required = field(each, 'required');
    const listed = Array.isArray(required) ? required : [];
    const properties = field(each, 'properties');
    const property = Object.keys(isJsonObject(properties) ? properties : {}).find(
      name => !listed.includes(name),
    );
    if (property !== undefined) return { path, property };
  }
  return null;
}

const MAPS = ['properties', '$defs', 'definitions'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

function* objectsIn(
  schema: Json,
  path: SchemaPath,
  depth: number,
): Generator<readonly [SchemaPath, JsonObject]> {
  if (!isJsonObject(schema) || depth > SAMPLE_DEPTH_MAX) return;
  const type = field(schema, 'type');
  if (type === 'object' || (Array.isArray(type) && type.includes('object'))) yield [path, schema];
  for (const name of MAPS) {
    const inner = field(schema, name);
    for (const [key, each] of Object.entries(isJsonObject(inner) ? inner : {}))
      yield* objectsIn(each, [...path, name, key], depth + 1);
  }
  for (const name of LISTS) {
    const inner = field(schema, name);
    for (const [at, each] of (Array.isArray(inner) ? inner : []).entries())
      yield* objectsIn(each, [...path, name, String(at)], depth + 1);
  }
  yield* objectsIn(field(schema, 'items') ?? null, [...path, 'items'], depth + 1);
}
