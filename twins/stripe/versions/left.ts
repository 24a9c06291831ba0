// Changes of the API that are not undone for older versions, and what those see instead. docs/twins/stripe-versions.md is
// made of these and of the others.
export type Left = {
  readonly since: string;
  /** As of a change (change.ts). */
  readonly log: string;
  readonly what: string;
};

export const LEFT: readonly Left[] = [
  {
    since: '2025-09-30.clover',
    log: 'clover/2025-09-30/billing-cycle-anchor-resets-during-phase-computation',
    what: 'The end of a schedule’s phase is computed as it is today.',
  },
  {
    since: '2025-09-30.clover',
    log: 'clover',
    what: 'Subscriptions of schedules, quotes and checkout are in the flexible billing mode unless it is said.',
  },
  {
    since: '2025-03-31.basil',
    log: 'basil/2025-03-31/deprecate-legacy-usage-based-billing',
    what: 'Usage records are added up: of `aggregate_usage` only `sum` is taken. A summary is of the period that runs, or of all before it.',
  },
  {
    since: '2025-03-31.basil',
    log: 'basil/2025-03-31/checkout-legacy-subscription-upgrade',
    what: 'A checkout session shows its subscription once it is paid.',
  },
  {
    since: '2025-03-31.basil',
    log: 'basil/2025-03-31/restrict-coupon-duration',
    what: 'A coupon of an amount that lasts for ever is taken in every version.',
  },
  {
    since: '2025-03-31.basil',
    log: 'basil/2025-03-31/deprecate-total-count-expansion',
    what: '`total_count` of a list is answered to whoever names an older version, or none, as to an account that is old at Stripe, and counts no further than 10,000.',
  },
  {
    since: '2022-11-15',
    log: '2022-11-15/adds-decline-codes-paymentintent-paymentmethod',
    what: 'Cards decline with today’s codes.',
  },
  {
    since: '2022-08-01',
    log: '2022-08-01/deferred-paymentintent-checkout-session',
    what: 'A checkout session has its payment intent, or its setup intent, once it is paid.',
  },
  {
    since: '2020-08-27',
    log: '2020-08-27',
    what: 'Versions before this one are answered as this one.',
  },
];
