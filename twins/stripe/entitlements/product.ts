// Stripe's Entitlements: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { entitlementOperations } from './active.ts';

export const entitlements: Product<object> = {
  operations: [...entitlementOperations],
  records: {},
  due: {},
  models: [],
  events: [],
};
