// What differs between two versions of a record, field by field: objects name by name, everything else whole. What is no
// record's to show (a name that begins with `$`) is left out.
export type FieldChange = {
  /** A path of names: `recurring.interval`. */
  readonly field: string;
  /** Undefined: not there. */
  readonly from: unknown;
  readonly to: unknown;
};

export function fieldChanges(from: unknown, to: unknown, at = ''): readonly FieldChange[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isObject(to) || (from !== undefined && !isObject(from))) return [{ field: at, from, to }];
  const before = isObject(from) ? from : {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(to)])];
  return names
    .filter(name => !name.startsWith('$'))
    .flatMap(name => fieldChanges(own(before, name), own(to, name), at === '' ? name : `${at}.${name}`));
}

type Fields = { readonly [name: string]: unknown };

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(of: Fields, name: string): unknown {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
