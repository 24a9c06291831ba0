// What the vendor's own declarations say, read when it is first needed: operations and what they take, objects and
// which fields they always have (vendor.generated.ts).
import type { Stripe } from 'stripe';
import type { Call } from '../../kit/call.ts';
import type { Act } from './act.ts';
import type { Operation } from './operation.ts';
import type { Param, Shape } from './params.ts';
import { VENDOR_OBJECTS, VENDOR_OPERATIONS, VENDOR_SHAPES } from './vendor.generated.ts';
import type { View } from './view.ts';

/** As scripts/stripe-types.ts writes it. */
export type VendorShape =
  | string
  | readonly [VendorShape]
  | { readonly '|': readonly VendorShape[] }
  | { readonly [field: string]: VendorShape };

export type VendorOperation = {
  /** As the SDK names it: `billing.meters.create`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly how: 'one' | 'list' | 'search' | 'gone';
  /** Null where the answer is no object with a name. */
  readonly object: string | null;
  readonly params: string;
};

const operations = new Map<string, VendorOperation>(
  VENDOR_OPERATIONS.map(line => {
    const [name = '', method = '', path = '', how = '', object = '', ...params] = line.split(' ');
    return [
      name,
      {
        name,
        method: method as VendorOperation['method'],
        path,
        how: how as VendorOperation['how'],
        object: object === '-' ? null : object,
        params: params.join(' '),
      },
    ];
  }),
);

export function operationNamed(name: string): VendorOperation | undefined {
  return operations.get(name);
}

/** Whether an operation declares a parameter, given as `items[][name]`, and among its words the `value`. */
export function declares(operation: string, name: string, value?: string): boolean {
  const declared = operations.get(operation);
  if (declared === undefined) return false;
  let shape = JSON.parse(declared.params) as VendorShape;
  for (const segment of name.split('[').map(part => part.replace(']', ''))) {
    if (segment === '') continue;
    const field = insideOf(shape).find(held => held.name === segment);
    if (field === undefined) return false;
    shape = field.shape;
  }
  return value === undefined || wordsOf(shape).includes(value);
}

/** The words of a parameter, of the items of a list, or of those among several shapes. */
function wordsOf(given: VendorShape): readonly string[] {
  const shape = resolved(given);
  if (typeof shape === 'string') return shape.startsWith('=') ? shape.slice(1).split('|') : [];
  if (Array.isArray(shape)) return wordsOf(shape[0] as VendorShape);
  return '|' in shape ? (shape['|'] as readonly VendorShape[]).flatMap(wordsOf) : [];
}

/** The fields of a hash, of the hashes of a list, or of those among several shapes. */
function insideOf(given: VendorShape): readonly VendorField[] {
  const shape = resolved(given);
  if (Array.isArray(shape)) return insideOf(shape[0] as VendorShape);
  if (typeof shape !== 'string' && '|' in shape) {
    return (shape['|'] as readonly VendorShape[]).flatMap(insideOf);
  }
  return fieldsOf(shape);
}

export function vendorOperations(): Iterable<VendorOperation> {
  return operations.values();
}

const shapes: (VendorShape | undefined)[] = [];

/** A `#<number>` is the shape it names; anything else is itself. */
export function resolved(shape: VendorShape): VendorShape {
  if (typeof shape !== 'string' || !shape.startsWith('#')) return shape;
  const at = Number(shape.slice(1));
  shapes[at] ??= JSON.parse(VENDOR_SHAPES[at] ?? '{}') as VendorShape;
  return shapes[at];
}

/** The objects that a `@`, `&` or `+` may be: of `@card|source`, both. */
export function objectsOf(shape: string): readonly string[] {
  return shape.slice(1).split('|');
}

export type VendorField = {
  readonly name: string;
  readonly shape: VendorShape;
  readonly optional: boolean;
  readonly nullable: boolean;
};

/** The fields of a hash; none for anything else. */
export function fieldsOf(shape: VendorShape): readonly VendorField[] {
  const hash = resolved(shape);
  if (typeof hash === 'string' || Array.isArray(hash)) return [];
  return Object.entries(hash)
    .filter(([name]) => name !== '*' && name !== '|')
    .map(([marked, inner]) => {
      const nullable = marked.endsWith('~');
      const open = nullable ? marked.slice(0, -1) : marked;
      const optional = open.endsWith('?');
      return { name: optional ? open.slice(0, -1) : open, shape: inner as VendorShape, optional, nullable };
    });
}

const objects = new Map<string, readonly VendorField[]>();

/** The fields of an object of the API; undefined when it knows no such object. */
export function objectFields(object: string): readonly VendorField[] | undefined {
  const text = VENDOR_OBJECTS[object];
  if (text === undefined) return undefined;
  const held = objects.get(object) ?? fieldsOf(JSON.parse(text) as VendorShape);
  objects.set(object, held);
  return held;
}

/** What an operation takes, by its name. */
export function declaredShape(name: string): Shape {
  const declared = operations.get(name);
  if (declared === undefined) throw new Error(`the vendor has no operation ${name}`);
  return shapeOf(declared);
}

/** What a call may send, as the decoder of this twin takes it (params.ts). */
export function shapeOf(operation: VendorOperation): Shape {
  return hashOf(JSON.parse(operation.params) as VendorShape);
}

function hashOf(shape: VendorShape): Shape {
  return Object.fromEntries(
    fieldsOf(shape).map(({ name, shape: inner, optional, nullable }) => [
      name,
      {
        ...paramOf(inner, name),
        ...(optional ? {} : { required: true }),
        ...(nullable ? { unset: true } : {}),
      },
    ]),
  );
}

const TEXT_CHARS_MAX = 5_000;

function paramOf(given: VendorShape, name: string): Param<unknown> {
  const shape = resolved(given);
  if (typeof shape === 'string') return scalarOf(shape, name);
  if (Array.isArray(shape)) return { kind: 'list', of: paramOf(shape[0] as VendorShape, name) };
  if ('|' in shape) return unionOf(shape['|'] as readonly VendorShape[], name);
  if ('*' in shape) return { kind: 'map', of: paramOf(shape['*'] as VendorShape, name) };
  return { kind: 'hash', shape: hashOf(shape) };
}

function scalarOf(shape: string, name: string): Param<unknown> {
  if (shape.startsWith('=')) return { kind: 'text', values: shape.slice(1).split('|'), max: TEXT_CHARS_MAX };
  switch (shape) {
    case 'n':
      // The declarations know one kind of number; only shares are not whole.
      if (/percent|ratio|rate$|latitude|longitude|^value$/.test(name)) return { kind: 'number' };
      return { kind: 'integer', min: null, max: null };
    case 'b':
      return { kind: 'boolean' };
    case 'd':
      return { kind: 'decimal' };
    case 'm':
      return { kind: 'metadata' };
    case 'x':
      return { kind: 'tree', numbers: [] };
    default:
      return { kind: 'text', max: TEXT_CHARS_MAX };
  }
}

function unionOf(given: readonly VendorShape[], name: string): Param<unknown> {
  const parts = given.map(resolved);
  const isScalar = (part: VendorShape): boolean => typeof part === 'string';
  const scalars = parts.filter(isScalar);
  const others = parts.filter(part => !isScalar(part));
  const word = scalars.find((part): part is string => typeof part === 'string' && part.startsWith('='));
  const scalar: Param<unknown> | null =
    scalars.length === 0
      ? null
      : word !== undefined && scalars.includes('n')
        ? { kind: 'word-or-number', words: word.slice(1).split('|') }
        : scalarOf(
            word !== undefined && scalars.length === 1
              ? word
              : scalars.includes('s')
                ? 's'
                : (scalars[0] as string),
            name,
          );
  const [other] = others;
  if (other === undefined) return scalar ?? { kind: 'tree', numbers: [] };
  if (scalar === null) return paramOf(other, name);
  return { kind: 'either', scalar, hash: paramOf(other, name) };
}

/** The words that the vendor declares, without those that it may have one day: the decoder refuses them. */
type Closed<T extends string> = Same<T, string> extends true ? T : string extends T ? never : T;

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** What a decoded parameter is, by the SDK's type of it: decimals are text, an emptied one is null. */
export type Given<T> = 0 extends 1 & T
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends ''
      ? null
      : T extends string
        ? Closed<T>
        : T extends readonly (infer I)[]
          ? readonly Given<I>[]
          : T extends { readonly [name: string]: string | number | null }
            ? string extends keyof T
              ? { readonly [name: string]: string }
              : { readonly [K in keyof T]: Given<T[K]> }
            : T extends object
              ? { readonly [K in keyof T]: Given<T[K]> }
              : T;

export type VendorAsk<P> = {
  readonly act: Act;
  readonly path: { readonly [name: string]: string };
  readonly params: Given<P>;
  readonly call: Call;
};

/**
 * An operation that is modelled by hand and takes what the vendor declares it takes. `name` is the SDK's; `more` are
 * parameters older versions of the API had; `unmodelled` are refused, as `name`, `items[][name]` or `name=word`.
 */
export function vendor<P>(
  name: string,
  run: (ask: VendorAsk<P>) => View,
  more: Shape = {},
  unmodelled: readonly string[] = [],
): Operation {
  const declared = operations.get(name);
  if (declared === undefined) throw new Error(`the vendor has no operation ${name}`);
  let shape: Shape | undefined;
  return {
    name,
    method: declared.method,
    path: declared.path,
    get shape() {
      shape ??= {
        expand: { kind: 'list', of: { kind: 'text', max: TEXT_CHARS_MAX } as Param<unknown> },
        ...without({ ...shapeOf(declared), ...more }, unmodelled),
      };
      return shape;
    },
    unmodelled,
    body: declared.path.startsWith('/v2/') ? 'json' : 'form',
    run: run as unknown as Operation['run'],
  };
}

/** A shape less what is named, so that it is refused by its name: a parameter, or of one a word, as `name=word`. */
function without(shape: Shape, names: readonly string[]): Shape {
  let left = shape;
  for (const named of names) {
    const [name = '', word] = named.split('=');
    left = less(left, name.split(/\[\]?|\]/).filter(Boolean), word);
  }
  return left;
}

function less(shape: Shape, [first = '', ...rest]: readonly string[], word: string | undefined): Shape {
  const held = shape[first];
  if (held === undefined) return shape;
  const { [first]: _gone, ...others } = shape;
  if (rest.length === 0) return word === undefined ? others : { ...others, [first]: lessWord(held, word) };
  return { ...others, [first]: lessInside(held, rest, word) };
}

function lessInside(
  param: Param<unknown>,
  names: readonly string[],
  word: string | undefined,
): Param<unknown> {
  if (param.kind === 'hash') return { ...param, shape: less(param.shape, names, word) };
  if (param.kind === 'list') return { ...param, of: lessInside(param.of, names, word) };
  return param.kind === 'either' ? { ...param, hash: lessInside(param.hash, names, word) } : param;
}

function lessWord(param: Param<unknown>, word: string): Param<unknown> {
  const others = (words: readonly string[] = []): readonly string[] => words.filter(each => each !== word);
  if (param.kind === 'text') return { ...param, values: others(param.values) };
  if (param.kind === 'word-or-number') return { ...param, words: others(param.words) };
  if (param.kind === 'list') return { ...param, of: lessWord(param.of, word) };
  return param;
}

type Must<T> = 0 extends 1 & T
  ? T
  : { readonly [K in keyof T as undefined extends T[K] ? never : null extends T[K] ? never : K]: T[K] } & {
      readonly [K in keyof T]?: T[K];
    };

/**
 * An object with all the fields that its type always has: those that may be null are null where they are not given,
 * and the compiler asks for the others.
 */
export function whole<T>(object: string, given: Must<Omit<T, 'object' | 'livemode'>>): T {
  const made: { [field: string]: unknown } = { id: (given as { id?: string }).id, object };
  for (const { name, optional, nullable } of objectFields(object) ?? []) {
    if (nullable && !optional) made[name] = null;
    else if (name === 'livemode') made[name] = false;
  }
  return Object.assign(made, given) as T;
}
