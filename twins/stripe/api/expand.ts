// `expand[]`: replaces ids by their objects, and puts in what Stripe leaves out unless it is asked for. What refers to
// what is the vendor's declarations' to say; a row of records.ts says only what those do not.
import type { RecordName } from '../records.ts';
import { cannotExpand, EXPAND_LEVELS_MAX, isIncludable, TOTAL_COUNT, tooDeep } from './expand-check.ts';
import { fieldsIn } from './older.ts';
import type { Expandable, RecordTable } from './record-row.ts';
import { fieldsOf, objectsOf, type VendorShape } from './vendor.ts';
import { type View, type Viewer, viewById } from './view.ts';

/** Throws `StripeRefusal` for a path that leads nowhere. */
export function expand(by: Viewer, view: View, paths: readonly string[]): View {
  let expanded: unknown = view;
  for (const path of paths) {
    const segments = path.split('.');
    expanded = follow(by, expanded, segments, path, 0);
  }
  return expanded as View;
}

function follow(
  by: Viewer,
  value: unknown,
  segments: readonly string[],
  path: string,
  level: number,
): unknown {
  if (segments.length === 0 || value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map(item => follow(by, item, segments, path, level));
  if (typeof value !== 'object') throw cannotExpand(path);
  const view = value as View;
  if (view['deleted'] === true) return view;
  if ((view['object'] === 'list' || view['object'] === 'search_result') && segments[0] === 'data') {
    return { ...view, data: follow(by, view['data'], segments.slice(1), path, level) };
  }
  if (view['object'] === 'search_result' && path === TOTAL_COUNT) return view;
  const table = expandableOf(by, String(view['object']));
  for (let length = Math.min(3, segments.length); length > 0; length -= 1) {
    const field = segments.slice(0, length).join('.');
    const kind = Object.hasOwn(table, field) ? table[field] : undefined;
    if (kind === undefined) continue;
    if (level >= EXPAND_LEVELS_MAX) {
      throw tooDeep(path);
    }
    const rest = segments.slice(length);
    return setIn(view, segments.slice(0, length), held =>
      follow(by, resolve(by, view, kind, held), rest, path, level + 1),
    );
  }
  const declared = declaredRef(by, view, segments);
  if (declared !== null) {
    if (level >= EXPAND_LEVELS_MAX) throw tooDeep(path);
    const { refs, length } = declared;
    const rest = segments.slice(length);
    return setIn(view, segments.slice(0, length), held => {
      const found = resolve(by, view, { refs }, held);
      return refs.length > 1 && !leadsOn(by, found, rest) ? found : follow(by, found, rest, path, level + 1);
    });
  }
  // A hash or an inline list on the way: not expandable itself, but what is in it may be.
  const [first = '', ...rest] = segments;
  if (rest.length === 0 && isIncludable(String(view['object']), first, by.older)) return view;
  if (rest.length === 0 || !Object.hasOwn(view, first)) throw cannotExpand(path);
  return { ...view, [first]: follow(by, view[first], rest, path, level) };
}

const NONE: NonNullable<RecordTable[RecordName]['expandable']> = {};

function expandableOf({ records }: Viewer, object: string): typeof NONE {
  return isStored(records, object) ? (records[object].expandable ?? NONE) : NONE;
}

/** A reference to what this twin keeps no records of stays the id. */
function isStored(records: RecordTable, type: string): type is RecordName {
  return Object.hasOwn(records, type);
}

/** Of several objects that may stand in a place, another may be the one that has what is asked for. */
function leadsOn({ older }: Viewer, found: unknown, [first]: readonly string[]): boolean {
  if (first === undefined || typeof found !== 'object' || found === null) return true;
  const fields = fieldsIn(String((found as View)['object']), older);
  return fields === undefined || fields.some(({ name }) => name === first);
}

/** The reference that the vendor declares at a path of an object, and how many segments lead to it. */
function declaredRef(
  { older }: Viewer,
  view: View,
  segments: readonly string[],
): { refs: readonly string[]; length: number } | null {
  let fields = fieldsIn(String(view['object']), older) ?? [];
  for (const [at, segment] of segments.entries()) {
    const field = fields.find(({ name }) => name === segment);
    if (field === undefined) return null;
    const shape = Array.isArray(field.shape) ? (field.shape[0] as VendorShape) : field.shape;
    if (typeof shape === 'string' && shape.startsWith('@')) return { refs: objectsOf(shape), length: at + 1 };
    fields = fieldsOf(shape);
  }
  return null;
}

function resolve(by: Viewer, view: View, kind: Expandable, held: unknown): unknown {
  if (kind === 'empty') return held;
  if ('include' in kind) return held ?? asOfVersion(by, kind.include(by, view));
  if (Array.isArray(held)) return held.map(one => resolve(by, view, kind, one));
  if (typeof held !== 'string') return held;
  for (const ref of kind.refs) {
    const found = isStored(by.records, ref) ? viewById(by, ref, held) : undefined;
    if (found !== undefined) return asOfVersion(by, found);
  }
  return held;
}

/** What is found for an answer is nobody else's. */
const FRESH = { inPlace: true };

/** As the version that is asked in shows it. */
function asOfVersion({ older, ...by }: Viewer, found: unknown): unknown {
  const turns = older !== undefined && typeof found === 'object' && found !== null;
  return turns ? older.turned(by, found as View, FRESH) : found;
}

function setIn(view: View, path: readonly string[], change: (held: unknown) => unknown): View {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    const changed = change(view[first]);
    return changed === undefined ? view : { ...view, [first]: changed };
  }
  const inner = view[first];
  if (typeof inner !== 'object' || inner === null) return view;
  return { ...view, [first]: setIn(inner as View, rest, change) };
}
