// A value that satisfies a JSON Schema: what a twin of a language model answers where the client asks for
// structure and no handler says more. Always the same for the same schema. Schemas are users' own, so depth and
// size are bounded, and what cannot be satisfied is answered as nearly as can be.

import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  numberField,
  textField,
} from './json.ts';
import {
  SAMPLE_DEPTH_MAX,
  SAMPLE_ITEMS_MAX,
  SAMPLE_OPTIONAL_DEPTH_MAX,
  SAMPLE_TEXT_CHARS_MAX,
  SAMPLE_VALUES_MAX,
} from './limits.ts';
import { patternSample } from './pattern-sample.ts';

/** Texts by `format`, as RFC 3339, RFC 5322 and their like write them. */
const FORMATS: { readonly [format: string]: string } = {
  'date-time': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  'idn-email': 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/a',
  regex: '^a$',
};

/** `named` is what a text without any bound is called after: the property it is in. */
export function sampleOf(schema: Json | undefined): Json {
  return new Sampler(schema ?? {}).of(schema ?? {}, 'text', 0);
}

class Sampler {
  readonly #root: Json;
  #left = SAMPLE_VALUES_MAX;

  constructor(root: Json) {
    this.#root = root;
  }

  of(schema: Json, named: string, depth: number): Json {
    this.#left -= 1;
    if (!isJsonObject(schema) || depth > SAMPLE_DEPTH_MAX || this.#left < 0) return null;
    const merged = this.#merged(schema, 0);
    const whole = { ...toldBounds(merged), ...merged };
    for (const name of ['const', 'default'] as const) {
      const value = field(whole, name);
      if (value !== undefined) return value;
    }
    const [first] = arrayField(whole, 'enum');
    if (first !== undefined) return first;
    const [example] = arrayField(whole, 'examples');
    if (example !== undefined) return example;
    switch (this.#typeOf(whole)) {
      case 'object':
        return this.#object(whole, depth);
      case 'array':
        return this.#array(whole, named, depth);
      case 'number':
        return numberOf(whole, false);
      case 'integer':
        return numberOf(whole, true);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return textOf(whole, named);
    }
  }

  /** References, `allOf`, and the first of `anyOf` and `oneOf` that is no null, as one schema. */
  #merged(schema: JsonObject, hops: number): JsonObject {
    if (hops > SAMPLE_DEPTH_MAX) return {};
    let whole: JsonObject = schema;
    const add = (part: Json | undefined): void => {
      if (!isJsonObject(part)) return;
      const merged = this.#merged(part, hops + 1);
      const required = [...arrayField(whole, 'required'), ...arrayField(merged, 'required')];
      const properties = { ...asObject(whole, 'properties'), ...asObject(merged, 'properties') };
      whole = {
        ...merged,
        ...whole,
        ...(required.length > 0 && { required }),
        ...(Object.keys(properties).length > 0 && { properties }),
      };
    };
    const reference = textField(schema, '$ref');
    if (reference !== null) add(this.#referred(reference));
    for (const part of arrayField(schema, 'allOf')) add(part);
    for (const name of ['anyOf', 'oneOf']) {
      const choices = arrayField(schema, name);
      add(choices.find(choice => field(choice, 'type') !== 'null') ?? choices[0]);
    }
    return whole;
  }

  #referred(reference: string): Json | undefined {
    if (!reference.startsWith('#')) return undefined;
    let at: Json | undefined = this.#root;
    for (const segment of reference.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      at = Array.isArray(at) ? at[Number(name)] : field(at, name);
    }
    return at;
  }

  #typeOf(schema: JsonObject): string {
    const type = field(schema, 'type');
    if (typeof type === 'string') return type;
    if (Array.isArray(type)) return String(type.find(each => each !== 'null') ?? 'null');
    if (Object.hasOwn(schema, 'properties')) return 'object';
    if (Object.hasOwn(schema, 'items') || Object.hasOwn(schema, 'prefixItems')) return 'array';
    if (Object.hasOwn(schema, 'minimum') || Object.hasOwn(schema, 'maximum')) return 'number';
    return 'string';
  }

  #object(schema: JsonObject, depth: number): Json {
    const properties = asObject(schema, 'properties');
    const required = new Set(arrayField(schema, 'required').filter(name => typeof name === 'string'));
    const made: { [name: string]: Json } = {};
    for (const [name, inner] of Object.entries(properties)) {
      if (!required.has(name) && (required.size > 0 || depth >= SAMPLE_OPTIONAL_DEPTH_MAX)) continue;
      Object.defineProperty(made, name, {
        value: this.of(inner, name, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    for (const name of required) if (!Object.hasOwn(made, name)) made[name] = null;
    return made;
  }

  #array(schema: JsonObject, named: string, depth: number): Json {
    const prefix = arrayField(schema, 'prefixItems');
    const items = field(schema, 'items');
    const max = numberField(schema, 'maxItems') ?? SAMPLE_ITEMS_MAX;
    const min =
      numberField(schema, 'minItems') ?? (depth < SAMPLE_OPTIONAL_DEPTH_MAX && items !== undefined ? 1 : 0);
    const made = prefix.map(inner => this.of(inner, named, depth + 1));
    while (made.length < Math.min(min, max, SAMPLE_ITEMS_MAX)) {
      const value = this.of(items ?? {}, named, depth + 1);
      made.push(field(schema, 'uniqueItems') === true ? unlike(made, value, items) : value);
    }
    return made.slice(0, max);
  }
}

const BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];
const TOLD_BOUND = /([a-z]+(?: ?[A-Za-z]+)?): ?"?(-?\d+(?:\.\d+)?|[a-z][a-z-]*)/g;

/**
 * Bounds that a vendor does not take in its schemas are moved by the SDKs to the end of the description, where a
 * model reads them: `{minimum: 18, maximum: 99}`, or `min items: 2; format: email.` A twin reads them too.
 */
function toldBounds(schema: JsonObject): JsonObject {
  const line = textField(schema, 'description')?.trim().split('\n').at(-1) ?? '';
  const told: { [name: string]: Json } = {};
  for (const [, words = '', value = ''] of line.matchAll(TOLD_BOUND)) {
    const name = words.replace(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (BOUNDS.includes(name) && Number.isFinite(Number(value))) told[name] = Number(value);
    else if (name === 'format' && Object.hasOwn(FORMATS, value)) told[name] = value;
  }
  return told;
}

function asObject(of: JsonObject, name: string): JsonObject {
  const value = field(of, name);
  return isJsonObject(value) ? value : {};
}

/** Another value of the same kind where that one is there already. */
function unlike(held: readonly Json[], value: Json, schema: Json | undefined): Json {
  const same = (other: Json): boolean => held.some(each => JSON.stringify(each) === JSON.stringify(other));
  if (!same(value)) return value;
  const choice = arrayField(schema, 'enum').find(each => !same(each));
  if (choice !== undefined) return choice;
  if (typeof value === 'number') return value + held.length;
  return typeof value === 'string' ? `${value}${held.length + 1}` : value;
}

function numberOf(schema: JsonObject, whole: boolean): number {
  const least = numberField(schema, 'minimum');
  const above = numberField(schema, 'exclusiveMinimum');
  const most = numberField(schema, 'maximum');
  const below = numberField(schema, 'exclusiveMaximum');
  const step = numberField(schema, 'multipleOf') ?? (whole ? 1 : null);
  const low = Math.max(least ?? Number.NEGATIVE_INFINITY, above ?? Number.NEGATIVE_INFINITY);
  const high = Math.min(most ?? Number.POSITIVE_INFINITY, below ?? Number.POSITIVE_INFINITY);
  const fits = (number: number): boolean =>
    (least === null || number >= least) &&
    (above === null || number > above) &&
    (most === null || number <= most) &&
    (below === null || number < below);
  if (fits(1) && (step === null || 1 % step === 0)) return 1;
  if (step !== null && step > 0) {
    const from = Number.isFinite(low) ? Math.ceil(low / step) : Math.floor(high / step);
    for (const at of [from, from + 1, from - 1, 0]) if (fits(at * step)) return at * step;
  }
  if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2;
  return Number.isFinite(low) ? low + 1 : high - 1;
}

function textOf(schema: JsonObject, named: string): string {
  const pattern = textField(schema, 'pattern');
  if (pattern !== null) {
    const sample = patternSample(pattern);
    if (sample !== null) return sample;
  }
  const format = textField(schema, 'format');
  if (format !== null && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? '';
  const min = Math.min(numberField(schema, 'minLength') ?? 0, SAMPLE_TEXT_CHARS_MAX);
  const max = numberField(schema, 'maxLength') ?? SAMPLE_TEXT_CHARS_MAX;
  return named.padEnd(min, '.').slice(0, Math.max(0, max));
}
