// Apps as this twin models it.
import type { Product } from '../api/product.ts';
import { appSecretOperations } from './secrets.ts';

export const apps: Product<object> = {
  operations: [...appSecretOperations],
  records: {},
  due: {},
  models: [],
  events: [],
};
