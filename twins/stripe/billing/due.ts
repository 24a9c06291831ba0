// Test clocks that were advanced, and credits whose time is over.
import type { DueHandlers } from '../../kit/due.ts';
import type { Falling } from '../api/product.ts';
import { endGrant } from './credit-grants.ts';
import { advanceNow } from './test-clocks.ts';

export type BillingDue = {
  'test_clock.advance': { readonly clock: string };
  'credit_grant.expire': { readonly grant: string };
};

export const billingDue: DueHandlers<BillingDue, Falling> = {
  'test_clock.advance': ({ clock }, { act, happen }) => advanceNow(act, clock, happen),
  'credit_grant.expire': ({ grant }, { act }) => endGrant(act, grant),
};
