// An object as Stripe answers it, as the records that the twin keeps of it: ids where the vendor may have expanded them, what
// is inside of it as records of their own, and the names with a `$` that are the twin's own (adopted-types.ts).
import type { Observed } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';
import { fieldsOf, objectFields, resolved, type VendorField, type VendorShape } from '../api/vendor.ts';
import { ADOPTED_TYPES } from './adopted-types.ts';
import { withoutSecrets } from './hidden.ts';

export function adopt(object: RecordBody): readonly Observed[] {
  const made: Observed[] = [];
  take(withoutSecrets(object), made);
  return made;
}

/** The records of it, those inside it first; its id. */
function take(object: RecordBody, made: Observed[]): unknown {
  const { id, object: type } = object;
  if (typeof id !== 'string' || typeof type !== 'string') return undefined;
  const row = Object.hasOwn(ADOPTED_TYPES, type) ? ADOPTED_TYPES[type] : undefined;
  if (row === undefined) return id;
  if (object['deleted'] === true) {
    // Only customers are answered when they are no more.
    if (type === 'customer') made.push({ type, id, body: { id, object: type, deleted: true } });
    return id;
  }
  const body = fields(object, objectFields(type) ?? [], made);
  const record = row(body, { object, adopt: inner => take(inner, made), flat: inner => flat(inner, made) });
  if (record !== null) made.push({ type, id, body: record });
  return id;
}

/** An object that another one holds whole: as it is, but for what is expanded in it. */
function flat(object: RecordBody, made: Observed[]): RecordBody {
  return fields(object, objectFields(String(object['object'])) ?? [], made);
}

function fields(object: RecordBody, declared: readonly VendorField[], made: Observed[]): RecordBody {
  const body: { [name: string]: unknown } = {};
  const shapes = new Map(declared.map(({ name, shape }) => [name, shape]));
  for (const [name, value] of Object.entries(object)) {
    const shape = shapes.get(name);
    const held = shape === undefined ? value : collapsed(value, shape, made);
    Object.defineProperty(body, name, { value: held, enumerable: true, configurable: true, writable: true });
  }
  return body;
}

/** What is declared as a reference is its id. */
function collapsed(value: unknown, given: VendorShape, made: Observed[]): unknown {
  const shape = resolved(given);
  if (Array.isArray(shape)) {
    const [inner] = shape as readonly [VendorShape];
    return Array.isArray(value) ? value.map(each => collapsed(each, inner, made)) : value;
  }
  if (!isObject(value)) return value;
  if (typeof shape === 'string') {
    if (shape.startsWith('@')) return take(value, made) ?? value;
    return shape.startsWith('&') ? flat(value, made) : value;
  }
  return fields(value, fieldsOf(shape), made);
}

function isObject(value: unknown): value is RecordBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
