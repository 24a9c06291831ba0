// Which of the vendor's operations can be answered truthfully from its declarations alone: made, read, listed,
// changed and deleted records of one object, and actions that do no more than set its status.

import type { RecordType } from '../../kit/twin.ts';
import { startOf, statusesOf } from '../api/start-values.ts';
import { VENDOR_EVENTS } from '../api/vendor.generated.ts';
import { fieldsOf, objectFields, resolved, type VendorOperation, type VendorShape } from '../api/vendor.ts';

export type GenericPlan = VendorOperation & {
  readonly object: string;
  readonly does: 'create' | 'retrieve' | 'list' | 'update' | 'delete' | 'act';
  /** The status that an action sets. */
  readonly status: string | null;
};

/** What Stripe fills with its own data: an empty list of these would not be true. */
const CATALOGS =
  /^(country_spec|tax_code|exchange_rate|climate\.(product|supplier)|reporting\.report_type|issuing\.physical_bundle|v2\.core\.event$|balance|capability|payment_method_configuration|account|v2\.core\.account|tax\.association|entitlements\.active_entitlement|tax\.settings|person|v2\.money_management\.payout_methods_bank)/;
/** Made by what other operations do, so that a list of them without those would not be true. */
const BYPRODUCTS =
  /^(billing\.credit|balance_transaction|application_fee|fee_refund|review|radar\.early|line_item|item$|payment_intent_amount|tax\.[a-z]+_line_item|setup_attempt|source_)/;

/** To make one is to do something in the world outside. */
const UNMAKEABLE = /^forwarding\.request$/;

/** Verb of a path → the status it sets, where the object knows that status. */
const VERBS: { readonly [verb: string]: readonly string[] } = {
  activate: ['active'],
  archive: ['archived', 'inactive'],
  cancel: ['canceled'],
  close: ['closed'],
  deactivate: ['inactive'],
  disable: ['disabled'],
  enable: ['enabled'],
  expire: ['expired'],
  reject: ['rejected'],
  unarchive: ['active'],
};

const KNOWN = ['id', 'object', 'created', 'livemode', 'updated'];

/** A made object is true when each field it must have was given, or begins as something that can be known. */
function canMake(operation: VendorOperation, object: string): boolean {
  const fields = objectFields(object);
  if (fields === undefined || !fields.some(({ name }) => name === 'id')) return false;
  const given = fieldsOf(JSON.parse(operation.params) as VendorShape);
  const parents = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name.replace(/Id$/, ''));
  return fields.every(field => {
    if (field.optional || field.nullable || KNOWN.includes(field.name)) return true;
    if (parents.includes(field.name)) return true;
    const param = given.find(({ name }) => name === field.name);
    if (param !== undefined && !param.optional && sameKind(param.shape, field.shape)) return true;
    return startOf(object, field) !== undefined;
  });
}

/** A parameter is the field it is named after when both are of one kind. */
export function sameKind(param: VendorShape, field: VendorShape): boolean {
  const a = resolved(param);
  const b = resolved(field);
  if (typeof a === 'string' && typeof b === 'string')
    return a[0] === b[0] || (a === 's' && /^[@=sd&]/.test(b)) || (a === 'd' && b === 's');
  if (Array.isArray(a) && Array.isArray(b)) return sameKind(a[0] as VendorShape, b[0] as VendorShape);
  if (typeof a === 'string' || typeof b === 'string' || Array.isArray(a) || Array.isArray(b)) return false;
  if ('*' in a || '*' in b) return '*' in a && '*' in b;
  const given = fieldsOf(a);
  return fieldsOf(b).every(field => {
    const inner = given.find(({ name }) => name === field.name);
    if (inner === undefined) return field.optional || field.nullable || startOf('', field) !== undefined;
    return sameKind(inner.shape, field.shape);
  });
}

/** Those of the operations that none models, and that can be answered so. */
export function planGeneric(
  all: Iterable<VendorOperation>,
  modelled: (operation: VendorOperation) => boolean,
  recorded: (object: string) => boolean,
): readonly GenericPlan[] {
  const operations = [...all];
  const makers = new Map<string, boolean>();
  for (const operation of operations) {
    if (kindOf(operation) !== 'create' || operation.object === null) continue;
    const makes =
      !UNMAKEABLE.test(operation.object) &&
      !modelled(operation) &&
      canMake(operation, operation.object) &&
      isRead(operations, operation);
    makers.set(operation.object, (makers.get(operation.object) ?? false) || makes);
  }
  const gone = (object: string): boolean =>
    makers.get(object) !== true && !recorded(object) && !CATALOGS.test(object) && !BYPRODUCTS.test(object);
  const plans: GenericPlan[] = [];
  for (const operation of operations) {
    if (modelled(operation)) continue;
    // What nothing in this world makes is not found to do anything with, and is listed empty: that is so.
    const absent = absentFrom(operations, operation, gone);
    if (absent !== null) plans.push({ ...operation, object: absent, does: 'retrieve', status: null });
    const object = objectOf(operations, operation);
    if (absent !== null || object === null || recorded(object)) continue;
    if (CATALOGS.test(object) || BYPRODUCTS.test(object)) continue;
    const does = kindOf(operation);
    if (gone(object)) {
      const whole = does === 'list' && !operation.path.includes('/{');
      if (whole) plans.push({ ...operation, object, does: 'list', status: null });
      continue;
    }
    if (does === null) continue;
    if (does === 'create' && !(canMake(operation, object) && isRead(operations, operation))) continue;
    const status = does === 'act' ? statusAfter(operation, object) : null;
    if (does === 'act' && status === null) continue;
    plans.push({ ...operation, object, does, status });
  }
  return plans;
}

/** The object that an operation answers: where the declarations say one of several, what its collection holds. */
function objectOf(operations: readonly VendorOperation[], operation: VendorOperation): string | null {
  if (operation.object !== null) return operation.object;
  const collection = operation.path.replace(/\/\{\w+\}$/, '');
  if (collection === operation.path) return null;
  return operations.find(({ path, how }) => path === collection && how === 'list')?.object ?? null;
}

/** The object that the path names first, where there never is one. */
function absentFrom(
  operations: readonly VendorOperation[],
  { path }: VendorOperation,
  gone: (object: string) => boolean,
): string | null {
  const named = path.slice(0, path.indexOf('}') + 1).replace('/test_helpers/', '/');
  if (named === '') return null;
  const bare = (text: string): string => text.replaceAll(/\{\w+\}/g, '{}');
  const held = operations.find(
    operation =>
      operation.method === 'GET' && operation.how === 'one' && bare(operation.path) === bare(named),
  );
  return held?.object != null && gone(held.object) ? held.object : null;
}

function isRead(operations: readonly VendorOperation[], made: VendorOperation): boolean {
  return operations.some(
    ({ method, path }) => method === 'GET' && (path === made.path || path.startsWith(`${made.path}/{`)),
  );
}

function kindOf({ method, path, how }: VendorOperation): GenericPlan['does'] | null {
  const segments = path.split('/');
  const last = segments.at(-1) ?? '';
  const byId = last.startsWith('{');
  if (method === 'DELETE') return byId ? 'delete' : null;
  if (method === 'GET') return how === 'list' ? 'list' : how === 'one' && byId ? 'retrieve' : null;
  if (how !== 'one') return null;
  if (byId) return 'update';
  return Object.hasOwn(VERBS, last) && segments.at(-2)?.startsWith('{') === true ? 'act' : 'create';
}

function statusAfter({ path }: VendorOperation, object: string): string | null {
  const wanted = VERBS[path.slice(path.lastIndexOf('/') + 1)] ?? [];
  const held = statusesOf(object);
  return wanted.find(status => held.includes(status)) ?? null;
}

/** The scalar fields of an object that a list of it is asked by. */
export function filtersOf(plan: GenericPlan): readonly string[] {
  const fields = objectFields(plan.object) ?? [];
  return fieldsOf(JSON.parse(plan.params) as VendorShape)
    .filter(
      ({ name, shape }) =>
        !PAGING.includes(name) &&
        typeof resolved(shape) === 'string' &&
        fields.some(field => field.name === name),
    )
    .map(({ name }) => name);
}

export const PAGING = ['limit', 'starting_after', 'ending_before', 'expand', 'created', 'page'];

/** The record types of the generic tier, with the indexes that its lists select on. */
export function genericRecords(plans: readonly GenericPlan[]): { readonly [type: string]: RecordType } {
  const types = new Map<string, Set<string>>();
  for (const plan of plans) {
    const held = types.get(plan.object) ?? new Set(['$parent']);
    types.set(plan.object, held);
    if (plan.does === 'list') for (const name of filtersOf(plan)) held.add(name);
  }
  return Object.fromEntries(
    [...types].map(([type, names]) => [type, { indexes: [...names].map(name => [name]) }]),
  );
}

/** The event of a change of an object, where the vendor has one. */
export function eventOf(object: string, happened: string): string | null {
  const type = `${object}.${happened}`;
  return VENDOR_EVENTS.includes(type) ? type : null;
}
