// What comes again: subscriptions by a test clock, which has the same time on both sides, and invoices.
import type { Step, Story } from '../story.ts';

/** 2031-01-01T00:00:00Z, a month later, and an hour after that. */
const START = 1_924_992_000;
const MONTH_LATER = 1_927_670_400;
const COLLECTED = MONTH_LATER + 3_700;

const CLOCK: Step = {
  name: 'clock',
  method: 'POST',
  path: '/v1/test_helpers/test_clocks',
  params: { frozen_time: START },
};
const CLOCK_GONE: Step = {
  name: 'clock gone',
  method: 'DELETE',
  path: '/v1/test_helpers/test_clocks/{clock.id}',
};
const CUSTOMER: Step = {
  name: 'customer',
  method: 'POST',
  path: '/v1/customers',
  params: {
    email: 'ada@example.com',
    test_clock: '{clock.id}',
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  },
};
const price = (name: string, amount: number): Step => ({
  name,
  method: 'POST',
  path: '/v1/prices',
  params: {
    currency: 'usd',
    unit_amount: amount,
    recurring: { interval: 'month' },
    product_data: { name: `Plan of ${amount}` },
  },
});

function moved(name: string, to: number): readonly Step[] {
  return [
    {
      name,
      method: 'POST',
      path: '/v1/test_helpers/test_clocks/{clock.id}/advance',
      params: { frozen_time: to },
    },
    {
      name: `${name}, there`,
      method: 'GET',
      path: '/v1/test_helpers/test_clocks/{clock.id}',
      until: { status: 'ready' },
    },
  ];
}

export const BILLING: readonly Story[] = [
  {
    name: 'a subscription, its renewal and its end',
    steps: [
      CLOCK,
      CUSTOMER,
      price('price', 1500),
      {
        name: 'subscription',
        method: 'POST',
        path: '/v1/subscriptions',
        params: {
          customer: '{customer.id}',
          items: [{ price: '{price.id}', quantity: 2 }],
          expand: ['latest_invoice'],
        },
      },
      ...moved('renewed', COLLECTED),
      {
        name: 'invoices',
        method: 'GET',
        path: '/v1/invoices',
        params: { subscription: '{subscription.id}' },
      },
      {
        name: 'ends',
        method: 'POST',
        path: '/v1/subscriptions/{subscription.id}',
        params: { cancel_at_period_end: true },
      },
      { name: 'ended', method: 'DELETE', path: '/v1/subscriptions/{subscription.id}' },
    ],
    after: [CLOCK_GONE],
  },
  {
    name: 'a trial, a coupon and a change in the middle',
    steps: [
      CLOCK,
      CUSTOMER,
      price('small', 1000),
      price('large', 2000),
      {
        name: 'coupon',
        method: 'POST',
        path: '/v1/coupons',
        params: { percent_off: 25, duration: 'forever' },
      },
      {
        name: 'subscription',
        method: 'POST',
        path: '/v1/subscriptions',
        params: {
          customer: '{customer.id}',
          items: [{ price: '{small.id}' }],
          discounts: [{ coupon: '{coupon.id}' }],
          trial_period_days: 7,
        },
      },
      ...moved('paid for', START + 8 * 86_400),
      {
        name: 'changed',
        method: 'POST',
        path: '/v1/subscriptions/{subscription.id}',
        params: {
          items: [{ id: '{subscription.items.data.0.id}', price: '{large.id}' }],
          proration_behavior: 'create_prorations',
          proration_date: START + 8 * 86_400,
        },
      },
      {
        name: 'preview',
        method: 'POST',
        path: '/v1/invoices/create_preview',
        params: { subscription: '{subscription.id}' },
      },
    ],
    after: [CLOCK_GONE],
  },
  {
    name: 'a subscription that began earlier than it was made',
    steps: [
      CLOCK,
      CUSTOMER,
      price('price', 3100),
      {
        name: 'subscription',
        method: 'POST',
        path: '/v1/subscriptions',
        params: {
          customer: '{customer.id}',
          items: [{ price: '{price.id}' }],
          backdate_start_date: START - 10 * 86_400,
          billing_cycle_anchor: START + 21 * 86_400,
          expand: ['latest_invoice'],
        },
      },
      {
        name: 'too late',
        method: 'POST',
        path: '/v1/subscriptions',
        params: {
          customer: '{customer.id}',
          items: [{ price: '{price.id}' }],
          backdate_start_date: START + 86_400,
        },
      },
    ],
    after: [CLOCK_GONE],
  },
  {
    name: 'an invoice by hand, its note of credit, and one that is void',
    steps: [
      {
        name: 'customer',
        method: 'POST',
        path: '/v1/customers',
        params: { email: 'ada@example.com', payment_method: 'pm_card_visa' },
      },
      {
        name: 'invoice',
        method: 'POST',
        path: '/v1/invoices',
        params: { customer: '{customer.id}', collection_method: 'send_invoice', days_until_due: 30 },
      },
      {
        name: 'item',
        method: 'POST',
        path: '/v1/invoiceitems',
        params: {
          customer: '{customer.id}',
          invoice: '{invoice.id}',
          amount: 4200,
          currency: 'usd',
          description: 'Work',
        },
      },
      { name: 'open', method: 'POST', path: '/v1/invoices/{invoice.id}/finalize' },
      {
        name: 'credit',
        method: 'POST',
        path: '/v1/credit_notes',
        params: { invoice: '{invoice.id}', amount: 200 },
      },
      {
        name: 'paid',
        method: 'POST',
        path: '/v1/invoices/{invoice.id}/pay',
        params: { paid_out_of_band: true },
      },
      { name: 'void', method: 'POST', path: '/v1/invoices/{invoice.id}/void' },
    ],
    after: [{ name: 'gone', method: 'DELETE', path: '/v1/customers/{customer.id}' }],
  },
];
