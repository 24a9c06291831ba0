// What the Stripe twin says of itself (2.2). The numbers are counted, not claimed.
import { type Manifest, manifestOf } from '../kit/manifest.ts';
import { STRIPE_ROUTES } from './api/catalog.generated.ts';
import { BILLING_MODELS } from './billing/manifest.ts';
import { API_VERSION } from './events/events.ts';
import { TOLD_EVENTS } from './events/told.generated.ts';
import { eventOf, statusesOf } from './generic/plan.ts';
import { GENERIC_PLANS, type Tier, tierOf } from './generic/tiers.ts';
import { OPERATIONS } from './operations.ts';
import { PAYMENT_EVENTS, PAYMENT_MODELS } from './payments/manifest.ts';
import { SCREENS } from './screens.ts';

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

/** Test helpers stand under the type they help with; a resource that no row names stands by itself. */
function modelsOf(): Manifest['models'] {
  const rows = [...MODELS, ...PAYMENT_MODELS, ...BILLING_MODELS];
  const left = new Set(OPERATIONS.map(({ name }) => name));
  const models = rows.map(([type, idPrefix, resource]) => {
    const operations: string[] = [];
    for (const name of [...left]) {
      const bare = name.replace(/^testHelpers\./, '');
      const prefix = resource.replace(/^testHelpers\./, '');
      if (!bare.startsWith(`${prefix}.`) || bare.slice(prefix.length + 1).includes('.')) continue;
      left.delete(name);
      operations.push(name === bare || resource !== prefix ? bare.slice(prefix.length + 1) : name);
    }
    return { type: type as string, ...(idPrefix === '' ? {} : { idPrefix: idPrefix as string }), operations };
  });
  const others = new Map<string, string[]>();
  for (const name of left) {
    const at = name.lastIndexOf('.');
    others.set(name.slice(0, at), [...(others.get(name.slice(0, at)) ?? []), name.slice(at + 1)]);
  }
  return [
    ...models.filter(({ operations }) => operations.length > 0),
    ...[...others].map(([type, operations]) => ({ type, operations })),
  ];
}

const GENERIC_EVENTS = GENERIC_PLANS.flatMap(({ object }) =>
  ['created', 'updated', 'deleted', ...statusesOf(object)].map(happened => eventOf(object, happened)),
).filter(event => event !== null);

function countOf(tier: Tier): number {
  return STRIPE_ROUTES.filter(route => {
    const [method = '', path = ''] = route.split(' ');
    return tierOf({ method, path }) === tier;
  }).length;
}

export const STRIPE_MANIFEST: Manifest = manifestOf({
  vendor: 'stripe',
  version: '0.1.0',
  api: { version: API_VERSION, sdks: [{ npm: 'stripe', version: '23.1.0' }] },
  models: modelsOf(),
  coverage: { modelled: countOf('modelled'), generic: countOf('generic'), catalog: STRIPE_ROUTES.length },
  hosts: [
    { host: 'api.stripe.com', paths: ['/v1/', '/v2/'] },
    { host: 'files.stripe.com', paths: ['/v1/'] },
    { host: 'meter-events.stripe.com', paths: ['/v2/'] },
    ...[...new Set(SCREENS.map(({ host }) => host))].map(host => ({ host, paths: ['/'] })),
  ],
  screens: SCREENS,
  webhooks: {
    scheme: 'stripe',
    events: [...new Set([...EVENT_TYPES, ...PAYMENT_EVENTS, ...TOLD_EVENTS, ...GENERIC_EVENTS])].sort(),
  },
});
