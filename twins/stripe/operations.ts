// Every operation this twin models, product by product.
import type { Operation } from './api/operation.ts';
import { PRODUCTS } from './products.ts';

export const OPERATIONS: readonly Operation[] = PRODUCTS.flatMap(({ operations }) => operations);
