// Who pays: a customer from its first field to its end, and what is said of one that is not there.
import type { Story } from '../story.ts';

export const CUSTOMERS: readonly Story[] = [
  {
    name: 'a customer, changed and deleted',
    steps: [
      {
        name: 'customer',
        method: 'POST',
        path: '/v1/customers',
        params: {
          email: 'ada@example.com',
          name: 'Ada',
          phone: '+4712345678',
          metadata: { crm: '42' },
          address: { line1: 'Storgata 1', city: 'Oslo', country: 'NO', postal_code: '0155' },
          preferred_locales: ['nb'],
        },
      },
      {
        name: 'changed',
        method: 'POST',
        path: '/v1/customers/{customer.id}',
        params: { name: '', metadata: { crm: '', tier: 'gold' }, balance: -500 },
      },
      { name: 'read', method: 'GET', path: '/v1/customers/{customer.id}' },
      {
        name: 'transactions',
        method: 'GET',
        path: '/v1/customers/{customer.id}/balance_transactions',
        params: { limit: 3 },
      },
      {
        name: 'tax id',
        method: 'POST',
        path: '/v1/customers/{customer.id}/tax_ids',
        params: { type: 'no_vat', value: '123456789MVA' },
      },
      { name: 'deleted', method: 'DELETE', path: '/v1/customers/{customer.id}' },
      { name: 'read after', method: 'GET', path: '/v1/customers/{customer.id}' },
      {
        name: 'charged after',
        method: 'POST',
        path: '/v1/payment_intents',
        params: {
          amount: 1500,
          currency: 'usd',
          customer: '{customer.id}',
          allowed_payment_method_types: ['card'],
        },
      },
    ],
  },
  {
    name: 'what is refused of customers',
    steps: [
      { name: 'none', method: 'GET', path: '/v1/customers/cus_none' },
      { name: 'email', method: 'POST', path: '/v1/customers', params: { email: 'no address' } },
      { name: 'unknown', method: 'POST', path: '/v1/customers', params: { nickname: 'Ada' } },
      { name: 'limit', method: 'GET', path: '/v1/customers', params: { limit: 1000 } },
      { name: 'expand', method: 'GET', path: '/v1/customers', params: { expand: ['data.friends'] } },
      { name: 'url', method: 'GET', path: '/v1/customer' },
    ],
  },
];
