// What the Stripe twin leaves out inside of what it models, counted from its source: parameters that the vendor declares and
// an operation refuses by name, and fields of an object that no line of the twin ever gives another value.
import type { Param, Shape } from '../twins/stripe/api/params.ts';
import {
  fieldsOf,
  objectFields,
  operationNamed,
  resolved,
  type VendorField,
  type VendorShape,
} from '../twins/stripe/api/vendor.ts';
import { OPERATIONS } from '../twins/stripe/operations.ts';
import { type Counted, constantsOf } from './constants.ts';
import { reachOf, sourcesOf } from './reach.ts';

export type Gaps = {
  /** Of all parameters of modelled operations, nested ones too: those that are refused by name. */
  readonly refused: Counted;
  /** Of those that are taken: what no line within the operation's reach reads and no answer shows (`reach.ts`). */
  readonly ignored: Counted;
  /** `subscription.application`. Of the fields of objects that are written by hand. */
  readonly constants: Counted;
};

const SOURCES = sourcesOf('stripe');

export function stripeGaps(): Gaps {
  return { ...parameterGaps(), constants: constantsOf(SOURCES, { tag: 'object', fieldsOf: namesOfObject }) };
}

function parameterGaps(): Pick<Gaps, 'refused' | 'ignored'> {
  const counted = new Map(SOURCES.map(source => [source, namesIn(source.text)]));
  let of = 0;
  const refused: string[] = [];
  const ignored: string[] = [];
  for (const { name, shape } of OPERATIONS) {
    const known = operationNamed(name);
    if (known === undefined) continue;
    of += walk(JSON.parse(known.params) as VendorShape, shape, `${name}: `, '', refused);
    const reach = [...reachOf(name, SOURCES), ...EVERY_CALL].flatMap(source => counted.get(source) ?? []);
    const shown = namesOf(known.object === null ? [] : (objectFields(known.object) ?? []));
    for (const { path, last, param } of pathsOf(shape))
      if (!isForced(param) && !shown.has(last) && !reach.some(names => isRead(last, names)))
        ignored.push(`${name}: ${path}`);
  }
  const taken = of - refused.length;
  return {
    refused: { of, missing: refused.sort() },
    ignored: { of: taken, missing: ignored.sort() },
  };
}

/** What is done with the parameters of every operation, before its own file has them. */
const EVERY_CALL = SOURCES.filter(({ file }) => /^twins\/stripe\/api\/(?:answer|test-clock)\.ts$/.test(file));

type Names = {
  readonly stands: ReadonlyMap<string, number>;
  readonly declared: ReadonlyMap<string, number>;
};

const namesIn = (text: string): Names => ({
  stands: countsOf(text.matchAll(/\b(\w+)\b/g)),
  declared: countsOf(text.matchAll(DECLARED)),
});

/** Whether a name stands anywhere but where it is declared as a parameter. */
const isRead = (name: string, { stands, declared }: Names): boolean =>
  (stands.get(name) ?? 0) > (declared.get(name) ?? 0);

const DECLARED =
  /\b(\w+): (?:unset\(|required\()*(?:text|choice|integer|boolean|decimal|time|nowOrTime|wordOrTime|treeOf|tree|metadata|list|hash|either|range|map|\w+Param|\w+Shape|\w+Fields)\b/g;

/** Of one word alone there is nothing to read. */
const isForced = (param: Param<unknown>): boolean => param.kind === 'text' && param.values?.length === 1;

function countsOf(found: Iterable<RegExpExecArray>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, name = ''] of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Each parameter of a shape, and each inside of it. */
type Path = { readonly path: string; readonly last: string; readonly param: Param<unknown> };

function pathsOf(shape: Shape, at = ''): Path[] {
  return Object.entries(shape).flatMap(([last, param]) => {
    const path = at === '' ? last : `${at}[${last}]`;
    const hash = hashOf(param);
    return [{ path, last, param }, ...(hash === null ? [] : pathsOf(hash, path))];
  });
}

/** The names of an object's fields, however deep: a parameter of such a name is answered as it was given. */
function namesOf(fields: readonly VendorField[], depth = FIELD_DEPTH_MAX): Set<string> {
  const names = new Set<string>();
  for (const { name, shape } of fields) {
    names.add(name);
    if (depth > 0) for (const inner of namesOf(insideOf(shape), depth - 1)) names.add(inner);
  }
  return names;
}

/** `+subscription_item` is a list of such objects. */
function insideOf(shape: VendorShape): readonly VendorField[] {
  if (typeof shape === 'string' && shape.startsWith('+')) return objectFields(shape.slice(1)) ?? [];
  return fieldsOf(unlisted(shape));
}

const FIELD_DEPTH_MAX = 8;

/** Counts the vendor's parameters, and notes those that the shape does not take. What is left out is one, however deep. */
function walk(given: VendorShape, shape: Shape, operation: string, at: string, missing: string[]): number {
  let count = 0;
  for (const { name, shape: inner } of fieldsOf(given)) {
    const path = at === '' ? name : `${at}[${name}]`;
    // Taken by the twin before it decodes: of every operation.
    if (path === 'expand') continue;
    count += 1;
    const param = shape[name];
    if (param === undefined) missing.push(`${operation}${path}`);
    else {
      const hash = hashOf(param);
      if (hash !== null) count += walk(unlisted(inner), hash, operation, path, missing);
    }
  }
  return count;
}

/** The shape inside of a parameter, where it names its fields. */
function hashOf(param: Param<unknown>): Shape | null {
  if (param.kind === 'hash') return param.shape;
  if (param.kind === 'list') return hashOf(param.of);
  return param.kind === 'either' ? hashOf(param.hash) : null;
}

function unlisted(given: VendorShape): VendorShape {
  const shape = resolved(given);
  if (Array.isArray(shape)) return unlisted(shape[0] as VendorShape);
  if (typeof shape !== 'string' && '|' in shape) {
    const hash = (shape['|'] as readonly VendorShape[]).map(unlisted).find(each => fieldsOf(each).length > 0);
    return hash ?? shape;
  }
  return shape;
}

const namesOfObject = (object: string): readonly string[] =>
  (objectFields(object) ?? []).map(({ name }) => name);
