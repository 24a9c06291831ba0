// What the fields of an object begin with when a call does not give them, as far as that can be known.
import { STARTS } from './starts.ts';
import { fieldsOf, objectFields, resolved, type VendorField, type VendorShape } from './vendor.ts';

const FIRST_STATUS = [
  'active',
  'pending',
  'open',
  'created',
  'available',
  'enabled',
  'draft',
  'offline',
  'inactive',
];
const COUNTERS = /^(amount|times|count|number_of)_|_count$/;
export function statusesOf(object: string): readonly string[] {
  const shape = objectFields(object)?.find(({ name }) => name === 'status')?.shape;
  return typeof shape === 'string' && shape.startsWith('=') ? shape.slice(1).split('|') : [];
}

/** The value a field begins with when a call does not give it; undefined where nobody but the vendor can know. */
export function startOf(object: string, field: VendorField): unknown {
  const { name } = field;
  const known = STARTS[object];
  if (known !== undefined && Object.hasOwn(known, name)) return known[name];
  if (field.nullable) return null;
  const shape = resolved(field.shape);
  if (name === 'status') {
    const held = statusesOf(object);
    return FIRST_STATUS.find(status => held.includes(status));
  }
  if (shape === 'b') return name === 'active' || name === 'enabled';
  if (shape === 'm') return {};
  if (shape === 'n' && COUNTERS.test(name)) return 0;
  if (Array.isArray(shape)) return [];
  if (typeof shape === 'string') {
    if (shape.startsWith('=') && !shape.includes('|')) return shape.slice(1);
    return shape.startsWith('+') ? { object: 'list', data: [], has_more: false, url: '' } : undefined;
  }
  return startOfHash(shape);
}

/** A hash of nothing but what can be known. */
function startOfHash(shape: VendorShape): unknown {
  const made: { [name: string]: unknown } = {};
  for (const field of fieldsOf(shape)) {
    if (field.optional) continue;
    const value = startOf('', field);
    if (value === undefined) return undefined;
    made[field.name] = value;
  }
  return made;
}
