// Entitlements as this twin models it.
import type { Product } from '../api/product.ts';
import { entitlementOperations } from './active.ts';

export const entitlements: Product<object> = {
  operations: [...entitlementOperations],
  records: {},
  due: {},
  models: [],
  events: [],
};
