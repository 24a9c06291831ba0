// A record that two sides changed (storage.md, Pull): what both began with, what is here, what is there. Objects are
// merged name by name, everything else is taken whole.
import type { RecordBody } from '../../../twins/kit/tx.ts';

export type FieldConflict = {
  /** A JSON pointer; empty for the record whole, where one side changed what the other ended. */
  readonly field: string;
  /** Undefined: not there. */
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
};

/** `merged` has theirs where there is a conflict. Null: there is no such record. */
export type Merge = { readonly merged: RecordBody | null; readonly conflicts: readonly FieldConflict[] };

export const mergeRecord = (
  base: RecordBody | null,
  ours: RecordBody | null,
  theirs: RecordBody | null,
): Merge => {
  const conflicts: FieldConflict[] = [];
  const merged = merge(base ?? undefined, ours ?? undefined, theirs ?? undefined, '', conflicts);
  return { merged: (merged as RecordBody | undefined) ?? null, conflicts };
};

const merge = (
  base: unknown,
  ours: unknown,
  theirs: unknown,
  field: string,
  conflicts: FieldConflict[],
): unknown => {
  if (same(ours, theirs) || same(base, ours)) return theirs;
  if (same(base, theirs)) return ours;
  if (isObject(base) && isObject(ours) && isObject(theirs)) {
    const merged: { [name: string]: unknown } = {};
    // In the order in which they stand there; what only we have follows.
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const value = merge(
        own(base, name),
        own(ours, name),
        own(theirs, name),
        pointer(field, name),
        conflicts,
      );
      if (value !== undefined)
        Object.defineProperty(merged, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return merged;
  }
  conflicts.push({ field, base, ours, theirs });
  return theirs;
};

const same = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, n) => same(each, b[n]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(name => Object.hasOwn(b, name) && same(a[name], b[name]))
  );
};

type Fields = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const own = (of: Fields, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);

const pointer = (field: string, name: string): string =>
  `${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
