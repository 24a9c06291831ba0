// Stripe's Billing: what is called, kept, waited for and told of.
import type { Product } from '../api/product.ts';
import { alertOperations } from './alerts.ts';
import { creditGrantOperations } from './credit-grants.ts';
import { type BillingDue, billingDue } from './due.ts';
import { meterStreamOperations } from './meter-stream.ts';
import { meterOperations } from './meters.ts';
import { portalOperations } from './portal.ts';
import { BILLING_RECORDS, type BillingRecords } from './records.ts';
import { testClockOperations } from './test-clocks.ts';

export const billing: Product<BillingRecords, BillingDue> = {
  operations: [
    ...portalOperations,
    ...meterOperations,
    ...alertOperations,
    ...meterStreamOperations,
    ...creditGrantOperations,
    ...testClockOperations,
  ],
  records: BILLING_RECORDS,
  due: billingDue,
  models: [
    ['billing_portal.configuration', 'bpc_', 'billingPortal.configurations'],
    ['billing_portal.session', 'bps_', 'billingPortal.sessions'],
    ['billing.meter', 'mtr_test_', 'billing.meters'],
    ['billing.meter_event', '', 'billing.meterEvents'],
    ['billing.alert', 'alrt_', 'billing.alerts'],
    ['billing.credit_grant', 'credgr_', 'billing.creditGrants'],
    ['billing.credit_balance_transaction', 'cbtxn_', 'billing.creditBalanceTransactions'],
    ['billing.credit_balance_summary', '', 'billing.creditBalanceSummaries'],
    ['test_helpers.test_clock', 'clock_', 'testHelpers.testClocks'],
    ['billing.meter_event_adjustment', '', 'billing.meterEventAdjustments'],
    ['v2.billing.meter_event_session', '', 'v2.billing.meterEventSession'],
    ['v2.billing.meter_event_stream', '', 'v2.billing.meterEventStream'],
    ['v2.billing.meter_event', '', 'v2.billing.meterEvents'],
    ['v2.billing.meter_event_adjustment', '', 'v2.billing.meterEventAdjustments'],
  ],
  events: [
    'billing.alert.triggered',
    'billing.credit_balance_transaction.created',
    'billing.credit_grant.created',
    'billing.credit_grant.updated',
    'billing.meter.created',
    'billing.meter.deactivated',
    'billing.meter.reactivated',
    'billing.meter.updated',
    'billing_portal.configuration.created',
    'billing_portal.configuration.updated',
    'billing_portal.session.created',
    'customer.deleted',
    'customer.subscription.updated',
    'customer.updated',
    'payment_method.attached',
    'test_helpers.test_clock.advancing',
    'test_helpers.test_clock.created',
    'test_helpers.test_clock.deleted',
    'test_helpers.test_clock.ready',
    'v1.billing.meter.error_report_triggered',
    'v1.billing.meter.no_meter_found',
  ],
};
