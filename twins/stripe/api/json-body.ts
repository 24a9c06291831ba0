// The JSON bodies of the second version of Stripe's API, as the tree that the decoder of forms reads.
import type { FormMap, FormNode } from '../../kit/form.ts';
import { isJsonObject, readJson } from '../../kit/json.ts';
import { FORM_DEPTH_MAX, FORM_FIELDS_MAX } from '../../kit/limits.ts';
import { invalid } from './errors.ts';

/** Empty for no body. Throws `StripeRefusal` for what is no JSON object, or too large a one. */
export function jsonFields(body: Uint8Array): FormMap {
  if (body.length === 0) return new Map();
  const value = readJson(body);
  if (!isJsonObject(value)) throw unreadable();
  const room = { left: FORM_FIELDS_MAX };
  return mapOf(Object.entries(value), 0, room);
}

function mapOf(
  entries: readonly (readonly [string, unknown])[],
  depth: number,
  room: { left: number },
): FormMap {
  const map: FormMap = new Map();
  for (const [name, value] of entries) {
    room.left -= 1;
    if (depth >= FORM_DEPTH_MAX || room.left < 0) throw unreadable();
    map.set(name, nodeOf(value, depth, room));
  }
  return map;
}

/** Null is what a form says with an empty value. */
function nodeOf(value: unknown, depth: number, room: { left: number }): FormNode {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  return mapOf(
    Array.isArray(value) ? value.map((item, at) => [String(at), item] as const) : Object.entries(value),
    depth + 1,
    room,
  );
}

function unreadable(): Error {
  return invalid('Invalid request: the body is not a JSON object that can be read.');
}
