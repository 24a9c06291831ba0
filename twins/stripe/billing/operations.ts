// Every operation of the billing side.
import type { Operation } from '../operation.ts';
import { alertOperations } from './alerts.ts';
import { balanceOperations } from './balance.ts';
import { couponOperations } from './coupons.ts';
import { creditGrantOperations } from './credit-grants.ts';
import { creditNoteOperations } from './credit-notes.ts';
import { discountOperations } from './discounts.ts';
import { documentOperations } from './documents.ts';
import { invoiceLineOperations } from './invoice-lines.ts';
import { meterStreamOperations } from './meter-stream.ts';
import { meterOperations } from './meters.ts';
import { planOperations } from './plans.ts';
import { portalOperations } from './portal.ts';
import { quoteOperations } from './quotes.ts';
import { scheduleOperations } from './schedules.ts';
import { taxOperations } from './tax-rates.ts';
import { testClockOperations } from './test-clocks.ts';

export const billingOperations: readonly Operation[] = [
  ...couponOperations,
  ...discountOperations,
  ...taxOperations,
  ...planOperations,
  ...balanceOperations,
  ...creditGrantOperations,
  ...creditNoteOperations,
  ...invoiceLineOperations,
  ...quoteOperations,
  ...documentOperations,
  ...scheduleOperations,
  ...portalOperations,
  ...meterOperations,
  ...alertOperations,
  ...meterStreamOperations,
  ...testClockOperations,
];
