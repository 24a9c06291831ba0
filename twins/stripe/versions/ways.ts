// Which fields of an object lead to an object that has changes, by the vendor's declarations and by what it had before:
// the others need not be looked into.
import { UNDECLARED } from '../api/older.ts';
import {
  fieldsOf,
  objectFields,
  objectsOf,
  resolved,
  type VendorField,
  type VendorShape,
} from '../api/vendor.ts';

export type Ways = {
  /** Null for an object that the vendor does not declare, or a hash: anything may be in it. */
  readonly inside: (object: unknown) => readonly string[] | null;
};

export function waysTo(
  changed: { readonly has: (object: string) => boolean },
  former: (object: string) => readonly VendorField[],
): Ways {
  const found = new Map<string, readonly string[]>();
  /** Objects that are being looked into: a way through one is found there. */
  const leads = (shape: VendorShape, through: ReadonlySet<string>): boolean => {
    const is = resolved(shape);
    if (Array.isArray(is)) return leads(is[0] as VendorShape, through);
    if (typeof is === 'string') {
      if (!/^[@&+]/.test(is)) return false;
      return objectsOf(is).some(
        name =>
          changed.has(name) ||
          // A reference is an id here; an object that stands there whole is one of those that change, or none.
          (is[0] !== '@' && !through.has(name) && fieldsIn(name, new Set([...through, name])).length > 0),
      );
    }
    if ('|' in is) return (is['|'] as readonly VendorShape[]).some(one => leads(one, through));
    if ('*' in is) return leads(is['*'] as VendorShape, through);
    return fieldsOf(is).some(field => leads(field.shape, through));
  };
  const fieldsIn = (object: string, through: ReadonlySet<string>): readonly string[] => {
    const fields = [...(objectFields(object) ?? []), ...(UNDECLARED[object] ?? []), ...former(object)];
    return [...new Set(fields.filter(({ shape }) => leads(shape, through)).map(({ name }) => name))];
  };
  return {
    inside: object => {
      if (typeof object !== 'string') return null;
      const known = found.get(object);
      if (known !== undefined) return known;
      // What somebody else's object is called is nothing that is kept.
      if (objectFields(object) === undefined) return null;
      const held = fieldsIn(object, new Set([object]));
      found.set(object, held);
      return held;
    },
  };
}
