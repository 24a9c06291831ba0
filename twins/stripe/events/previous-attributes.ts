// What changed of an object, as its event says it: the old values.
import type { View } from '../api/view.ts';

/** The old values of what changed: hashes by key, everything else whole. */
export function previousAttributes(before: View, after: View): View {
  const previous: { [field: string]: unknown } = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = before[name];
    const now = after[name];
    if (same(old, now)) continue;
    previous[name] = isHash(old) && isHash(now) ? previousAttributes(old, now) : (old ?? null);
  }
  return previous;
}

export function isHash(value: unknown): value is View {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isHash(a) || !isHash(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
}
