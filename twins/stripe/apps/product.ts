// Stripe's Apps: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { appSecretOperations } from './secrets.ts';

export const apps: Product<object> = {
  operations: [...appSecretOperations],
  records: {},
  due: {},
  models: [],
  events: [],
};
