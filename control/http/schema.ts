// JSON Schema (2020-12) as the routes write it: few words for the shapes that answers are made of. Objects stay
// open in the published document, since a field that is added later must break no client; the contract check of
// the tests closes them.

export type Schema = { readonly [keyword: string]: unknown };

type Fields = { readonly [name: string]: Schema };

/** `optional` fields may be missing; all others are always there. */
export function object(fields: Fields, optional: Fields = {}): Schema {
  return { type: 'object', properties: { ...fields, ...optional }, required: Object.keys(fields) };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

/** An object with any names, whose values are all of one shape. */
export function map(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

export function orNull(schema: Schema): Schema {
  // Null is of no list of values.
  return typeof schema['type'] === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, NULL] };
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function withText(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

export const NULL: Schema = { type: 'null' };
export const TEXT: Schema = { type: 'string' };
export const FLAG: Schema = { type: 'boolean' };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const NUMBER: Schema = { type: 'number' };
/** Whatever JSON a twin keeps. */
export const ANYTHING: Schema = { description: 'any JSON' };
export const INSTANT: Schema = { type: 'string', format: 'date-time', description: 'ISO 8601' };
export const POSITION: Schema = { type: 'integer', minimum: 0, description: 'place in the twin’s log' };

/** Keeps the names of shapes. */
export function shapesOf<Name extends string>(
  shapes: { readonly [name in Name]: Schema },
): {
  readonly [name in Name]: Schema;
} {
  return shapes;
}

/** A shape by its name. */
export function to(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
