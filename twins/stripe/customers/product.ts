// Stripe's Customers: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { customerOperations } from './customers.ts';
import { ephemeralKeyOperations } from './ephemeral-keys.ts';
import { CUSTOMER_RECORDS, type CustomerRecords } from './records.ts';
import { createCustomerSession } from './sessions.ts';
import { taxIdOperations } from './tax-ids.ts';

export const customers: Product<CustomerRecords> = {
  operations: [...customerOperations, ...taxIdOperations, createCustomerSession, ...ephemeralKeyOperations],
  records: CUSTOMER_RECORDS,
  due: {},
  models: [
    ['customer', 'cus_', 'customers'],
    ['tax_id', 'txi_', 'taxIds'],
    ['ephemeral_key', 'ephkey_', 'ephemeralKeys'],
  ],
  events: [
    'customer.created',
    'customer.deleted',
    'customer.tax_id.created',
    'customer.tax_id.deleted',
    'customer.updated',
  ],
};
