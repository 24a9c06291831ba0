// JSON that somebody else wrote, read without trust: a field is of the type that is asked for, or it is missing.
import { parseJson } from '../../policy/json-text.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field; a name such as `constructor` is no field of an object that does not have it. */
export function field(of: unknown, name: string): Json | undefined {
  return isJsonObject(of) && Object.hasOwn(of, name) ? of[name] : undefined;
}

export function textField(of: unknown, name: string): string | null {
  const value = field(of, name);
  return typeof value === 'string' ? value : null;
}

export function numberField(of: unknown, name: string): number | null {
  const value = field(of, name);
  return typeof value === 'number' ? value : null;
}

export function objectField(of: unknown, name: string): JsonObject | null {
  const value = field(of, name);
  return isJsonObject(value) ? value : null;
}

export function arrayField(of: unknown, name: string): readonly Json[] {
  const value = field(of, name);
  return Array.isArray(value) ? value : [];
}

/** Undefined when it is no JSON, or nests deeper than anything does that somebody means. */
export function readJson(bytes: Uint8Array | string): Json | undefined {
  const read = parseJson(bytes);
  return read.ok ? (read.value as Json) : undefined;
}
