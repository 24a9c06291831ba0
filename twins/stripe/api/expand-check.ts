// Whether what is asked to be expanded is there to be, by the vendor's declarations: asked before an operation writes
// anything, so that a path which leads nowhere is refused and nothing is done.
import { invalid } from './errors.ts';
import { fieldsIn, type Older } from './older.ts';
import {
  fieldsOf,
  objectsOf,
  operationNamed,
  resolved,
  type VendorField,
  type VendorShape,
} from './vendor.ts';

export const EXPAND_LEVELS_MAX = 4;
const EXPAND_PATHS_MAX = 100;

/** Plain values that only show when they are asked for. */
const SECRETS = ['apps.secret.payload', 'issuing.card.cvc', 'issuing.card.number'];

/** Of what a search found: shown where it is expanded, and by the search itself (search.ts). */
export const TOTAL_COUNT = 'total_count';

/** Throws `StripeRefusal`. `operation` as the SDK names it; what the vendor does not declare is let pass. */
export function checkExpansion(operation: string, paths: readonly string[], older?: Older): void {
  if (paths.length === 0) return;
  if (paths.length > EXPAND_PATHS_MAX) throw invalid('Too many properties to expand.', { param: 'expand' });
  const declared = operationNamed(operation);
  if (declared === undefined || declared.object === null) return;
  for (const path of paths) {
    const segments = path.split('.');
    if (declared.how === 'one') inObject(declared.object, segments, { path, older }, 0);
    else if (declared.how === 'gone') throw cannotExpand(path);
    else if (declared.how === 'search' && path === TOTAL_COUNT) continue;
    else if (segments[0] !== 'data' || segments.length < 2) throw cannotExpand(path);
    else inObject(declared.object, segments.slice(1), { path, older }, 0);
  }
}

type Asked = { readonly path: string; readonly older: Older | undefined };

function inObject(object: string, segments: readonly string[], asked: Asked, level: number): void {
  const fields = fieldsIn(object, asked.older);
  if (segments.length === 1 && SECRETS.includes(`${object}.${segments[0] ?? ''}`)) return;
  if (fields !== undefined) inFields(fields, segments, asked, level);
}

/** What one of them has may be asked for: which of them it is shows only in the answer. */
function inOneOf(objects: readonly string[], segments: readonly string[], asked: Asked, level: number): void {
  const refusals: unknown[] = [];
  for (const object of objects) {
    try {
      return inObject(object, segments, asked, level);
    } catch (refusal) {
      refusals.push(refusal);
    }
  }
  throw refusals[0];
}

function inFields(
  fields: readonly VendorField[],
  segments: readonly string[],
  asked: Asked,
  level: number,
): void {
  const [first = '', ...rest] = segments;
  const field = fields.find(({ name }) => name === first);
  if (field === undefined) throw cannotExpand(asked.path);
  inShape(field.shape, field.optional, rest, asked, level);
}

/** `optional`: the vendor leaves it out unless it is asked for. */
function inShape(
  given: VendorShape,
  optional: boolean,
  rest: readonly string[],
  asked: Asked,
  level: number,
): void {
  const { path } = asked;
  const shape = resolved(given);
  if (Array.isArray(shape)) return inShape(shape[0] as VendorShape, optional, rest, asked, level);
  const ends = rest.length === 0;
  if (typeof shape !== 'string') {
    if ('|' in shape || '*' in shape) return;
    if (!ends) return inFields(fieldsOf(shape), rest, asked, level);
    if (!optional) throw cannotExpand(path);
    return;
  }
  switch (shape[0]) {
    case '@':
      if (level >= EXPAND_LEVELS_MAX) throw tooDeep(path);
      if (!ends) inOneOf(objectsOf(shape), rest, asked, level + 1);
      return;
    case '&':
      if (!ends) inOneOf(objectsOf(shape), rest, asked, level);
      else if (!optional) throw cannotExpand(path);
      return;
    case '+':
      if (optional && level >= EXPAND_LEVELS_MAX) throw tooDeep(path);
      if (ends && optional) return;
      if (rest[0] !== 'data' || rest.length < 2) throw cannotExpand(path);
      return inOneOf(objectsOf(shape), rest.slice(1), asked, level);
    default:
      throw cannotExpand(path);
  }
}

/** Whether a field that is missing, or there already, may be asked for all the same. */
export function isIncludable(object: string, name: string, older: Older | undefined): boolean {
  const field = fieldsIn(object, older)?.find(held => held.name === name);
  if (field === undefined) return false;
  const shape = resolved(field.shape);
  const plain = typeof shape === 'string' && !/^[@&+]/.test(shape);
  return plain ? SECRETS.includes(`${object}.${name}`) : field.optional;
}

export function cannotExpand(path: string): Error {
  return invalid(`This property cannot be expanded (${path}).`, { param: 'expand' });
}

export function tooDeep(path: string): Error {
  return invalid(`You cannot expand more than ${EXPAND_LEVELS_MAX} levels of a property. Property: ${path}`, {
    param: 'expand',
  });
}
