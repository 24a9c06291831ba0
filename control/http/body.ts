// A request body as an endpoint reads it: a JSON object with exactly the fields that it names.
import { parseJson } from '../../policy/json-text.ts';

export type JsonBody =
  | { readonly ok: true; readonly value: { readonly [field: string]: unknown } }
  | { readonly ok: false; readonly code: 'bad-body'; readonly message: string };

/** `optional`: no body at all is an object without fields, for what can be asked for without saying more. */
export function parseBody(
  body: Uint8Array,
  fields: readonly string[],
  { optional = false }: { readonly optional?: boolean } = {},
): JsonBody {
  if (optional && body.length === 0) return { ok: true, value: {} };
  const parsed = parseJson(body);
  if (!parsed.ok) return bad(`The body is ${parsed.why}.`);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad('The body is no JSON object.');
  const unknown = Object.keys(value).find(key => !fields.includes(key));
  if (unknown !== undefined)
    return bad(`The body has an unknown field “${unknown.slice(0, 64)}”; it takes ${fields.join(', ')}.`);
  return { ok: true, value: value as { readonly [field: string]: unknown } };
}

function bad(message: string): JsonBody {
  return { ok: false, code: 'bad-body', message };
}
