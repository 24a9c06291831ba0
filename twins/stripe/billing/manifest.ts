// What the manifest says of the billing side: object type, its id prefix, and the SDK resource whose operations
// make it.
export const BILLING_MODELS = [
  ['coupon', '', 'coupons'],
  ['promotion_code', 'promo_', 'promotionCodes'],
  ['tax_rate', 'txr_', 'taxRates'],
  ['tax_id', 'txi_', 'taxIds'],
  ['plan', 'plan_', 'plans'],
  ['credit_note', 'cn_', 'creditNotes'],
  ['quote', 'qt_', 'quotes'],
  ['subscription_schedule', 'sub_sched_', 'subscriptionSchedules'],
  ['billing_portal.configuration', 'bpc_', 'billingPortal.configurations'],
  ['billing_portal.session', 'bps_', 'billingPortal.sessions'],
  ['billing.meter', 'mtr_test_', 'billing.meters'],
  ['billing.meter_event', '', 'billing.meterEvents'],
  ['billing.credit_grant', 'credgr_', 'billing.creditGrants'],
  ['test_helpers.test_clock', 'clock_', 'testHelpers.testClocks'],
  ['discount', 'di_', 'discounts'],
  ['billing.meter_event_adjustment', '', 'billing.meterEventAdjustments'],
  ['v2.billing.meter_event_session', '', 'v2.billing.meterEventSession'],
  ['v2.billing.meter_event_stream', '', 'v2.billing.meterEventStream'],
  ['v2.billing.meter_event', '', 'v2.billing.meterEvents'],
  ['v2.billing.meter_event_adjustment', '', 'v2.billing.meterEventAdjustments'],
] as const;
