// Whether an object has what the vendor's declarations say it always has, and of the kind they say.
import {
  fieldsOf,
  objectFields,
  resolved,
  type VendorField,
  type VendorShape,
} from '../../twins/stripe/api/vendor.ts';

/** The faults of an object, each with the path to it; none for an object the vendor does not declare. */
export function faultsOf(object: object): string[] {
  const type = String((object as { object?: unknown }).object ?? '');
  const fields = objectFields(type);
  // What is left of a deleted object: that it is deleted, or (in the second version) its id and its name.
  const gone = (object as { deleted?: unknown }).deleted === true;
  if (fields === undefined || gone || Object.keys(object).length === 2) return [];
  return hashFaults(object, fields, type);
}

function hashFaults(value: object, fields: readonly VendorField[], at: string): string[] {
  return fields.flatMap(field => {
    const held = (value as { [name: string]: unknown })[field.name];
    const path = `${at}.${field.name}`;
    if (held === undefined) return field.optional ? [] : [`${path} is missing`];
    if (held === null) return field.nullable || field.optional ? [] : [`${path} is null`];
    return valueFaults(held, field.shape, path);
  });
}

function valueFaults(value: unknown, given: VendorShape, at: string): string[] {
  const shape = resolved(given);
  const wrong = (wanted: string): string[] => [`${at} is ${typeof value}, not ${wanted}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return wrong('a list');
    return value.flatMap((item, index) => valueFaults(item, shape[0] as VendorShape, `${at}[${index}]`));
  }
  if (typeof shape !== 'string') {
    if ('|' in shape) return [];
    if (typeof value !== 'object' || value === null) return wrong('an object');
    return '*' in shape ? [] : hashFaults(value, fieldsOf(shape), at);
  }
  switch (shape[0]) {
    case '=':
      // Sets of words are open: the vendor adds to them without a new version of its API.
      return typeof value === 'string' ? [] : wrong('text');
    case 'd':
      // The SDK makes an object of its own of a decimal.
      return typeof value === 'string' || typeof value === 'object' ? [] : wrong('a decimal');
    case 's':
      return typeof value === 'string' ? [] : wrong('text');
    case 'n':
      return typeof value === 'number' ? [] : wrong('a number');
    case 'b':
      return typeof value === 'boolean' ? [] : wrong('a boolean');
    case '@':
      return typeof value === 'string' ? [] : faultsOf(value as object);
    case '&':
      return typeof value === 'object' && value !== null ? faultsOf(value) : wrong('an object');
    case '+':
      return ((value as { data?: object[] }).data ?? []).flatMap(item => faultsOf(item));
    default:
      return [];
  }
}
