// What the Stripe twin says of itself (2.2). The numbers are counted, not claimed.
import { HANDLER_MATCHERS } from '../kit/handlers.ts';
import type { Manifest } from '../kit/manifest.ts';
import { STRIPE_ROUTES } from './catalog.generated.ts';
import { API_VERSION } from './events.ts';
import { OPERATIONS } from './operations.ts';

/** Object type, its id prefix, and the SDK resource whose operations make it. */
const MODELS = [
  ['customer', 'cus_', 'customers'],
  ['product', 'prod_', 'products'],
  ['price', 'price_', 'prices'],
  ['payment_method', 'pm_', 'paymentMethods'],
  ['payment_intent', 'pi_', 'paymentIntents'],
  ['charge', 'ch_', 'charges'],
  ['subscription', 'sub_', 'subscriptions'],
  ['subscription_item', 'si_', 'subscriptionItems'],
  ['invoice', 'in_', 'invoices'],
  ['invoice_payment', 'inpay_', 'invoicePayments'],
  ['invoiceitem', 'ii_', 'invoiceItems'],
  ['event', 'evt_', 'events'],
  ['webhook_endpoint', 'we_', 'webhookEndpoints'],
] as const;

/** Every event this twin sends. */
const EVENT_TYPES: readonly string[] = [
  'charge.captured',
  'charge.failed',
  'charge.refunded',
  'charge.succeeded',
  'charge.updated',
  'customer.created',
  'customer.deleted',
  'customer.subscription.created',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'customer.subscription.updated',
  'customer.updated',
  'invoice.created',
  'invoice.deleted',
  'invoice.finalized',
  'invoice.marked_uncollectible',
  'invoice.overdue',
  'invoice.paid',
  'invoice.payment_action_required',
  'invoice.payment_failed',
  'invoice.payment_succeeded',
  'invoice.sent',
  'invoice.upcoming',
  'invoice.updated',
  'invoice.voided',
  'invoice_payment.paid',
  'invoiceitem.created',
  'invoiceitem.deleted',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.created',
  'payment_intent.payment_failed',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'payment_method.attached',
  'payment_method.detached',
  'payment_method.updated',
  'price.created',
  'price.updated',
  'product.created',
  'product.deleted',
  'product.updated',
];

export const STRIPE_MANIFEST: Manifest = {
  kind: 'wrld-twin',
  vendor: 'stripe',
  version: '0.1.0',
  protocol: 'http',
  api: { version: API_VERSION, sdks: [{ npm: 'stripe', version: '23.1.0' }] },
  models: MODELS.map(([type, idPrefix, resource]) => ({
    type,
    idPrefix,
    operations: OPERATIONS.filter(({ name }) => name.startsWith(`${resource}.`)).map(({ name }) =>
      name.slice(resource.length + 1),
    ),
  })),
  coverage: { modelled: OPERATIONS.length, generic: 0, catalog: STRIPE_ROUTES.length },
  hosts: [
    { host: 'api.stripe.com', paths: ['/v1/', '/v2/'] },
    { host: 'files.stripe.com', paths: ['/v1/'] },
    { host: 'connect.stripe.com', paths: ['/oauth/'] },
    { host: 'meter-events.stripe.com', paths: ['/v2/'] },
  ],
  generative: false,
  matchers: HANDLER_MATCHERS,
  root: false,
  screens: [],
  webhooks: { scheme: 'stripe', events: EVENT_TYPES },
};
