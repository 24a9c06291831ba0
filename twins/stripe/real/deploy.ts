// How what was done at the twin is done at Stripe (3): under an Idempotency-Key, which Stripe keeps for a day.
import { isJsonObject, objectField, readJson, textField } from '../../kit/json.ts';
import type { Deploys } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';

const KEY_KEPT_MS = 24 * 3_600_000;

/** Where the dashboard shows an object, by its type. */
const PAGES: { readonly [type: string]: string } = {
  account: 'connect/accounts',
  charge: 'payments',
  coupon: 'coupons',
  customer: 'customers',
  dispute: 'disputes',
  invoice: 'invoices',
  payment_intent: 'payments',
  payment_link: 'payment-links',
  payout: 'payouts',
  price: 'prices',
  product: 'products',
  promotion_code: 'promotion_codes',
  quote: 'quotes',
  setup_intent: 'setup_intents',
  subscription: 'subscriptions',
  subscription_schedule: 'subscription_schedules',
  tax_rate: 'tax-rates',
  transfer: 'connect/transfers',
  webhook_endpoint: 'webhooks',
};

/** What is nothing that can be asked of Stripe's API under a secret key. */
const UNABLE: readonly (readonly [path: RegExp, reason: string])[] = [
  [
    /^\/v[12]\/test_helpers(?:\/|$)/,
    'a test helper moves time or stands in for somebody: nothing to do at Stripe',
  ],
  [/^\/v1\/files(?:\/|$)/, 'files are sent to files.stripe.com, and the root is another host'],
  [/^\/v2\/billing\/meter_event_stream(?:\/|$)/, 'streams of meter events go to meter-events.stripe.com'],
  [/^\/v1\/confirmation_tokens$/, 'a page makes confirmation tokens, under a publishable key'],
  [/^\/oauth\//, 'Connect’s OAuth is at connect.stripe.com, and is the account’s owner’s to go through'],
  [/^\/(?!v[12]\/)/, 'it was done on a page of Stripe’s, by whoever was there'],
];

export const stripeDeploys: Deploys = {
  once: { header: 'Idempotency-Key', keptMs: KEY_KEPT_MS },
  unable: ({ path }) => UNABLE.find(([pattern]) => pattern.test(path))?.[1] ?? null,
  done: (_request, { body }) => {
    const object = readJson(body);
    // Not Stripe's own words: something between here and there answered.
    if (!isJsonObject(object)) throw new TypeError('The answer is no object of Stripe’s.');
    const id = textField(object, 'id');
    const url = pageOf(object, id);
    return {
      ...(id === null ? {} : { id }),
      ...(url === null ? {} : { url }),
      object: object as RecordBody,
    };
  },
  refusal: ({ body }) => textField(objectField(readJson(body), 'error'), 'message') ?? '',
};

const pageOf = (object: RecordBody, id: string | null): string | null => {
  const type = textField(object, 'object');
  const page = type !== null && Object.hasOwn(PAGES, type) ? PAGES[type] : undefined;
  if (id === null || page === undefined || object['deleted'] === true) return null;
  return `https://dashboard.stripe.com/${object['livemode'] === true ? '' : 'test/'}${page}/${id}`;
};
