// Values in a request, refused in OpenAI's words where they are of another kind or out of bounds.
import { field, type JsonObject } from '../kit/json.ts';
import { invalid } from './errors.ts';

export type Bounds = { readonly min: number; readonly max: number; readonly whole: boolean };

/** Of one field, where it is there at all. */
export function checkAmount(body: JsonObject, name: string, { min, max, whole }: Bounds): void {
  const value = field(body, name);
  if (value === undefined || value === null) return;
  const kind = whole ? 'integer' : 'decimal';
  if (typeof value !== 'number' || (whole && !Number.isInteger(value)))
    throw wrongType(name, whole ? 'an integer' : 'a decimal', value);
  if (value < min)
    throw invalid(
      `Invalid '${name}': ${kind} below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
      name,
      `${kind}_below_min_value`,
    );
  if (value > max)
    throw invalid(
      `Invalid '${name}': ${kind} above maximum value. Expected a value <= ${max}, but got ${value} instead.`,
      name,
      `${kind}_above_max_value`,
    );
}

export function checkLength(value: string, name: string, max: number): void {
  if (value.length > max)
    throw invalid(
      `Invalid '${name}': string too long. Expected a string with maximum length ${max}, but got a string with length ${value.length} instead.`,
      name,
      'string_above_max_length',
    );
}

/** One of a few words. */
export function checkWord(value: unknown, name: string, words: readonly string[]): void {
  if (typeof value === 'string' && words.includes(value)) return;
  throw invalid(
    `Invalid value: '${String(value)}'. Supported values are: ${listed(words)}.`,
    name,
    'invalid_value',
  );
}

/** `'a', 'b', and 'c'` */
function listed(words: readonly string[]): string {
  const quoted = words.map(word => `'${word}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}

/** `expected` as OpenAI says it: `an object`. */
export function wrongType(name: string, expected: string, got: unknown): Error {
  return invalid(
    `Invalid type for '${name}': expected ${expected}, but got ${kindOf(got)} instead.`,
    name,
    'invalid_type',
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return `a ${typeof value}`;
}
