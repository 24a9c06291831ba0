// All stories, in the order in which they are told.
import { BILLING } from './stories/billing.ts';
import { CATALOG } from './stories/catalog.ts';
import { CUSTOMERS } from './stories/customers.ts';
import { PAYMENTS } from './stories/payments.ts';
import type { Story } from './story.ts';

export const STRIPE_STORIES: readonly Story[] = [...CUSTOMERS, ...PAYMENTS, ...CATALOG, ...BILLING];
