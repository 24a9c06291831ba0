// Parameters as data: what an operation takes is a shape, and a decoded form is refused in Stripe's own words
// where it does not fit.
import type { FormMap, FormNode } from '../../kit/form.ts';
import { invalid, type StripeRefusal, unmodelledParameter } from './errors.ts';

type Kind =
  | { readonly kind: 'text'; readonly values?: readonly string[]; readonly max: number }
  | { readonly kind: 'integer'; readonly min: number | null; readonly max: number | null }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'decimal' }
  | { readonly kind: 'number' }
  | { readonly kind: 'word-or-number'; readonly words: readonly string[] }
  | { readonly kind: 'map'; readonly of: Param<unknown> }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'now-or-time' }
  | { readonly kind: 'tree'; readonly numbers: readonly string[] }
  | { readonly kind: 'list'; readonly of: Param<unknown> }
  | { readonly kind: 'hash'; readonly shape: Shape }
  | { readonly kind: 'either'; readonly scalar: Param<unknown>; readonly hash: Param<unknown> };

export type Param<T> = Kind & {
  readonly required?: boolean;
  /** An empty value unsets the field: the decoded value is null. */
  readonly unset?: boolean;
  /** Carries the decoded type; never present. */
  readonly $type?: T;
};

export type Shape = { readonly [name: string]: Param<unknown> };

export type Decoded<S extends Shape> = {
  readonly [K in keyof S as S[K] extends { required: true } ? K : never]: ValueOf<S[K]>;
} & {
  readonly [K in keyof S as S[K] extends { required: true } ? never : K]?: ValueOf<S[K]>;
};

type ValueOf<P> =
  P extends Param<infer T>
    ? P extends { unset: true }
      ? Exclude<T, undefined> | null
      : Exclude<T, undefined>
    : never;

/** A block of options that is kept and answered as it was given. */
export type Tree = null | string | number | boolean | readonly Tree[] | { readonly [name: string]: Tree };

export type MetadataParam = '' | { readonly [name: string]: string };

const TEXT_CHARS_MAX = 5_000;
const METADATA_KEYS_MAX = 50;
const METADATA_NAME_CHARS_MAX = 40;
const METADATA_VALUE_CHARS_MAX = 500;

export const text = (max: number = TEXT_CHARS_MAX): Param<string> => ({ kind: 'text', max });
export const choice = <const V extends string>(...values: readonly V[]): Param<V> => ({
  kind: 'text',
  values,
  max: TEXT_CHARS_MAX,
});
export const integer = (min: number | null = null, max: number | null = null): Param<number> => ({
  kind: 'integer',
  min,
  max,
});
export const boolean = (): Param<boolean> => ({ kind: 'boolean' });
export const decimal = (): Param<string> => ({ kind: 'decimal' });
export const time = (): Param<number> => ({ kind: 'integer', min: 0, max: null });
/** A time, or the word `now`. */
export const nowOrTime = (): Param<number | 'now'> => ({ kind: 'now-or-time' });
/** A time, or one of some words. */
export const wordOrTime = <const W extends string>(...words: readonly W[]): Param<number | W> => ({
  kind: 'word-or-number',
  words,
});
/** A tree that becomes a part of an object: `T` is what the vendor declares of that; nothing here reads it further. */
export const treeOf = <T>(...numbers: readonly string[]): Param<T> => ({ kind: 'tree', numbers });
/** Any hash, kept as given; `true` and `false` are booleans, and so are the named fields numbers. */
export const tree = (...numbers: readonly string[]): Param<{ readonly [name: string]: Tree }> => ({
  kind: 'tree',
  numbers,
});
export const metadata = (): Param<MetadataParam> => ({ kind: 'metadata' });
export const list = <T>(of: Param<T>): Param<readonly T[]> => ({ kind: 'list', of });
/** Names of the caller's, each with the same kind of value. */
export const map = <T>(of: Param<T>): Param<{ readonly [name: string]: T }> => ({ kind: 'map', of });
export const hash = <const S extends Shape>(shape: S): Param<Decoded<S>> => ({ kind: 'hash', shape });
export const either = <A, B>(scalar: Param<A>, other: Param<B>): Param<A | B> => ({
  kind: 'either',
  scalar,
  hash: other,
});
export const required = <T>(param: Param<T>): Param<T> & { readonly required: true } => ({
  ...param,
  required: true,
});
export const unset = <T>(param: Param<T>): Param<T> & { readonly unset: true } => ({ ...param, unset: true });

const address = hash({
  city: unset(text()),
  country: unset(text()),
  line1: unset(text()),
  line2: unset(text()),
  postal_code: unset(text()),
  state: unset(text()),
});
export const addressParam = (): typeof address => address;
export const range = () => either(time(), hash({ gt: time(), gte: time(), lt: time(), lte: time() }));

export type Unmodelled = {
  readonly names: readonly string[];
  readonly operation: string;
  /** Whether the vendor declares a parameter, as `items[][name]`, or one of its words, whatever this twin models of it. */
  readonly declares?: (name: string, value?: string) => boolean;
};

/**
 * Decodes a form against a shape. Throws `StripeRefusal`: unknown names first, then what does not parse, then
 * what is missing.
 */
export function decode<S extends Shape>(form: FormMap, shape: S, unmodelled: Unmodelled): Decoded<S> {
  const unknown: string[] = [];
  collectUnknown(form, shape, '', unmodelled, unknown);
  if (unknown.length > 0) {
    const names = unknown.join(', ');
    throw invalid(`Received unknown parameter${unknown.length > 1 ? 's' : ''}: ${names}`, {
      code: 'parameter_unknown',
      param: unknown[0] ?? '',
    });
  }
  return decodeHash(form, shape, '') as Decoded<S>;
}

function collectUnknown(
  form: FormMap,
  shape: Shape,
  prefix: string,
  unmodelled: Unmodelled,
  unknown: string[],
): void {
  for (const [key, node] of form) {
    const name = prefix === '' ? key : `${prefix}[${key}]`;
    const param = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (param === undefined) {
      const plain = name.replaceAll(/\[\d+\]/g, '[]');
      if (unmodelled.names.includes(plain) || unmodelled.declares?.(plain) === true)
        throw unmodelledParameter(name, unmodelled.operation);
      unknown.push(name);
    } else if (node instanceof Map) {
      descend(node, param, name, unmodelled, unknown);
    } else {
      checkWord(node, param, name, unmodelled);
    }
  }
}

/** A word that the vendor knows and this twin does not is refused as a parameter is, not as one that nobody knows. */
function checkWord(value: string, param: Param<unknown>, name: string, unmodelled: Unmodelled): void {
  const scalar = param.kind === 'either' ? param.scalar : param;
  const words =
    scalar.kind === 'text' ? scalar.values : scalar.kind === 'word-or-number' ? scalar.words : undefined;
  if (words === undefined || words.includes(value)) return;
  if (unmodelled.declares?.(name.replaceAll(/\[\d+\]/g, '[]'), value) === true)
    throw unmodelledParameter(`${name}=${value}`, unmodelled.operation);
}

function descend(
  node: FormMap,
  param: Param<unknown>,
  name: string,
  unmodelled: Unmodelled,
  unknown: string[],
): void {
  if (param.kind === 'hash') collectUnknown(node, param.shape, name, unmodelled, unknown);
  else if (param.kind === 'either') descend(node, param.hash, name, unmodelled, unknown);
  else if (param.kind === 'list' || param.kind === 'map') {
    for (const [key, item] of node) {
      const inner = `${name}[${key}]`;
      if (item instanceof Map) descend(item, param.of, inner, unmodelled, unknown);
      else checkWord(item, param.of, inner, unmodelled);
    }
  }
}

function decodeHash(form: FormMap, shape: Shape, prefix: string): { [name: string]: unknown } {
  const decoded: { [name: string]: unknown } = {};
  for (const [key, param] of Object.entries(shape)) {
    const name = prefix === '' ? key : `${prefix}[${key}]`;
    const node = form.get(key);
    if (node === undefined) {
      if (param.required === true) {
        throw invalid(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
      }
    } else {
      decoded[key] = decodeNode(node, param, name);
    }
  }
  return decoded;
}

function decodeNode(node: FormNode, param: Param<unknown>, name: string): unknown {
  if (node === '' && param.kind !== 'metadata') {
    if (param.unset === true) return null;
    if (param.kind === 'list') return [];
    throw invalid(
      `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a field; ` +
        `however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`,
      { code: 'parameter_invalid_empty', param: name },
    );
  }
  switch (param.kind) {
    case 'hash':
      if (typeof node === 'string') throw invalid('Invalid object', { param: name });
      return decodeHash(node, param.shape, name);
    case 'list':
      return decodeList(node, param.of, name);
    case 'metadata':
      return decodeMetadata(node, name);
    case 'map':
      if (typeof node === 'string') throw invalid('Invalid object', { param: name });
      return Object.fromEntries(
        [...node].map(([key, inner]) => [key, decodeNode(inner, param.of, `${name}[${key}]`)]),
      );
    case 'tree':
      if (typeof node === 'string') throw invalid('Invalid object', { param: name });
      return decodeTree(node, param.numbers, '');
    case 'either':
      return decodeNode(node, typeof node === 'string' ? param.scalar : param.hash, name);
    default:
      if (typeof node !== 'string')
        throw invalid(`Invalid ${param.kind === 'text' ? 'string' : param.kind}: {}`, { param: name });
      return decodeScalar(node, param, name);
  }
}

function decodeTree(node: FormNode, numbers: readonly string[], field: string): Tree {
  if (typeof node === 'string') {
    if (node === '') return null;
    if (node === 'true' || node === 'false') return node === 'true';
    return numbers.includes(field) && /^-?\d{1,15}$/.test(node) ? Number(node) : node;
  }
  const names = [...node.keys()];
  if (names.length > 0 && names.every((name, index) => name === String(index))) {
    return [...node.values()].map(item => decodeTree(item, numbers, field));
  }
  return Object.fromEntries([...node].map(([name, item]) => [name, decodeTree(item, numbers, name)]));
}

function decodeList(node: FormNode, of: Param<unknown>, name: string): unknown[] {
  if (typeof node === 'string' || [...node.keys()].some(key => !/^\d+$/.test(key))) {
    throw invalid('Invalid array', { param: name });
  }
  const keys = [...node.keys()].sort((a, b) => Number(a) - Number(b));
  return keys.map(key => decodeNode(node.get(key) ?? '', of, `${name}[${key}]`));
}

function decodeScalar(value: string, param: Param<unknown>, name: string): unknown {
  switch (param.kind) {
    case 'integer':
      return decodeInteger(value, param.min, param.max, name);
    case 'now-or-time':
      return value === 'now' ? value : decodeInteger(value, 0, null, name);
    case 'word-or-number':
      return param.words.includes(value) ? value : decodeInteger(value, null, null, name);
    case 'number':
      if (!/^-?\d{1,15}(\.\d{1,12})?$/.test(value))
        throw invalid(`Invalid number: ${value}`, { param: name });
      return Number(value);
    case 'boolean':
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      throw invalid(`Invalid boolean: ${value}`, { param: name });
    case 'decimal':
      if (!/^-?\d{1,16}(\.\d{1,12})?$/.test(value)) {
        throw invalid(`Invalid decimal: ${value}; must contain at maximum 12 decimal places.`, {
          code: 'parameter_invalid_decimal',
          param: name,
        });
      }
      return value;
    case 'text':
      if (param.values !== undefined && !param.values.includes(value)) {
        throw invalid(`Invalid ${name}: must be ${oneOf(param.values)}`, { param: name });
      }
      if (value.length > param.max) {
        throw invalid(`Invalid string: ${value.slice(0, 16)}...; must be at most ${param.max} characters`, {
          param: name,
        });
      }
      return value;
    default:
      throw new Error(`${name} is no scalar`);
  }
}

function decodeInteger(value: string, min: number | null, max: number | null, name: string): number {
  const refuse = (message: string): StripeRefusal =>
    invalid(message, { code: 'parameter_invalid_integer', param: name });
  if (!/^-?\d{1,15}$/.test(value)) throw refuse(`Invalid integer: ${value}`);
  const number = Number(value);
  if (min !== null && number < min) throw refuse(`This value must be greater than or equal to ${min}.`);
  if (max !== null && number > max) throw refuse(`This value must be less than or equal to ${max}.`);
  return number;
}

function decodeMetadata(node: FormNode, name: string): MetadataParam {
  if (typeof node === 'string') {
    if (node === '') return '';
    throw invalid('Metadata must be a hash', { param: name });
  }
  if (node.size > METADATA_KEYS_MAX) {
    throw invalid(`You can have up to ${METADATA_KEYS_MAX} metadata keys`, { param: name });
  }
  const entries = [...node].map(([key, value]): [string, string] => {
    if (typeof value !== 'string')
      throw invalid('Metadata values must be strings', { param: `${name}[${key}]` });
    if (key.length > METADATA_NAME_CHARS_MAX) {
      throw invalid(`Metadata keys must be at most ${METADATA_NAME_CHARS_MAX} characters`, { param: name });
    }
    if (value.length > METADATA_VALUE_CHARS_MAX) {
      throw invalid(`Metadata values must be at most ${METADATA_VALUE_CHARS_MAX} characters`, {
        param: `${name}[${key}]`,
      });
    }
    return [key, value];
  });
  return Object.fromEntries(entries);
}

function oneOf(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  if (values.length === 2) return values.join(' or ');
  return `one of ${values.slice(0, -1).join(', ')}, or ${values[values.length - 1] ?? ''}`;
}

/** Merges as Stripe does: an empty value removes a key, an empty parameter removes all. */
export function mergeMetadata(
  held: { readonly [name: string]: string },
  given: MetadataParam | undefined,
): { [name: string]: string } {
  if (given === undefined) return { ...held };
  if (given === '') return {};
  const merged = { ...held };
  for (const [name, value] of Object.entries(given)) {
    if (value === '') delete merged[name];
    else merged[name] = value;
  }
  return merged;
}
