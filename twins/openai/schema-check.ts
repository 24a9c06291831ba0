// Schemas that OpenAI is to keep to, refused in its words where they leave something open.
import type { Json } from '../kit/json.ts';
import { field } from '../kit/json.ts';
import { openObjectIn, optionalIn, type SchemaPath } from '../kit/strict-schema.ts';
import { invalid } from './errors.ts';

/** The formats that an answer may be asked for in. */
export const FORMATS: readonly string[] = ['json_object', 'json_schema', 'text'];

export type StrictSchema = {
  readonly schema: Json;
  /** `response_format 'point'`, `function 'add'` */
  readonly of: string;
  readonly param: string;
  readonly code: string;
};

export function checkStrict({ schema, of, param, code }: StrictSchema): void {
  const refuse = (why: string): Error => invalid(`Invalid schema for ${of}: ${why}`, param, code);
  const type = field(schema, 'type');
  if (type !== 'object')
    throw refuse(
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type ?? 'None')}"'.`,
    );
  const open = openObjectIn(schema);
  if (open !== null)
    throw refuse(
      `In context=${tuple(open)}, 'additionalProperties' is required to be supplied and to be false.`,
    );
  const optional = optionalIn(schema);
  if (optional !== null)
    throw refuse(
      `In context=${tuple(optional.path)}, 'required' is required to be supplied and to be an array including every key ` +
        `in properties. Missing '${optional.property}'.`,
    );
}

/** As Python writes it: `()`, `('items',)`. */
function tuple(path: SchemaPath): string {
  const quoted = path.map(each => `'${each}'`);
  return quoted.length === 1 ? `(${quoted[0]},)` : `(${quoted.join(', ')})`;
}
