// What a caller gives of a hash, as the vendor answers it: with every field that it always has.
import { startOf } from './start-values.ts';
import { fieldsOf, objectFields, resolved, type VendorShape } from './vendor.ts';

type Hash = { readonly [field: string]: unknown };

/**
 * The value of one field of an object, whole; as it is where the vendor declares nothing of it. What is whole by the
 * declarations is of the type that the SDK gives the field, which is the caller's to name.
 */
export function filledField<T>(object: string, name: string, value: unknown): T {
  const field = objectFields(object)?.find(held => held.name === name);
  return (field === undefined ? value : fillShape(field.shape, value)) as T;
}

export function fillShape(given: VendorShape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const shape = resolved(given);
  if (Array.isArray(value)) {
    return Array.isArray(shape) ? value.map(item => fillShape(shape[0] as VendorShape, item)) : value;
  }
  const fields = fieldsOf(shape);
  if (fields.length === 0) return value;
  const hash: { [field: string]: unknown } = { ...(value as Hash) };
  for (const field of fields) {
    if (Object.hasOwn(hash, field.name)) hash[field.name] = fillShape(field.shape, hash[field.name]);
    else if (!field.optional) {
      const start = startOf('', field);
      if (start !== undefined) hash[field.name] = start;
    }
  }
  return hash;
}
