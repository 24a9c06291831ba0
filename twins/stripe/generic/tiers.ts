// Every operation that this twin answers, and by which tier: modelled by hand, or from the vendor's declarations.

import type { Tier } from '../../kit/manifest.ts';
import type { Operation } from '../api/operation.ts';
import { type VendorOperation, vendorOperations } from '../api/vendor.ts';
import { OPERATIONS } from '../operations.ts';
import { RECORDS } from '../records.ts';
import { genericOperation } from './operations.ts';
import { type GenericPlan, genericRecords, planGeneric } from './plan.ts';

/** Parameters of paths are named differently by the vendor's declarations and by us: only their places count. */
function keyOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replaceAll(/\{\w*\}/g, '{}')}`;
}

const modelled = new Set(OPERATIONS.map(keyOf));

export const GENERIC_PLANS: readonly GenericPlan[] = planGeneric(
  vendorOperations(),
  operation => modelled.has(keyOf(operation)),
  object => Object.hasOwn(RECORDS, object),
);
export const GENERIC_OPERATIONS: readonly Operation[] = GENERIC_PLANS.map(genericOperation);
export const GENERIC_RECORDS = genericRecords(GENERIC_PLANS);

const generic = new Set(GENERIC_OPERATIONS.map(keyOf));

export function tierOf(
  operation: VendorOperation | { readonly method: string; readonly path: string },
): Tier {
  const key = keyOf(operation);
  return modelled.has(key) ? 'modelled' : generic.has(key) ? 'generic' : 'unmodelled';
}
