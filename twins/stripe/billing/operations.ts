// Every operation of the billing side.
import type { Operation } from '../api/operation.ts';
import { couponOperations } from '../catalog/coupons.ts';
import { discountOperations } from '../catalog/discounts.ts';
import { planOperations } from '../catalog/plans.ts';
import { taxOperations } from '../catalog/tax-rates.ts';
import { balanceOperations } from '../customers/balance.ts';
import { creditNoteOperations } from '../invoicing/credit-notes.ts';
import { documentOperations } from '../invoicing/documents.ts';
import { invoiceLineOperations } from '../invoicing/lines.ts';
import { quoteOperations } from '../invoicing/quotes.ts';
import { scheduleOperations } from '../subscriptions/schedules.ts';
import { alertOperations } from './alerts.ts';
import { creditGrantOperations } from './credit-grants.ts';
import { meterStreamOperations } from './meter-stream.ts';
import { meterOperations } from './meters.ts';
import { portalOperations } from './portal.ts';
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
