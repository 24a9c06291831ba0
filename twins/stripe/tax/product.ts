// Stripe's Tax: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { calculationOperations } from './calculations.ts';
import { TAX_RECORDS, type TaxRecords } from './records.ts';
import { taxSettingsOperations } from './settings.ts';
import { taxTransactionOperations } from './transactions.ts';

export const tax: Product<TaxRecords> = {
  operations: [...calculationOperations, ...taxTransactionOperations, ...taxSettingsOperations],
  records: TAX_RECORDS,
  due: {},
  models: [],
  events: ['tax.settings.updated'],
};
